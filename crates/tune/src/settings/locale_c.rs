//! The locale C.

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "locale-c",
    what: "Programs sort, match and convert text by bytes (LC_ALL=C), which changes what some of them print.",
    rank: 4,
    change: Change::Variable("LC_ALL", "C"),
    fits: |_| Ok(()),
};
