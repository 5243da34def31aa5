//! The allocator keeps what was freed.

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "malloc-keep",
    what: "The allocator gives nothing back to the kernel and takes large blocks from its heap, so that memory is not cleared again and again.",
    rank: 1,
    change: Change::Tunables(&[
        // The most that the library takes; from there on it maps each block.
        "glibc.malloc.mmap_threshold=33554432",
        // 4 GiB: more than a heap that is trimmed ever has free at its end.
        "glibc.malloc.trim_threshold=4294967296",
    ]),
    fits: |_| Ok(()),
};
