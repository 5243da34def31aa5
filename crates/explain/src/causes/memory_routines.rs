//! The C library's memory routines: which variant is chosen.

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::role::Role;
use crate::signature::Signature;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "memory-routines",
    title: "the memory routines of the C library",
    what: "The C library picks its copy and fill by processor and tunables; loops of our own on the same memory do not follow.",
    advice: &[
        "Compare GLIBC_TUNABLES and the library's version; ld.so --list-tunables shows what is in force.",
    ],
    judge,
};

const SIGNATURE: Signature = Signature {
    must: &[Role::MemoryRoutines],
    may: &[Role::FileCached, Role::LocalBandwidth],
    spares: &[Role::MemoryBandwidth, Role::Compute, Role::L1],
    facts: &["environment.steering", "libc"],
    shown: false,
};

fn judge(case: &Case<'_>) -> Option<Judgement> {
    Some(SIGNATURE.judge(case).then(
        "whether tunables are it",
        "whyslow explain A --experiment memory-routines",
    ))
}
