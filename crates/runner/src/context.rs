//! From what is known of the host to what probes need to plan.

use std::collections::BTreeMap;

use whyslow_model::host::{CacheKind, Host, Placement};
use whyslow_model::state::State;
use whyslow_probes::{CacheLevel, HugePages, Intensity, MemoryNode, PlacementClass, PlanContext};

/// Where a host does not tell: the line of every x86 and nearly every Arm server core.
const USUAL_LINE: u32 = 64;

/// Where a host does not tell how much memory may be used: enough for every cache there is, little
/// enough for any machine.
const MODEST_MEMORY: u64 = 64 << 20;

/// More page colors than any second-level cache has; a claim beyond it is nonsense.
const MOST_COLORS: u32 = 1024;

/// Most CPUs whose pairs are all listed by class; beyond, the pairs with a random few of them would
/// be as good, and all of them (a million at 1,500 CPUs) of no use.
const MOST_CPUS_PAIRED: usize = 128;

/// What probes may know of the host.
pub(crate) fn context(host: &Host, state: &State, intensity: Intensity) -> PlanContext {
    let cpus: Vec<u32> = match state.cpus.usable.value() {
        Some(cpus) if !cpus.is_empty() => cpus.as_slice().to_vec(),
        // Without an affinity mask nothing can be pinned; the one CPU that surely exists is 0.
        _ => vec![0],
    };
    let caches = host.caches.value().map_or(&[][..], Vec::as_slice);
    let data: Vec<_> = caches
        .iter()
        .filter(|c| c.kind != CacheKind::Instruction)
        .collect();
    let mut levels: BTreeMap<u32, CacheLevel> = BTreeMap::new();
    for cache in &data {
        let sets = cache.shared.value().into_iter().flatten();
        let most = sets
            .map(|set| set.iter().filter(|c| cpus.contains(c)).count() as u32)
            .max();
        let entry = levels.entry(cache.level).or_insert(CacheLevel {
            bytes: None,
            sharing: 0,
        });
        entry.sharing = most.unwrap_or(1).max(entry.sharing);
        entry.bytes = entry.bytes.max(cache.size_bytes.value().copied());
    }
    let llcs = host.topology.llcs.value().map_or(1, |llcs| {
        llcs.iter()
            .filter(|set| set.iter().any(|c| cpus.contains(&c)))
            .count()
    });
    let colors = data.iter().find(|c| c.level == 2).and_then(|c| {
        let bytes_a_way = u64::from(*c.sets.value()?) * u64::from(*c.line_bytes.value()?);
        u32::try_from(bytes_a_way / rustix::param::page_size() as u64).ok()
    });
    let line = data.iter().find_map(|c| c.line_bytes.value().copied());
    PlanContext {
        intensity,
        placements: placements(host, &cpus),
        nodes: nodes(host, &cpus),
        cpus,
        line_bytes: line
            .filter(|l| l.is_power_of_two() && *l >= 16)
            .unwrap_or(USUAL_LINE),
        llc_bytes: data
            .iter()
            .filter_map(|c| c.size_bytes.value().copied())
            .max()
            .unwrap_or(0),
        colors: colors.filter(|c| (2..=MOST_COLORS).contains(c)),
        llcs: llcs as u32,
        caches: levels.into_values().collect(),
        memory_bytes: state
            .now
            .memory_budget_bytes
            .value()
            .copied()
            .unwrap_or(MODEST_MEMORY),
        sized_by: None,
        beyond_bytes: None,
        thp: thp(state).map_err(|why| why.to_string()),
        hugetlb: hugetlb(state).map_err(|why| why.to_string()),
    }
}

/// The host's memory nodes with memory, and the usable CPUs of each.
fn nodes(host: &Host, cpus: &[u32]) -> Vec<MemoryNode> {
    let nodes = host.topology.nodes.value().map_or(&[][..], Vec::as_slice);
    let with_memory = nodes.iter().filter(|n| n.memory_bytes.value() != Some(&0));
    with_memory
        .map(|node| MemoryNode {
            node: node.node,
            cpus: cpus
                .iter()
                .copied()
                .filter(|&cpu| node.cpus.value().is_some_and(|set| set.contains(cpu)))
                .collect(),
            bytes: node.memory_bytes.value().copied(),
        })
        .collect()
}

/// Pairs of usable CPUs by class, nearest class first; without the class of one CPU with itself.
fn placements(host: &Host, cpus: &[u32]) -> Vec<PlacementClass> {
    let mut classes: BTreeMap<Placement, Vec<[u32; 2]>> = BTreeMap::new();
    let cpus = &cpus[..cpus.len().min(MOST_CPUS_PAIRED)];
    for (i, &a) in cpus.iter().enumerate() {
        for &b in &cpus[i + 1..] {
            classes
                .entry(whyslow_host::placement::of(&host.topology, a, b))
                .or_default()
                .push([a, b]);
        }
    }
    classes
        .into_iter()
        .map(|(class, pairs)| PlacementClass {
            name: class.to_string(),
            pairs,
        })
        .collect()
}

/// Why a host has no huge pages.
#[derive(Debug, thiserror::Error)]
enum NoHugePages {
    #[error(
        "transparent huge pages are off (/sys/kernel/mm/transparent_hugepage/enabled is never)"
    )]
    Off,
    #[error("whether there are transparent huge pages is not known ({0})")]
    Unknown(String),
    #[error("the pools of huge pages are not known ({0})")]
    PoolsUnknown(String),
    #[error("no explicit huge pages are free (vm.nr_hugepages is 0 or they are in use)")]
    InUse,
}

/// What is said where a fact gives no reason for its absence.
fn reason(why: Option<&str>) -> String {
    why.unwrap_or("no reason given").to_owned()
}

fn thp(state: &State) -> Result<(), NoHugePages> {
    let enabled = &state.memory.thp.enabled;
    match enabled.value().map(String::as_str) {
        Some("never") => Err(NoHugePages::Off),
        Some(_) => Ok(()),
        None => Err(NoHugePages::Unknown(reason(enabled.why()))),
    }
}

fn hugetlb(state: &State) -> Result<HugePages, NoHugePages> {
    let pools = &state.memory.hugetlb;
    let Some(found) = pools.value() else {
        return Err(NoHugePages::PoolsUnknown(reason(pools.why())));
    };
    let with_free = found.iter().find_map(|pool| {
        let free = *pool.free.value()?;
        (free >= 2).then_some(HugePages {
            page_bytes: pool.page_bytes,
            free,
        })
    });
    with_free.ok_or(NoHugePages::InUse)
}
