//! Scheduling (class, priority, preemption, where wake-ups are placed).

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::signature::Signature;
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "scheduling",
    title: "scheduling (class, priority, preemption, where wake-ups are placed)",
    said: &[
        "sched",
        "preempt",
        "nice",
        "realtime",
        "sched_fifo",
        "sched_idle",
        "cfs",
        "eevdf",
        "bfs",
        "muqss",
        "autogroup",
        "load balanc",
        "avg_idle",
        "wf_sync",
        "wakeup",
        "futex_swap",
        "select_idle",
        "run queue",
        "runqueue",
        "idlest",
        "vruntime",
        "eligib",
        "task placement",
        "energy aware",
        "uclamp",
        "latency_nice",
        "sched-gran",
        "core scheduling",
        // Features below /sys/kernel/debug/sched/features.
        "wa_idle",
        "wa_weight",
        "wa_bias",
        "ttwu_queue",
        "sis_util",
        "sis_prop",
        "sis_core",
        "next_buddy",
        "last_buddy",
        "run_to_parity",
        "place_lag",
        "rt_push_ipi",
        "util_est",
        "chrt",
        "sched_rr",
        "latency-nice",
        "base_slice",
        "granularity",
        "migration_cost",
        "wake_affine",
        "wake affine",
        "idle balanc",
        "load_balanc",
        "load-balanc",
        "newidle",
        "select_task",
        "preempt_rt",
        "lazy preempt",
        "scx_",
        "sched_ext",
        "yield",
        "work-conserving",
        "cache aware",
        "asymmetric",
    ],
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
    Some(SIGNATURE.judge_both_ways(case, &["scheduler.policy"]))
}
