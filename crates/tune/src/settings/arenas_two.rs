//! Two arenas.

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "arenas-2",
    what: "Threads allocate from two arenas.",
    rank: 15,
    change: Change::Tunables(&["glibc.malloc.arena_max=2"]),
    fits: |_| Ok(()),
};
