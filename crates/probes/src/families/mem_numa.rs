//! Latency and bandwidth between the CPUs of every node and the memory of every node.
#![allow(unsafe_code)]

use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use whyslow_kernels::bandwidth::{GRAIN, Op, shapes};
use whyslow_kernels::chase::{CHASE_UNROLL, chase};
use whyslow_model::record::ValueRule;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::buffer::{Buffer, Pages};
use crate::chain::Chain;
use crate::probe::{
    Bounds, CpuChoice, MemoryNode, Names, Offer, PlanContext, PointPlan, Probe, Stop,
};
use crate::sizes::beyond_caches;
use crate::team::Team;

const PARAMS: &[(&str, &str)] = &[
    ("cpu_node", "the node whose CPUs do the work"),
    ("mem_node", "the node whose memory they use"),
];
const NEEDS: &[&str] = &["more than one node: set_mempolicy (some containers forbid it)"];

/// This family's probes.
pub const PROBES: &[Probe] = &[
    Probe {
        id: "mem.numa_latency",
        title: "node latency",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "Time of a load from the memory of one node by a CPU of another, on an idle host: one cell of the node matrix.",
        how: "A random pointer chase over memory bound to the node, far larger than the caches; page placement is verified.",
        needs: NEEDS,
        params: PARAMS,
        names: Names::NONE,
        roles: Roles::All(Role::Numa),
        // 1 cycle: no cache answers faster.
        bounds: Bounds { fastest: 1.0 },
        usual_marks: &[],
        points: |ctx| points(ctx, "mem.numa_latency"),
        measure: latency,
    },
    Probe {
        id: "mem.numa_bandwidth",
        title: "node bandwidth",
        unit: Unit::GbPerS,
        better: Better::Higher,
        what: "Bytes a second that all CPUs of one node together read from the memory of another: one cell of the node matrix.",
        how: "Every CPU of the node reads its own memory, bound to the other node, with every read shape interleaved; page placement is verified.",
        needs: NEEDS,
        params: PARAMS,
        names: Names::NONE,
        roles: Roles::All(Role::Numa),
        // 1 PB/s: beyond any machine; the port limit is checked apart.
        bounds: Bounds { fastest: 1e6 },
        usual_marks: &[],
        points: |ctx| points(ctx, "mem.numa_bandwidth"),
        measure: bandwidth,
    },
];

/// Suites measure every cell up to this many nodes; on larger hosts only on request.
const FEW_NODES: usize = 8;

fn points(ctx: &PlanContext, id: &str) -> Vec<Offer> {
    // A host that reports no nodes has one.
    let told = ctx.nodes.clone();
    let alone = vec![MemoryNode {
        node: 0,
        cpus: ctx.cpus.clone(),
        bytes: None,
    }];
    let nodes = if told.is_empty() { alone } else { told };
    let mut offers = Vec::new();
    for from in nodes.iter().filter(|n| !n.cpus.is_empty()) {
        for to in &nodes {
            let point = Point::new(id)
                .with("cpu_node", from.node)
                .with("mem_node", to.node);
            let (threads, cpus) = match id {
                "mem.numa_latency" => (
                    1,
                    CpuChoice::Pair(from.cpus.iter().map(|&c| [c, c]).collect()),
                ),
                _ => (from.cpus.len() as u64, CpuChoice::All),
            };
            // A quarter of the node, so that the kernel can allocate there without reclaim.
            let most = to.bytes.unwrap_or(u64::MAX) / 4 / threads;
            offers.push(match beyond_caches(ctx, threads) {
                Some(bytes) => Offer::Point(PointPlan {
                    size_bytes: Some(bytes.min(most) / GRAIN as u64 * GRAIN as u64),
                    cpus,
                    draws: 1,
                    samples: 3,
                    value: if id == "mem.numa_latency" {
                        ValueRule::Single
                    } else {
                        ValueRule::Best
                    },
                    extra: true,
                    suites: if nodes.len() <= FEW_NODES {
                        &["smp"]
                    } else {
                        &[]
                    },
                    ..PointPlan::new(point)
                }),
                None => (
                    point.to_string(),
                    "the allowed memory is less than twice the caches".to_owned(),
                )
                    .into(),
            });
        }
    }
    if offers.is_empty() {
        offers.push((id.to_owned(), "no usable CPU belongs to a node".to_owned()).into());
    }
    offers
}

fn node(bench: &Bench, name: &str) -> Result<u32, Stop> {
    let text = bench.param(name)?;
    text.parse()
        .map_err(|_| Stop::Unavailable(format!("{name}={text} is not a number")))
}

