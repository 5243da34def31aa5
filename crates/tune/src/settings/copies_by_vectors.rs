//! Copies by vectors.

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "copies-by-vectors",
    what: "The C library copies by vector instructions at all sizes, never by REP MOVSB (see: `whyslow tune libc`).",
    rank: 9,
    change: Change::Tunables(&[whyslow_model::tunables::NO_REP_MOVSB]),
    fits: |_| Ok(()),
};
