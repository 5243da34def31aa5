//! A filter of system calls.

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::planted::Plant;
use crate::signature::Signature;
use crate::switch::{Switch, seen, unseen};
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "seccomp",
    title: "a seccomp filter before every system call",
    said: "seccomp; security.seccomp; security-opt; seccomp-bpf; no_new_privs; syscall filter; \
        system call filter; content_sandbox; libseccomp; scmp_; unconfined; runtimedefault; runtime default; \
        pledge; zygote filter; systemcallfilter; firejail; bpf filter; syscall sandbox; filter rules; \
        sandbox filter; no-seccomp; -sandbox on; jail policy; allow bitmap; constant-action; bpf rules; \
        -no-sandbox; rule filter; hot syscalls first",
    reaches: Role::CALLS,
    what: "A filter runs its rules before every system call that the kernel does not know it to allow: each call costs as much more, and work in user space nothing.",
    advice: &[
        "Compare the filters of the containers or services (Seccomp_filters in /proc/PID/status); put the commonest calls first, or let the rules look at numbers alone, whose answer the kernel remembers.",
    ],
    judge,
    switch: Some(&SWITCH),
    plants: &[Plant {
        name: "a filter of 200 rules",
        a: &[],
        b: &["seccomp=200"],
    }],
};

const SWITCH: Switch = Switch {
    what: "a filter of 200 rules that look at an argument",
    moves: &["os.null_call", "os.fstat"],
    spares: &["cpu.arith{type=double}"],
    doses: &[&["seccomp=50"], &["seccomp=100"]],
    on: &["seccomp=200"],
    took: |off, on| {
        let filters = |s: &whyslow_model::experiment::Sensed| {
            s.state.security.seccomp_filters.value().copied()
        };
        let (Some(off), Some(on)) = (filters(off), filters(on)) else {
            return Err(unseen("filters are not shown in /proc/self/status"));
        };
        seen(
            on == off + 1,
            format!("Seccomp_filters: {off} off, {on} on"),
        )
    },
    ..Switch::INHERITED
};

const SIGNATURE: Signature = Signature {
    facts: &["security.seccomp"],
    shown: true,
    ..Signature::EVERY_CALL
};

fn judge(case: &Case<'_>) -> Option<Judgement> {
    Some(SIGNATURE.judge(case).then(
        "whether a filter does that, switched on and off",
        "whyslow explain {records} --experiment seccomp",
    ))
}
