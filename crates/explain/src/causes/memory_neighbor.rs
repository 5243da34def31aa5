//! Other work on the memory system.

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::planted::Plant;
use crate::signature::Signature;
use crate::switch::{Switch, seen, tried};
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "memory-neighbor",
    title: "a neighbor on the memory system",
    said: include_str!("memory_neighbor.txt"),
    reaches: Role::MEMORY_AND_CACHES,
    what: "Work on other CPUs fills the shared cache and the memory bus: memory and the last cache get slower, arithmetic and nearby caches do not.",
    advice: &["Move it to another node, partition the cache (resctrl), or limit its bandwidth."],
    judge,
    switch: Some(&SWITCH),
    plants: &[Plant {
        name: "memory copied on the other CPUs",
        a: &["memory-neighbor=sleep"],
        b: &["memory-neighbor=stream"],
    }],
};

const SWITCH: Switch = Switch {
    what: "a process that copies memory on every other CPU",
    moves: &[
        "mem.bandwidth{op=read,size=256MiB,cpus=1}",
        "mem.latency{size=256MiB,order=random,pages=4k}",
    ],
    spares: &[
        "cpu.arith{type=double}",
        "mem.latency{size=16KiB,order=random,pages=4k}",
    ],
    off: &["memory-neighbor=sleep"],
    on: &["memory-neighbor=stream"],
    first_cpu: true,
    took: |off, on| {
        let [off, on] = tried(off, on, "CPUs used by others", |t| t.others_cpus)?;
        seen(
            on >= off + 0.5,
            format!("others used {off:.2} CPUs off, {on:.2} on"),
        )
    },
    ..Switch::INHERITED
};

const SIGNATURE: Signature = Signature {
    must: &[Role::MemoryBandwidth],
    may: &[
        Role::MemoryLatency,
        Role::Llc,
        Role::ScalingMemory,
        Role::MemoryRoutines,
        Role::Numa,
    ],
    spares: &[
        Role::Compute,
        Role::L1,
        Role::SystemCall,
        Role::SwitchSameCpu,
    ],
    facts: &[],
    shown: false,
};

/// Others that use this much more of the CPUs have come: a tenth of a CPU is more than a quiet host
/// varies by.
const CAME: f64 = 0.1;

/// Others that use this much more of the CPUs are a neighbor for all of the time that memory is measured on one of two.
const FULL: f64 = 0.5;

/// What a neighbor adds that is there all the time.
const SEEN: f64 = 0.35;

/// Weight of a neighbor that was seen where no effect was: above causes that were not seen either, and below other work on
/// the same CPUs that batches waited for.
const OPEN: f64 = 0.21;

/// Part of the weight of a neighbor that no record could have seen.
const UNSEEN: f64 = 0.5;

fn judge(case: &Case<'_>) -> Option<Judgement> {
    let memory = [Role::MemoryBandwidth, Role::MemoryLatency, Role::Llc];
    case.group(&memory)?;
    // One of the two is enough: what a neighbor takes most of, room or bandwidth, depends on the neighbor.
    let moved = |role| case.group(&[role]).is_some_and(|g| g.moved > 0);
    let must: &[Role] = match (moved(Role::MemoryLatency), moved(Role::MemoryBandwidth)) {
        (true, false) => &[Role::MemoryLatency],
        _ => SIGNATURE.must,
    };
    let mut judgement = Signature { must, ..SIGNATURE }.judge(case);
    if case.others_cpus().is_none() && judgement.verdict == CauseVerdict::CannotTell {
        // Nothing says that there was one, and memory itself leaves the same rows.
        judgement.weight *= UNSEEN;
    }
    if let Some([a, b]) = case.others_cpus() {
        let worse = case.group(&memory).map_or(0.0, |g| g.worse);
        // The side with the busier neighbors is the slower one.
        let came = (b - a).abs() >= CAME && (b - a) * worse > 0.0;
        // Other work came, and whether it slowed memory is not shown, so not excluded either.
        let moved = case.group(&memory).is_some_and(|g| g.moved > 0);
        let open = case.somebody_came().is_some() && !moved;
        let speaks = if came || open {
            Speaks::For
        } else {
            Speaks::Against
        };
        let text = format!("others used {a:.2} CPUs in A and {b:.2} in B");
        judgement = judgement.with(speaks, EvidenceKind::Counter, text);
        if open {
            judgement.verdict = CauseVerdict::CannotTell;
            judgement.weight = judgement.weight.max(OPEN);
        } else if judgement.verdict == CauseVerdict::Consistent {
            if came {
                let seen = SEEN * ((b - a).abs() / FULL).min(1.0);
                judgement.weight = (judgement.weight + seen).min(1.0);
            } else {
                // A neighbor beyond the hypervisor does not show here.
                judgement.weight *= 0.8;
            }
        }
    }
    Some(judgement.then(
        "whether a neighbor on memory is it",
        "whyslow explain {records} --experiment memory-neighbor",
    ))
}
