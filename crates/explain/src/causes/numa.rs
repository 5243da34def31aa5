//! Distance of memory nodes.

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::signature::Signature;
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "numa",
    title: "the distance of memory (NUMA)",
    said: &[
        "topology.nodes",
        "numa",
        "remote node",
        "local node",
        "zone_reclaim",
        "numactl",
        "socket",
        "cgroup.memory_nodes",
        "memory.numa_balancing",
        "memory.zone_reclaim",
    ],
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

fn judge(case: &Case<'_>) -> Option<Judgement> {
    Some(SIGNATURE.judge(case).then(
        "which node is how far; on both hosts",
        "whyslow run --only 'mem.numa*'",
    ))
}
