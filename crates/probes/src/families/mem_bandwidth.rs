//! Bandwidth by level, operation and number of CPUs, with every shape that the CPU has.
#![allow(unsafe_code)]

use std::rc::Rc;
use std::sync::Arc;

use whyslow_kernels::bandwidth::{GRAIN, Op, Shape, shapes};
use whyslow_model::record::ValueRule;
use whyslow_model::{Better, Point, Unit, size};

use crate::bench::{Bench, Timed, Variant};
use crate::buffer::{Buffer, Pages};
use crate::guard;
use crate::handover::{Flag, label};
use crate::probe::{Bounds, CpuChoice, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::team::Team;

/// This family's probes.
pub const PROBES: &[Probe] = &[Probe {
    id: "mem.bandwidth",
    title: "bandwidth",
    unit: Unit::GbPerS,
    better: Better::Higher,
    what: "Bytes a second that pinned CPUs read, write or copy in a working set of a given size each; a copy counts bytes read plus bytes written, write-allocate traffic is never counted.",
    how: "Every shape that the CPU has (64 to 512 bits, non-temporal, string instructions) side by side on the same pages; the best shape is the value, all are kept.",
    needs: &["cpus=all: two CPUs"],
    params: &[
        ("op", "read, write or copy; a copy's working set is half source, half destination"),
        ("level", "the level as measured in this run; its size is in the record"),
        ("size", "bytes in the working set of each CPU, in place of level"),
        ("cpus", "1, or all, each with memory of its own"),
    ],
    names: Names {
        lmbench: &["bw_mem", "Bcopy (libc)", "Bcopy (hand)", "Mem read", "Mem write"],
        byte: &[],
        ramspeed: &["INTEGER & READING", "INTEGER & WRITING", "SSE & READING", "SSE & WRITING"],
    },
    causes: &["page-placement", "memory-bus", "topology", "neighbours", "clock"],
    // 1 MB/s: slower than any memory of this century. The ceiling is the port limit, checked apart.
    bounds: Bounds {
        floor: 0.001,
        ceiling: 1e6,
    },
    usual_marks: &[],
    points,
    measure,
}];

/// Working sets that other tools publish figures for: offered as extra points.
const CLASSIC_SIZES: [u64; 4] = [16 << 10, 512 << 10, 8 << 20, 256 << 20];

/// Smallest working set: a copy's halves are still whole grains, twice over.
const SMALLEST: u64 = 4 * GRAIN as u64;

fn points(ctx: &PlanContext) -> Vec<Offer> {
    let mut offers = Vec::new();
    let cpus = [("1", 1), ("all", ctx.cpus.len() as u64)];
    if ctx.cpus.len() < 2 {
        offers.push(("mem.bandwidth{cpus=all}".to_owned(), "needs two CPUs; one is allowed".to_owned()).into());
    }
    let levels = level_sizes(ctx);
    if levels.is_empty() {
        offers.push(("mem.bandwidth{level=*}".to_owned(), "the latency curve gave no levels to take sizes from".to_owned()).into());
    }
    for op in ["read", "write", "copy"] {
        for &(name, threads) in cpus.iter().filter(|(n, t)| *n == "1" || *t > 1) {
            let mut offer = |key: &str, value: String, bytes: u64, extra: bool| {
                // All threads together stay within the memory that may be used.
                let bytes = bytes.min(ctx.memory_bytes / threads / SMALLEST * SMALLEST);
                let point = Point::new("mem.bandwidth").with("op", op).with(key, value).with("cpus", name);
                if bytes >= SMALLEST {
                    offers.push(Offer::Point(plan(point, bytes, threads, extra)));
                }
            };
            for (level, bytes) in &levels {
                offer("level", level.clone(), *bytes, false);
            }
            for bytes in CLASSIC_SIZES {
                offer("size", size::format(bytes), bytes, true);
            }
        }
    }
    offers
}

fn plan(point: Point, bytes: u64, threads: u64, extra: bool) -> PointPlan {
    let large = bytes >= 64 << 20;
    PointPlan {
        size_bytes: Some(bytes),
        cpus: if threads > 1 { CpuChoice::All } else { CpuChoice::One },
        // A large buffer averages over its pages and takes long to fill.
        draws: if large { 1 } else { 2 },
        samples: 3,
        value: ValueRule::Best,
        extra,
        ..PointPlan::new(point)
    }
}

/// A working set well inside each measured level: the largest power of two up to half of what the
/// level acts as, unless the level before is too close for that; and for memory four times the
/// largest cache, claimed or measured.
pub(crate) fn level_sizes(ctx: &PlanContext) -> Vec<(String, u64)> {
    let mut sizes = Vec::new();
    let mut below = 0.0f64;
    for level in &ctx.levels {
        let bytes = match &level.capacity_bytes {
            Some(capacity) => {
                let half = 1u64 << (capacity.value / 2.0).max(1.0).log2().floor() as u32;
                let bytes = if half as f64 >= 1.5 * below {
                    half
                } else {
                    (capacity.value * below).sqrt() as u64
                };
                below = capacity.value;
                bytes
            }
            None => (4.0 * below.max(ctx.llc_bytes as f64)) as u64,
        };
        let bytes = bytes.clamp(0, ctx.memory_bytes) / SMALLEST * SMALLEST;
        if bytes >= SMALLEST {
            sizes.push((level.name.clone(), bytes));
        }
    }
    sizes
}

/// One thread's memory.
struct Ground {
    src: Option<Buffer>,
    dst: Option<Buffer>,
    bytes: usize,
}

impl Ground {
    fn new(op: Op, bytes: usize, offset: usize) -> Result<Ground, Stop> {
        let bytes = if op == Op::Copy { bytes / 2 } else { bytes };
        let buffer = |wanted: bool, at: usize| wanted.then(|| Buffer::new(bytes, Pages::Small, at)).transpose();
        Ok(Ground {
            src: buffer(op != Op::Write, offset)?,
            // At the source's place in its page: then no load looks like it might read a store that
            // is still under way (cores compare only the low 12 bits of addresses at first).
            dst: buffer(op != Op::Read, offset)?,
            bytes,
        })
    }

    fn run(&self, shape: &Shape, bytes: usize, passes: u64, fill: u64) -> u64 {
        let start = |b: &Option<Buffer>| b.as_ref().map_or(std::ptr::null_mut(), Buffer::start);
        // SAFETY: the buffers hold at least `bytes` bytes, are written, do not overlap, and are
        // used by the one thread whose ground this is.
        unsafe { shape.run(start(&self.dst), start(&self.src), bytes, passes, fill) }
    }
}

/// Bytes of the proof that a shape touches what it is credited with: the loops are the same for
/// every size, and this many take no time worth speaking of.
const PROOF_BYTES: usize = 64 << 10;

fn measure(bench: &mut Bench) -> Result<(), Stop> {
    let op = match bench.param("op")? {
        "read" => Op::Read,
        "write" => Op::Write,
        "copy" => Op::Copy,
        other => return Err(Stop::Unavailable(format!("op={other} is not known"))),
    };
    let bytes = bench.size()?;
    let shapes = shapes(op);
    for &shape in &shapes {
        prove(shape, op, bytes.min(PROOF_BYTES))?;
    }
    let team = Rc::new(Team::on(&bench.job.luck.cpus)?);
    bench.threads = team.len();
    if team.len() > 1 {
        let (team, flag) = (team.clone(), Arc::new(Flag::default()));
        bench.label_with(move || label(&team, &flag));
    }
    let everyone: Vec<usize> = (0..team.len()).collect();
    for _ in 0..bench.job.draws {
        let grounds = Arc::new(grounds(&team, op, bytes, bench.job.luck.buffer_offset as usize)?);
        let counted = if op == Op::Copy { bytes / 2 * 2 } else { bytes };
        let mut variants: Vec<Variant> = shapes
            .iter()
            .map(|&shape| {
                let (grounds, team, everyone) = (grounds.clone(), team.clone(), &everyone);
                let mut variant = Variant::new(shape.name, (counted * team.len()) as f64, move |passes| {
                    let grounds = grounds.clone();
                    let (ns, marks) = team.run(everyone, move |me| {
                        let ground = &grounds[me];
                        std::hint::black_box(ground.run(shape, ground.bytes, passes, guard::FILL));
                    })?;
                    Ok(Timed::Inside { ns, marks })
                });
                variant.bytes_per_cycle = shape.bytes_per_cycle_limit();
                variant
            })
            .collect();
        bench.draw(&mut variants)?;
    }
    Ok(())
}

/// Memory for every member, first touched by the member itself so that it lies on its node.
fn grounds(team: &Team, op: Op, bytes: usize, offset: usize) -> Result<Vec<Ground>, Stop> {
    (0..team.len())
        .map(|member| {
            let (give, take) = std::sync::mpsc::channel();
            team.run(&[member], move |_| {
                let _ = give.send(Ground::new(op, bytes, offset));
            })?;
            take.recv().map_err(|e| Stop::unavailable("memory", e))?
        })
        .collect()
}

/// Shows that `shape` touches every byte that it is credited with.
fn prove(shape: &'static Shape, op: Op, bytes: usize) -> Result<(), Stop> {
    let mut ground = Ground::new(op, bytes, 0)?;
    let source = ground.src.as_mut().map_or(Vec::new(), |b| b.bytes().to_vec());
    let checksum = ground.run(shape, ground.bytes, 1, guard::FILL);
    let destination = ground.dst.as_mut().map_or(Vec::new(), |b| b.bytes().to_vec());
    guard::covers(
        shape,
        &guard::Pass {
            checksum,
            source: &source,
            destination: &destination,
        },
    )
}
