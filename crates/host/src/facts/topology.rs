//! CPU topology: packages, cores, threads, last-level caches, memory nodes.

use std::collections::BTreeMap;

use whyslow_model::host::{Cache, CpuSet, Known, LogicalCpu, Node, Topology};

use super::cache::{last_level, llc_apic_bits};
use crate::parse::{Keyed, Processor, processors};
use crate::root::HostRoot;

/// From sysfs; without it, from `/proc/cpuinfo`, and the last-level caches from
/// CPUID and the APIC numbers there.
pub(super) fn topology(root: &HostRoot, caches: &Known<Vec<Cache>>) -> Topology {
    let nodes = nodes(root);
    let sysfs = root.cpus("/sys/devices/system/cpu/online");
    let (source, rows, llcs) = match sysfs {
        Known::Is(online) => (
            Known::Is("sysfs".to_owned()),
            Known::Is(by_sysfs(root, &online)),
            caches.as_ref().and_then(|caches| last_level(caches)),
        ),
        Known::Unknown(unknown) => by_cpuinfo(root, &unknown.unknown),
    };
    let mut rows = rows;
    if let Known::Is(rows) = &mut rows {
        for row in rows {
            row.llc = index_of(&llcs, row.cpu);
            row.node = node_of(&nodes, row.cpu);
        }
    }
    let online = root.cpus("/sys/devices/system/cpu/online");
    Topology {
        source,
        present: root.cpus("/sys/devices/system/cpu/present"),
        online: online.or_else(|| {
            rows.as_ref()
                .map(|rows| rows.iter().map(|row| row.cpu).collect())
        }),
        packages: rows.as_ref().and_then(|rows| packages(rows)),
        llcs,
        nodes,
        threads_per_core: rows.as_ref().and_then(|rows| threads_per_core(rows)),
        cpus: rows,
    }
}

fn by_sysfs(root: &HostRoot, online: &CpuSet) -> Vec<LogicalCpu> {
    let row = |cpu| {
        let path = |name: &str| format!("/sys/devices/system/cpu/cpu{cpu}/{name}");
        // Firmware that does not know gives -1, which is no number here.
        let number = |name: &str| root.value::<u32>(&path(name));
        LogicalCpu {
            cpu,
            package: number("topology/physical_package_id"),
            core: number("topology/core_id"),
            smt: root
                .cpus(&path("topology/thread_siblings_list"))
                .and_then(|smt| {
                    if smt.contains(cpu) {
                        Known::Is(smt)
                    } else {
                        Known::unknown(format!("the siblings of CPU {cpu} are without it"))
                    }
                }),
            llc: Known::unknown(""),
            node: Known::unknown(""),
            capacity: number("cpu_capacity"),
        }
    };
    online.iter().map(row).collect()
}

type Rows = (Known<String>, Known<Vec<LogicalCpu>>, Known<Vec<CpuSet>>);

fn by_cpuinfo(root: &HostRoot, why: &str) -> Rows {
    let text = root.text("/proc/cpuinfo");
    let found = text.as_ref().map(|text| processors(text)).into_value();
    let Some(found) = found.filter(|found| !found.is_empty()) else {
        return (
            Known::unknown(why),
            Known::unknown(why),
            Known::unknown(why),
        );
    };
    let llcs = llcs_by_apic(root, &found);
    let source = if llcs.is_known() {
        "cpuinfo and CPUID"
    } else {
        "cpuinfo"
    };
    let core = |processor: &Processor<'_>| {
        let package: Option<u32> = processor.value("physical id").into_value();
        let core: Option<u32> = processor.value("core id").into_value();
        package.zip(core)
    };
    let row = |processor: &Processor<'_>| {
        let is_sibling = |other: &&Processor<'_>| core(other) == core(processor);
        LogicalCpu {
            cpu: processor.cpu,
            package: processor.value("physical id"),
            core: processor.value("core id"),
            smt: if core(processor).is_some() {
                Known::Is(
                    found
                        .iter()
                        .filter(is_sibling)
                        .map(|other| other.cpu)
                        .collect(),
                )
            } else {
                Known::unknown(why)
            },
            llc: Known::unknown(""),
            node: Known::unknown(""),
            capacity: Known::unknown(why),
        }
    };
    let mut rows: Vec<LogicalCpu> = found.iter().map(row).collect();
    rows.sort_by_key(|row| row.cpu);
    rows.dedup_by_key(|row| row.cpu);
    (Known::Is(source.into()), Known::Is(rows), llcs)
}

