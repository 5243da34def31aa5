//! How late the kernel may wake a sleeper.

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::planted::Plant;
use crate::signature::Signature;
use crate::switch::{Switch, seen, tried};
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "timer-slack",
    title: "timers that may be late (timer slack, tick)",
    said: include_str!("timer_slack.txt"),
    reaches: &[
        Role::Sleep,
        Role::SwitchAnyCpu,
        Role::ReadClock,
        Role::RealTime,
    ],
    what: "The kernel may wake a sleeping process later than asked, to wake several at once: short sleeps get longer by the slack, and nothing else does.",
    advice: &[
        "Look at /proc/PID/timerslack_ns (50,000 is usual; services and idle applications are given more).",
    ],
    judge,
    switch: Some(&SWITCH),
    plants: &[Plant {
        name: "timers 2 ms late",
        a: &[],
        b: &["timer-slack=2000000"],
    }],
};

const SWITCH: Switch = Switch {
    what: "2 ms of timer slack",
    moves: &["os.sleep{method=nanosleep,us=100}"],
    spares: &["os.null_call", "cpu.arith{type=double}"],
    doses: &[&["timer-slack=500000"]],
    on: &["timer-slack=2000000"],
    took: |off, on| {
        let [off, on] = tried(off, on, "timer slack", |t| t.slack_ns)?;
        seen(on > off, format!("slack: {off} ns off, {on} ns on"))
    },
    ..Switch::INHERITED
};

const SIGNATURE: Signature = Signature {
    must: &[Role::Sleep],
    may: &[],
    spares: &[
        Role::Compute,
        Role::SystemCall,
        Role::SwitchSameCpu,
        Role::SwitchAnyCpu,
        Role::ReadClock,
    ],
    facts: &["process.timer_slack"],
    shown: false,
};

/// Weight of what follows from another cause.
const BY_CLASS: f64 = 0.1;

fn judge(case: &Case<'_>) -> Option<Judgement> {
    let mut judgement = SIGNATURE.judge(case);
    // The kernel takes the slack of a real-time class for none (hrtimer_nanosleep), and gives it back with the class.
    if case.changes(&["scheduler.policy"]).next().is_some() {
        let text = "the scheduling class differs, and its slack with it".to_owned();
        judgement = judgement.with(Speaks::Against, EvidenceKind::Fact, text);
        judgement.verdict = judgement.verdict.max(CauseVerdict::CannotTell);
        judgement.weight = judgement.weight.min(BY_CLASS);
    }
    Some(judgement.then(
        "whether slack does that, switched on and off",
        "whyslow explain {records} --experiment timer-slack",
    ))
}
