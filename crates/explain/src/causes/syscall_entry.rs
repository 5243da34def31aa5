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
    said: include_str!("syscall_entry.txt"),
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
