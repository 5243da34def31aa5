//! Waking a process on another CPU: interrupts between CPUs, leaving idle, lines that travel.

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::planted::Plant;
use crate::signature::Signature;
use crate::switch::{Switch, seen, unseen};
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "cross-cpu-wakeup",
    title: "waking up across CPUs (interrupt, idle exit, lines that travel)",
    said: include_str!("cross_cpu_wakeup.txt"),
    reaches: Role::SWITCHING,
    what: "Waking a process on another CPU sends an interrupt, waits for the CPU to leave its sleep and moves cache lines; on one CPU none of it is needed.",
    advice: &[
        "Pin processes that talk to each other to one CPU or one cache; forbid deep sleep (idle=poll, cpu_dma_latency) where latency counts.",
    ],
    judge,
    switch: Some(&SWITCH),
    plants: &[Plant {
        name: "left to the scheduler, against one CPU",
        a: &["cpus=first"],
        b: &["nothing"],
    }],
};

const SWITCH: Switch = Switch {
    what: "the two processes free, or pinned to one CPU by an affinity mask around them",
    moves: &["ctx.ring{procs=2,size=0,cpus=free}", "ipc.pipe{cpus=free}"],
    reference_points: &[
        "ctx.ring{procs=2,size=0,cpus=same-cpu}",
        "ipc.pipe{cpus=same-cpu}",
    ],
    spares: &["os.null_call", "cpu.arith{type=double}"],
    off: &["cpus=first"],
    on: &["nothing"],
    // The reference then runs on the CPU that the mask around the others leaves.
    first_cpu: true,
    took: |off, on| {
        let usable = |s: &whyslow_model::experiment::Sensed| {
            Some(s.state.cpus.usable.value()?.as_slice().len())
        };
        let (Some(off), Some(on)) = (usable(off), usable(on)) else {
            return Err(unseen("which CPUs may be used is not shown"));
        };
        seen(
            off == 1 && on > 1,
            format!("usable CPUs: {off} off, {on} on"),
        )
    },
    ..Switch::INHERITED
};

const SIGNATURE: Signature = Signature {
    must: &[Role::SwitchAnyCpu],
    may: &[
        Role::LocalLatency,
        Role::Sleep,
        Role::Programs,
        Role::LocalBandwidth,
    ],
    spares: &[
        Role::SwitchSameCpu,
        Role::Compute,
        Role::MemoryBandwidth,
        Role::SystemCall,
    ],
    facts: &[
        "cpus.",
        "frequency.idle",
        "scheduler.features",
        "scheduler.settings",
        "scheduler.sched_ext",
        "scheduler.preemption",
        "cgroup.cpuset",
        "kernel.command_line",
    ],
    shown: false,
};

/// Weight where the scheduler alone has placed processes otherwise: it is the mechanism, and nothing made it so.
const CHANCE: f64 = 0.2;

fn judge(case: &Case<'_>) -> Option<Judgement> {
    let mut judgement = SIGNATURE.judge(case);
    if judgement.fits && case.placed_by_chance() > 0 {
        judgement = judgement.with(
            Speaks::Neither,
            EvidenceKind::Fact,
            "nothing that places processes has changed: the scheduler may have put them elsewhere by chance".into(),
        );
        judgement.verdict = CauseVerdict::CannotTell;
        judgement.weight = CHANCE;
        judgement.covers.clear();
    }
    Some(
        judgement
            .then(
                "whether it is switching as such or waking up on another CPU; on both hosts",
                "whyslow run --only 'ctx.ring*,ipc.pipe*'",
            )
            .then(
                "whether it is waking up across CPUs: pinned against free",
                "whyslow explain {records} --experiment cross-cpu-wakeup",
            ),
    )
}
