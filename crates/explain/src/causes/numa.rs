//! Distance of memory nodes.

use whyslow_model::explanation::{EvidenceKind, Speaks};

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::signature::Signature;
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "numa",
    title: "the distance of memory (NUMA)",
    said: include_str!("numa.txt"),
    reaches: Role::MEMORY,
    what: "Memory of another node is further away: latency grows and bandwidth falls, by the measured distance of the nodes.",
    advice: &[
        "Bind the work to the node of its memory (numactl --cpunodebind --membind), and look at numa_balancing.",
    ],
    judge,
    switch: None,
    plants: &[],
};

const SIGNATURE: Signature = Signature {
    must: &[Role::Numa],
    may: &[Role::MemoryLatency, Role::MemoryBandwidth],
    spares: &[Role::Compute, Role::L1, Role::L2],
    facts: &[
        "topology.nodes",
        "cgroup.memory_nodes",
        "memory.numa_balancing",
        "memory.zone_reclaim",
    ],
    shown: false,
};

/// Memory that is this much slower, as a logarithm of 1.2, could be that of another node.
const FARTHER: f64 = 0.18;

/// Weight where memory alone is slower and no node was measured: below memory itself.
const COULD_BE: f64 = 0.3;

fn judge(case: &Case<'_>) -> Option<Judgement> {
    let mut judgement = SIGNATURE.judge(case);
    let memory = case.group(&[Role::MemoryLatency]);
    let farther = memory.is_some_and(|g| g.moved > 0 && g.worse.abs() >= FARTHER);
    let caches = case.group(&[Role::L1, Role::L2]);
    let caches_same = caches.is_some_and(|g| g.moved * 4 <= g.points);
    if case.group(&[Role::Numa]).is_none() && farther && caches_same && !case.one_boot() {
        let text = "memory alone is farther away, the caches are the same";
        judgement = judgement.with(Speaks::For, EvidenceKind::Curve, text.to_owned());
        judgement.weight = judgement.weight.max(COULD_BE);
        judgement.fits = true;
        judgement.covers = vec![(Role::MemoryLatency, None), (Role::Llc, None)];
    }
    Some(judgement.then(
        "which node is how far; on both hosts",
        "whyslow run --only 'mem.numa*'",
    ))
}
