//! Reach of the translation buffers: page size.

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::role::Role;
use crate::signature::Signature;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "tlb-reach",
    title: "the reach of address translation (page size, huge pages)",
    what: "With larger pages one entry of a translation buffer reaches further, so fewer accesses wait for a page walk.",
    advice: &[
        "Give large data huge pages (madvise or hugetlb); see transparent_hugepage in whyslow host.",
    ],
    judge,
};

const SIGNATURE: Signature = Signature {
    must: &[Role::Tlb],
    may: &[Role::L2, Role::Llc, Role::MemoryLatency, Role::Fault],
    spares: &[Role::Compute, Role::L1, Role::SystemCall],
    facts: &["memory.thp", "memory.hugetlb", "pages", "tlbs"],
    shown: false,
};

fn judge(case: &Case<'_>) -> Option<Judgement> {
    Some(
        SIGNATURE
            .judge(case)
            .then(
                "whether page size is it",
                "whyslow run --only 'mem.latency{*},mem.tlb{*}' on both",
            )
            .then(
                "the same, switched on and off",
                "whyslow explain A --experiment tlb-reach",
            ),
    )
}