/// CPUs whose APIC numbers differ only in the bits below a last-level cache.
fn llcs_by_apic(root: &HostRoot, found: &[Processor<'_>]) -> Known<Vec<CpuSet>> {
    let bits = super::cpu::leaf(&root.calls().cpuid, llc_apic_bits);
    bits.and_then(|bits| {
        let mut caches: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for processor in found {
            match processor.value::<u32>("apicid") {
                Known::Is(apic) => caches
                    .entry(apic.checked_shr(bits).unwrap_or(0))
                    .or_default()
                    .push(processor.cpu),
                Known::Unknown(unknown) => return Known::Unknown(unknown),
            }
        }
        Known::Is(caches.into_values().map(CpuSet::from_iter).collect())
    })
}

fn index_of(llcs: &Known<Vec<CpuSet>>, cpu: u32) -> Known<u32> {
    llcs.as_ref().and_then(|llcs| {
        (0..)
            .zip(llcs)
            .find(|(_, cpus)| cpus.contains(cpu))
            .map_or_else(
                || Known::unknown("no cache says that this CPU shares it"),
                |(index, _)| Known::Is(index),
            )
    })
}

fn node_of(nodes: &Known<Vec<Node>>, cpu: u32) -> Known<u32> {
    nodes.as_ref().and_then(|nodes| {
        nodes
            .iter()
            .find(|node| node.cpus.value().is_some_and(|cpus| cpus.contains(cpu)))
            .map_or_else(
                || Known::unknown("no memory node names this CPU"),
                |node| Known::Is(node.node),
            )
    })
}

fn packages(rows: &[LogicalCpu]) -> Known<Vec<CpuSet>> {
    let mut packages: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for row in rows {
        match &row.package {
            Known::Is(package) => packages.entry(*package).or_default().push(row.cpu),
            Known::Unknown(unknown) => return Known::Unknown(unknown.clone()),
        }
    }
    Known::Is(packages.into_values().map(CpuSet::from_iter).collect())
}

fn threads_per_core(rows: &[LogicalCpu]) -> Known<u32> {
    rows.iter()
        .map(|row| row.smt.as_ref().map(CpuSet::len))
        .reduce(|most, next| most.and_then(|most| next.map(|next| most.max(next))))
        .unwrap_or_else(|| Known::unknown("no CPU"))
        .map(|most| u32::try_from(most).unwrap_or(u32::MAX))
}

fn nodes(root: &HostRoot) -> Known<Vec<Node>> {
    let folder = "/sys/devices/system/node";
    let node = |node: u32| {
        let path = |name: &str| format!("{folder}/node{node}/{name}");
        let (meminfo, distance) = (path("meminfo"), path("distance"));
        // The lines of a node's file begin with its name: "Node 0 MemTotal: ...".
        let memory = root
            .text(&meminfo)
            .map(|text| text.replace(&format!("Node {node} "), ""));
        Node {
            node,
            cpus: root.cpus(&path("cpulist")),
            memory_bytes: Keyed::new(&meminfo, memory).bytes("MemTotal"),
            distances: root.line(&distance).and_then(|text| {
                text.split_whitespace()
                    .map(|number| number.parse().ok())
                    .collect::<Option<_>>()
                    .map_or_else(
                        || Known::unknown(crate::root::not_understood(&distance, &text)),
                        Known::Is,
                    )
            }),
        }
    };
    match root.numbered(folder, "node") {
        Err(why) => Known::unknown(why),
        Ok(found) if found.is_empty() => Known::unknown(format!("no node in {folder}")),
        Ok(found) => Known::Is(found.into_iter().map(node).collect()),
    }
}
