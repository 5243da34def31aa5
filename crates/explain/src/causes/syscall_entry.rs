//! Entering the kernel: mitigations, filters, tracers, audit.

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::role::Role;
use crate::signature::Signature;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "syscall-entry",
    title: "the way into the kernel (mitigations, seccomp filters, tracing, audit)",
    what: "Every system call passes what is set up at the door: mitigations flush or fence, a seccomp filter runs its rules, a tracer stops the process twice.",
    advice: &[
        "Compare mitigations= on the kernel command line, the seccomp filters of the container or service, and whether strace, audit or a debugger is attached.",
    ],
    judge,
};

const SIGNATURE: Signature = Signature {
    must: &[Role::SystemCall],
    may: &[
        Role::FileMetadata,
        Role::FileCreate,
        Role::FileCached,
        Role::Descriptors,
        Role::Signal,
        Role::Fault,
        Role::SwitchSameCpu,
        Role::SwitchAnyCpu,
        Role::Fork,
        Role::ProgramStart,
        Role::Programs,
        Role::LocalLatency,
        Role::LocalBandwidth,
        Role::ReadClock,
        Role::Sleep,
        Role::SystemTime,
    ],
    spares: &[Role::Compute, Role::L1, Role::MemoryBandwidth],
    facts: &[
        "mitigations",
        "security.seccomp",
        "security.tracer_pid",
        "security.store_bypass",
        "security.indirect_branch",
        "kernel.command_line",
    ],
    shown: true,
};

fn judge(case: &Case<'_>) -> Option<Judgement> {
    Some(SIGNATURE.judge(case).then(
        "whether the door to the kernel is it, switched on and off",
        "whyslow explain A --experiment syscall-entry",
    ))
}
