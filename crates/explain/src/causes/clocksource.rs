//! Where the time comes from.

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::signature::Signature;
use crate::switch::{Switch, seen, unseen};
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "clocksource",
    title: "the clock source",
    said: include_str!("clocksource.txt"),
    reaches: &[
        Role::ReadClock,
        Role::Sleep,
        Role::Application,
        Role::RealTime,
        Role::SystemTime,
    ],
    what: "A clock that is read by the vDSO costs tens of cycles, one that needs the kernel or a device hundreds to thousands.",
    advice: &["Use tsc or the hypervisor's paravirtual clock; see clocksource in `whyslow host`."],
    judge,
    switch: Some(&SWITCH),
    plants: &[],
};

const SWITCH: Switch = Switch {
    what: "the second-best clock source of the whole machine",
    needs: "root, and leave to change the whole machine for a moment",
    global: true,
    moves: &["os.clock{clock=monotonic,way=vdso}"],
    spares: &["os.null_call", "cpu.arith{type=double}"],
    off: &["clocksource=same"],
    on: &["clocksource=other"],
    took: |off, on| {
        let source =
            |s: &whyslow_model::experiment::Sensed| s.state.clocksource.current.value().cloned();
        let (Some(off), Some(on)) = (source(off), source(on)) else {
            return Err(unseen("the clock source is not shown"));
        };
        seen(off != on, format!("clock source: {off} off, {on} on"))
    },
    ..Switch::INHERITED
};

const SIGNATURE: Signature = Signature {
    must: &[Role::ReadClock],
    may: &[Role::Sleep],
    spares: &[Role::Compute, Role::SystemCall, Role::MemoryLatency],
    facts: &["clocksource"],
    shown: true,
};

fn judge(case: &Case<'_>) -> Option<Judgement> {
    Some(SIGNATURE.judge(case).then(
        "what reading each clock costs; on both hosts",
        "whyslow run --only 'os.clock{*}'",
    ))
}
