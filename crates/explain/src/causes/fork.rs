//! Copying a process: page tables, huge pages, memory accounting.

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::role::Role;
use crate::signature::Signature;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "fork",
    title: "copying a process (page tables, huge pages, memory accounting)",
    what: "fork copies page tables and charges memory: more mapped memory, smaller pages and a memory cgroup make it slower.",
    advice: &[
        "Prefer vfork, posix_spawn or huge pages in large processes; look at the memory cgroup's limits.",
    ],
    judge,
};

const SIGNATURE: Signature = Signature {
    must: &[Role::Fork],
    may: &[Role::Fault, Role::ProgramStart, Role::Programs],
    spares: &[Role::Compute, Role::SystemCall, Role::MemoryBandwidth],
    facts: &[
        "memory.thp",
        "memory.ksm",
        "cgroup.memory_bytes",
        "cgroup.levels",
    ],
    shown: false,
};

fn judge(case: &Case<'_>) -> Option<Judgement> {
    Some(SIGNATURE.judge(case).then(
        "whether page size is it",
        "whyslow explain A --experiment fork",
    ))
}
