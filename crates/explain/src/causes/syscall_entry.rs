//! Entering the kernel: mitigations, audit. Filters and tracers are causes of their own, as their facts
//! tell them apart.

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::signature::Signature;
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "syscall-entry",
    title: "the way into the kernel (mitigations, audit)",
    said: &[
        "afalg",
        "af_alg",
        "mitigation",
        "mitigations",
        "mitigations=off",
        "mitigations=auto",
        "pti",
        "kpti",
        "nopti",
        "kaiser",
        "spectre",
        "spectre_v2",
        "nospectre",
        "meltdown",
        "retpoline",
        "ibrs",
        "eibrs",
        "retbleed",
        "audit",
        "auditd",
        "auditctl",
        "syscall entry",
        "sysenter",
        "int 0x80",
        "int80",
        "vsyscall",
        "fast system call",
        "entry code",
        "syscall",
        "syscalls",
        "system call",
        "x86/entry",
        "x86/bugs",
        "generic entry",
        "rsb",
        "return stack",
        "return address",
        "exception entry",
        "srso",
        "spec_rstack",
        "kstack",
        "kstack_offset",
        "security.store_bypass",
        "security.indirect_branch",
        "kernel.command_line",
        "page table isolation",
        "ibpb",
        "stibp",
        "ssbd",
        "ssb",
        "spec_store",
        "spec_store_bypass",
        "speculation",
        "l1tf",
        "foreshadow",
        "mds",
        "taa",
        "zombieload",
        "tsx async",
        "downfall",
        "gds",
        "bhi",
        "inception",
        "mmio stale",
        "pcid",
        "nopcid",
        "fred",
        "swapgs",
        "kernel entry",
        "context tracking",
        "context_tracking",
        "microcode",
        "itlb multihit",
        "ssbd=",
        "lazy fpu",
        "vulnerab",
        "spec_ctrl",
        "nosmt=force",
    ],
    reaches: Role::CALLS,
    what: "Every system call passes what is set up at the door: mitigations flush or fence, audit writes down.",
    advice: &[
        "Compare mitigations= on the kernel command line and whether audit has rules (auditctl -l).",
    ],
    judge,
    switch: None,
    plants: &[],
};

const SIGNATURE: Signature = Signature {
    facts: &[
        "mitigations",
        "security.store_bypass",
        "security.indirect_branch",
        "kernel.command_line",
    ],
    shown: true,
    ..Signature::EVERY_CALL
};

fn judge(case: &Case<'_>) -> Option<Judgement> {
    Some(SIGNATURE.judge(case).then(
        "what a call costs on each side, and which mitigations are on; on both hosts",
        "whyslow run --only 'os.*'",
    ))
}
