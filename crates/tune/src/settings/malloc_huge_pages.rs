//! Huge pages for the heap.

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "malloc-huge-pages",
    what: "The allocator asks for transparent huge pages, which need fewer TLB entries and page faults.",
    rank: 2,
    change: Change::Tunables(&["glibc.malloc.hugetlb=1"]),
    fits: |place| match place.huge_pages.as_deref() {
        Some("never") => Err("transparent huge pages are set to never here".into()),
        None => Err("the kernel has no transparent huge pages".into()),
        _ => Ok(()),
    },
};
