//! Scheduling (class, priority, preemption, where wake-ups are placed).

use std::cmp::Ordering;

use whyslow_model::Record;
use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};
use whyslow_model::role::Role;

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::signature::Signature;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "scheduling",
    title: "scheduling (class, priority, preemption, where wake-ups are placed)",
    said: include_str!("scheduling.txt"),
    reaches: Role::SWITCHING,
    what: "A process of a lower class or priority waits for others, and a scheduler that places or preempts otherwise changes what a switch between processes costs. Work that never gives up its CPU does not follow.",
    advice: &[
        "Compare policy, nice value and the settings below /sys/kernel/debug/sched; run under `chrt --other 0 nice -n 0`.",
    ],
    judge,
    switch: None,
    plants: &[],
};

const SIGNATURE: Signature = Signature {
    must: &[Role::SwitchAnyCpu],
    may: &[
        Role::Sleep,
        Role::SwitchSameCpu,
        Role::SwitchWithData,
        Role::LocalLatency,
        Role::LocalBandwidth,
        Role::Programs,
        Role::SystemTime,
        Role::RealTime,
    ],
    spares: &[Role::Compute, Role::L1, Role::MemoryBandwidth],
    facts: &["scheduler"],
    shown: true,
};

fn judge(case: &Case<'_>) -> Option<Judgement> {
    // A class of its own makes wake-ups sooner and what others run in between later.
    let judgement = SIGNATURE.judge_both_ways(case, &["scheduler.policy"]);
    Some(beside_others(case, judgement))
}

/// Weight where a process of a lower class has others beside it: both were recorded, and whatever runs then may wait.
const YIELDS: f64 = 0.8;

/// What got worse on a side whose own class or priority is the lower one and that had other work beside it is its doing.
fn beside_others(case: &Case<'_>, judgement: Judgement) -> Judgement {
    let (Some([a, b]), Some(lower)) = (case.somebody_came(), lower_side(case)) else {
        return judgement;
    };
    let hit = case.worse_on(lower);
    if (b - a) * lower <= 0.0 || hit.is_empty() {
        return judgement;
    }
    let text = format!(
        "others used {a:.2} CPUs in A and {b:.2} in B, and a process of a lower class or priority waits for them"
    );
    Judgement {
        verdict: CauseVerdict::Consistent,
        weight: judgement.weight.max(YIELDS),
        covers: hit,
        fits: true,
        ..judgement.with(Speaks::For, EvidenceKind::Counter, text)
    }
}

/// 1 where B runs at the lower class or priority, -1 where A does.
fn lower_side(case: &Case<'_>) -> Option<f64> {
    let scheduler = |record: &Record| {
        let scheduler = &record.states.first()?.state.scheduler;
        let idle = scheduler.policy.value()? == "idle";
        Some((idle, *scheduler.nice.value()?))
    };
    let (a, b) = (scheduler(case.a)?, scheduler(case.b)?);
    match b.cmp(&a) {
        Ordering::Greater => Some(1.0),
        Ordering::Less => Some(-1.0),
        Ordering::Equal => None,
    }
}
