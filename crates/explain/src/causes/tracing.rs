//! A tracer that stops the process at every system call.

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::planted::Plant;
use crate::signature::Signature;
use crate::switch::{Switch, seen, unseen};
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "tracing",
    title: "a tracer or probe on system calls (strace, a debugger, perf trace, BPF)",
    said: include_str!("tracing.txt"),
    reaches: Role::CALLS,
    what: "A traced process stops twice at every system call and waits for its tracer to let it go on: each call costs several switches, and work in user space nothing.",
    advice: &[
        "Detach it (TracerPid in /proc/PID/status names it); perf trace or bpftrace watch without stopping.",
    ],
    judge,
    switch: Some(&SWITCH),
    plants: &[Plant {
        name: "a tracer, as strace -f",
        a: &["trace=off"],
        b: &["trace"],
    }],
};

const SWITCH: Switch = Switch {
    what: "a tracer that stops every system call",
    moves: &["os.null_call", "os.fstat"],
    spares: &["cpu.arith{type=double}"],
    off: &["trace=off"],
    on: &["trace"],
    took: |off, on| {
        let tracer =
            |s: &whyslow_model::experiment::Sensed| s.state.security.tracer_pid.value().copied();
        let (Some(off), Some(on)) = (tracer(off), tracer(on)) else {
            return Err(unseen("the tracer is not shown in /proc/self/status"));
        };
        seen(
            off == 0 && on != 0,
            format!("TracerPid: {off} off, {on} on"),
        )
    },
    ..Switch::INHERITED
};

const SIGNATURE: Signature = Signature {
    facts: &["security.tracer_pid"],
    shown: true,
    ..Signature::EVERY_CALL
};

/// What every call goes through and a record keeps.
const KEPT: &[&str] = &[
    "security.",
    "mitigations",
    "kernel.",
    "machine.",
    "scheduler.",
    "cgroup.",
    "clocksource.",
];

/// Weight where nothing else is left that makes every call longer.
const LEFT_OVER: f64 = 0.5;

/// Every call became longer within one boot, and nothing that a record keeps of the way into the kernel differs: what
/// watches calls from within the kernel leaves no other sign.
fn probed(case: &Case<'_>) -> Option<Judgement> {
    const UNSEEN: Signature = Signature {
        facts: &[],
        shown: false,
        ..Signature::EVERY_CALL
    };
    let kept = case.changes(KEPT).next().is_some();
    if !case.one_boot() || kept || case.traced().is_some() {
        return None;
    }
    let judgement = UNSEEN.judge(case);
    if !judgement.fits || judgement.verdict != CauseVerdict::Consistent {
        return None;
    }
    let text = "one boot, and no setting of the way into the kernel differs: probes on system calls (perf trace, \
                bpftrace, ftrace) and rules of audit show nowhere else";
    let mut judgement = judgement.with(Speaks::For, EvidenceKind::Fact, text.to_owned());
    judgement.weight = judgement.weight.max(LEFT_OVER);
    Some(judgement)
}

fn judge(case: &Case<'_>) -> Option<Judgement> {
    let mut judgement = SIGNATURE.judge(case);
    if let Some(probed) = probed(case) {
        judgement = probed;
    }
    // A tracer on one side stops every process of it at every call, whatever else these do; and what they wait for
    // is the tracer. So where that side is the slower one, it comes before all that is only possible.
    if let Some(side) = case.traced() {
        let hit = case.worse_on(side);
        if hit.iter().any(|(role, _)| SIGNATURE.must.contains(role)) {
            judgement.verdict = CauseVerdict::Consistent;
            judgement.weight = 1.0;
            judgement.fits = true;
            judgement.covers = hit;
        }
    }
    Some(judgement.then(
        "whether a tracer does that, switched on and off",
        "whyslow explain {records} --experiment tracing",
    ))
}
