//! Mapping large blocks.

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "malloc-map",
    what: "Blocks up to 32 MiB come from the heap instead of a mapping each.",
    rank: 14,
    change: Change::Tunables(&["glibc.malloc.mmap_threshold=33554432"]),
    fits: |_| Ok(()),
};
