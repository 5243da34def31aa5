//! Trimming the heap.

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "malloc-trim",
    what: "The allocator gives the end of the heap back to the kernel only beyond 256 MiB.",
    rank: 12,
    change: Change::Tunables(&["glibc.malloc.trim_threshold=268435456"]),
    fits: |_| Ok(()),
};
