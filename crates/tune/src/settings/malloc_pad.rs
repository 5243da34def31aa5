//! Growing the heap.

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "malloc-pad",
    what: "The heap grows by 16 MiB at a time, in fewer calls of the kernel.",
    rank: 13,
    change: Change::Tunables(&["glibc.malloc.top_pad=16777216"]),
    fits: |_| Ok(()),
};
