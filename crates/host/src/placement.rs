//! Placement classes of pairs of CPUs.

use whyslow_model::host::{CpuSet, Placement, Topology};

/// Relative placement of two CPUs.
///
/// [`Placement::CrossCpu`] stands for two CPUs of which the host does not say
/// enough; nothing is guessed.
pub fn of(topology: &Topology, a: u32, b: u32) -> Placement {
    if a == b {
        return Placement::SameCpu;
    }
    let (Some(a), Some(b)) = (topology.cpu(a), topology.cpu(b)) else {
        return Placement::CrossCpu;
    };
    if a.smt
        .value()
        .is_some_and(|siblings| siblings.contains(b.cpu))
    {
        return Placement::Smt;
    }
    let nodes = a.node.value().zip(b.node.value());
    let llcs = a.llc.value().zip(b.llc.value());
    match (nodes, llcs) {
        // The node comes first: where one cache spans two nodes, memory still
        // does not.
        (Some((a, b)), _) if a != b => Placement::CrossNode,
        (_, Some((a, b))) if a == b => Placement::SameLlc,
        // Different caches on nodes that are not known: a kernel without nodes
        // has one, unless there are several packages.
        (None, Some(_)) => match a.package.value().zip(b.package.value()) {
            Some((a, b)) if a == b => Placement::CrossLlc,
            _ => Placement::CrossCpu,
        },
        (Some(_), Some(_)) => Placement::CrossLlc,
        (_, None) => Placement::CrossCpu,
    }
}

/// The classes that these CPUs have, nearest first.
pub fn classes(topology: &Topology, cpus: &CpuSet) -> Vec<Placement> {
    Placement::ALL
        .into_iter()
        .filter(|&class| pairs(topology, cpus, class).next().is_some())
        .collect()
}

/// Every pair of one class among these CPUs, the lower CPU first; `same-cpu`
/// gives each CPU with itself. Made as it is asked for: a host of 512 CPUs has
/// 130,816 pairs of different ones.
pub fn pairs<'a>(
    topology: &'a Topology,
    cpus: &'a CpuSet,
    class: Placement,
) -> impl Iterator<Item = (u32, u32)> + 'a {
    let is_same = class == Placement::SameCpu;
    cpus.as_slice()
        .iter()
        .enumerate()
        .flat_map(move |(index, &a)| {
            let (first, last) = if is_same {
                (index, index + 1)
            } else {
                (index + 1, cpus.len())
            };
            let others = cpus.as_slice().get(first..last).unwrap_or_default();
            others.iter().map(move |&b| (a, b))
        })
        .filter(move |&(a, b)| of(topology, a, b) == class)
}
