//! One arena.

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "arenas-1",
    what: "All threads allocate from one arena: less memory, more waiting for its lock.",
    rank: 8,
    change: Change::Tunables(&["glibc.malloc.arena_max=1"]),
    fits: |_| Ok(()),
};