fn latency(bench: &mut Bench) -> Result<(), Stop> {
    let (bytes, line) = (bench.size()?, bench.job.line_bytes as usize);
    let to = node(bench, "mem_node")?;
    for _ in 0..bench.job.draws {
        let chain = Chain::random(on_node(bytes, to)?, line, &mut bench.rng)?;
        let mut at = chain.start();
        bench.draw(&mut [Variant::new("", CHASE_UNROLL as f64, |n| {
            // SAFETY: a location in the chain, which lives until the end of the iteration.
            at = unsafe { chase(at, n * CHASE_UNROLL) };
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}

fn bandwidth(bench: &mut Bench) -> Result<(), Stop> {
    let (from, to) = (node(bench, "cpu_node")?, node(bench, "mem_node")?);
    let bytes = bench.size()? / GRAIN * GRAIN;
    let mut cpus = bench.job.randomization.cpus.clone();
    if nodes() > 1 {
        // The kernel links a node's CPUs into its directory.
        cpus.retain(|cpu| Path::new(&format!("{NODES}/node{from}/cpu{cpu}")).exists());
    }
    if cpus.is_empty() {
        return Err(Stop::Unavailable(format!("node {from} has no usable CPU")));
    }
    let team = Rc::new(Team::on(&cpus)?);
    bench.threads = team.len();
    let everyone: Vec<usize> = (0..team.len()).collect();
    for _ in 0..bench.job.draws {
        let memory = Arc::new(team.gather(move |_| on_node(bytes, to))?);
        let variants = shapes(Op::Read).into_iter().map(|shape| {
            let (memory, team, everyone) = (memory.clone(), team.clone(), &everyone);
            let mut variant =
                Variant::new(shape.name, (bytes * team.len()) as f64, move |passes| {
                    let memory = memory.clone();
                    let (ns, marks) = team.run(everyone, move |me| {
                        let none = std::ptr::null_mut();
                        // SAFETY: the memory holds `bytes` bytes, was written and is used by one thread.
                        std::hint::black_box(unsafe {
                            shape.run(none, memory[me].start(), bytes, passes, 0)
                        });
                    })?;
                    Ok(Timed::Inside { ns, marks })
                });
            variant.bytes_per_cycle = shape.bytes_per_cycle_limit();
            variant
        });
        bench.draw(&mut variants.collect::<Vec<_>>())?;
    }
    Ok(())
}

/// The kernel's node directory.
const NODES: &str = "/sys/devices/system/node";

/// The number of nodes; 1 if the kernel reports none.
fn nodes() -> usize {
    let is_node = |name: &str| {
        name.strip_prefix("node")
            .is_some_and(|n| n.parse::<u32>().is_ok())
    };
    let found = fs::read_dir(NODES).into_iter().flatten().flatten();
    found
        .filter(|e| e.file_name().to_str().is_some_and(is_node))
        .count()
        .max(1)
}

/// Written memory on node `to`.
fn on_node(bytes: usize, to: u32) -> Result<Buffer, Stop> {
    if nodes() == 1 {
        return Buffer::new(bytes, Pages::Small, 0);
    }
    policy(libc::MPOL_BIND, Some(to))?;
    let buffer = Buffer::new(bytes, Pages::Small, 0);
    policy(libc::MPOL_DEFAULT, None)?;
    let buffer = buffer?;
    for part in 0..4 {
        let place = buffer.start().wrapping_add(bytes / 4 * part);
        let is = node_of(place.addr())?;
        if is != to {
            return Err(Stop::Unavailable(format!(
                "memory bound to node {to} is on node {is}"
            )));
        }
    }
    Ok(buffer)
}

/// Bits in a mask of nodes: the kernel's own limit.
const MOST_NODES: usize = 1024;

/// Sets this thread's memory policy: pages it first touches from now on are allocated on `node`.
fn policy(mode: libc::c_int, node: Option<u32>) -> Result<(), Stop> {
    let mut mask = [0_u64; MOST_NODES / 64];
    if let Some(node) = node {
        let word = mask.get_mut(node as usize / 64);
        *word.ok_or_else(|| {
            Stop::Unavailable(format!("node {node} is beyond the kernel's limit"))
        })? |= 1 << (node % 64);
    }
    let (pointer, bits) = match node {
        // One more than there are: the kernel subtracts one.
        Some(_) => (mask.as_ptr(), MOST_NODES + 1),
        None => (std::ptr::null(), 0),
    };
    // SAFETY: the mask has the stated number of bits, and the kernel only reads it.
    match unsafe { libc::syscall(libc::SYS_set_mempolicy, mode, pointer, bits) } {
        0 => Ok(()),
        _ => Err(Stop::unavailable(
            "binding memory to a node (set_mempolicy; containers need CAP_SYS_NICE for it)",
            std::io::Error::last_os_error(),
        )),
    }
}

/// The node of the page at this address.
fn node_of(address: usize) -> Result<u32, Stop> {
    /// MPOL_F_NODE and MPOL_F_ADDR: return the node of an address.
    const NODE_OF_ADDRESS: libc::c_int = 1 | 2;
    let mut node: libc::c_int = -1;
    let none = std::ptr::null::<u64>();
    // SAFETY: the kernel writes one integer to `node`; there is no mask.
    let done = unsafe {
        libc::syscall(
            libc::SYS_get_mempolicy,
            &raw mut node,
            none,
            0_usize,
            address,
            NODE_OF_ADDRESS,
        )
    };
    match (done, u32::try_from(node)) {
        (0, Ok(node)) => Ok(node),
        _ => Err(Stop::unavailable(
            "the node of a page (get_mempolicy)",
            std::io::Error::last_os_error(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Binding to node 0, which every host has, places pages there, and can be ended.
    #[test]
    fn bound_memory_lies_where_it_was_bound() {
        match policy(libc::MPOL_BIND, Some(0)) {
            Ok(()) => {}
            // A container may forbid it, and a kernel may lack it: then there is nothing to test.
            Err(why) => return assert!(why.to_string().contains("set_mempolicy"), "{why}"),
        }
        let buffer = Buffer::new(1 << 16, Pages::Small, 0).unwrap();
        policy(libc::MPOL_DEFAULT, None).unwrap();
        assert_eq!(node_of(buffer.start().addr()).unwrap(), 0);
    }

    #[test]
    fn a_node_that_is_not_there_is_refused() {
        assert!(policy(libc::MPOL_BIND, Some(MOST_NODES as u32)).is_err());
        assert!(policy(libc::MPOL_BIND, Some(MOST_NODES as u32 - 1)).is_err());
    }
}
