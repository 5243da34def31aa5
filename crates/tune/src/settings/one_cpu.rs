//! One CPU.

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "one-cpu",
    what: "Pins the program and all that it starts to one CPU: no migrations, and no parallel work either.",
    rank: 3,
    change: Change::OneCpu,
    fits: |_| Ok(()),
};
