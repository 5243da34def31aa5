//! Bandwidth by level, operation and number of CPUs, with every loop shape of the CPU.
#![allow(unsafe_code)]

use std::rc::Rc;
use std::sync::Arc;

use rand_xoshiro::rand_core::Rng;
use whyslow_kernels::bandwidth::{Op, Shape, shapes};
use whyslow_model::id;
use whyslow_model::record::{Estimator, ValueRule};
use whyslow_model::role::Roles;
use whyslow_model::{Better, Point, Unit, size};

use crate::bench::{Bench, Timed, Variant};
use crate::between_runs;
use crate::buffer::{Buffer, Pages};
use crate::colored::Colored;
use crate::guard;
use crate::probe::{Bounds, CpuChoice, Names, Offer, PlanContext, PointPlan, Probe, Rank, Stop};
use crate::sizes::{REACH, level_sizes};
use crate::team::Team;

/// This family's probes.
pub const PROBES: &[Probe] = &[Probe {
    id: id::MEM_BANDWIDTH,
    title: "bandwidth",
    unit: Unit::GbPerS,
    better: Better::Higher,
    what: "Bytes a second that pinned CPUs read, write or copy in a working set of a given size each; a copy counts bytes read plus bytes written, write-allocate traffic is not counted.",
    how: "Every loop shape of the CPU (64 to 512 bits, non-temporal, string instructions), interleaved on the same pages; the best shape is the value, all are kept.",
    needs: &[
        "cpus=all: two CPUs",
        "pages=colored: a private second-level cache, and a kernel that moves pages",
    ],
    params: &[
        (
            "op",
            "read, write or copy; a copy's working set is half source, half destination",
        ),
        (
            "level",
            "the level as measured in this run; its size is in the record",
        ),
        (
            "size",
            "bytes in the working set of each CPU, in place of level",
        ),
        ("cpus", "1, or all, each with its own memory"),
        (
            "pages",
            "colored: base pages of all colors of the second-level cache in turn",
        ),
        (
            "content",
            "zeros: the memory holds zeros and zeros are written, which some hosts move faster",
        ),
    ],
    names: Names {
        lmbench: &[
            "bw_mem rd",
            "bw_mem wr",
            "bw_mem cp",
            "bw_mem frd",
            "bw_mem fwr",
            "bw_mem fcp",
            "Bcopy (hand)",
            "Mem read",
            "Mem write",
        ],
        byte: &[],
        ramspeed: &[
            "INTEGER & READING",
            "INTEGER & WRITING",
            "SSE & READING",
            "SSE & WRITING",
        ],
    },
    roles: Roles::BandwidthBySize,
    // 1 PB/s: beyond any machine; the port limit is checked apart.
    bounds: Bounds { fastest: 1e6 },
    usual_marks: &[],
    points,
    measure,
}];

/// Working sets for which other tools publish figures: extra points.
const CLASSIC_SIZES: [u64; 4] = [16 << 10, 512 << 10, 8 << 20, 256 << 20];

/// Sizes where colors may matter, bytes: around the size of L2.
const COLORED_SIZES: [u64; 5] = [256 << 10, 512 << 10, 768 << 10, 1 << 20, 2 << 20];

fn points(ctx: &PlanContext) -> Vec<Offer> {
    let mut offers = Vec::new();
    let all = ctx.cpus.len() as u64;
    let ways: &[(&str, u64)] = if all > 1 {
        &[("1", 1), ("all", all)]
    } else {
        &[("1", 1)]
    };
    if all < 2 {
        offers.push(skip("cpus=all", "needs two CPUs; one is allowed"));
    }
    if ctx.colors.is_none() {
        offers.push(skip(
            "pages=colored",
            "the host reports no second-level cache with more than one color",
        ));
    }
    if ctx.sized_by.is_none() {
        offers.push(skip(
            "level=*",
            "the latency curve gave no levels to take sizes from",
        ));
    }
    for op in ["read", "write", "copy"] {
        for bytes in COLORED_SIZES.into_iter().filter(|_| ctx.colors.is_some()) {
            let size = Point::new(id::MEM_BANDWIDTH)
                .with("op", op)
                .with("size", size::format(bytes));
            // For each, the same size on ordinary pages.
            for point in [
                size.clone().with("cpus", "1").with("pages", "colored"),
                size.with("cpus", "1"),
            ] {
                let known = CLASSIC_SIZES.contains(&bytes) && point.get("pages").is_none();
                if !known {
                    offers.push(Offer::Point(plan(point, bytes, 1, true)));
                }
            }
        }
        for &(cpus, threads) in ways {
            let point = || Point::new(id::MEM_BANDWIDTH).with("op", op);
            for (level, size) in level_sizes(ctx, threads) {
                offers.push(match size {
                    Ok(bytes) => {
                        let point = point().with("level", &level).with("cpus", cpus);
                        // The rows of lmbench and of scaling measure memory.
                        let suites: &[&str] = match (level.as_str(), threads) {
                            ("DRAM", 1) => &["lmbench", "smp"],
                            ("DRAM", _) => &["smp"],
                            _ => &["all"],
                        };
                        // What the caches of all CPUs move at once is told by loads.
                        let told = threads == 1 || level == "DRAM" || op == "read";
                        Offer::Point(PointPlan {
                            suites,
                            rank: if told { Rank::Section } else { Rank::Spare },
                            ..plan(point, bytes, threads, false)
                        })
                    }
                    Err(why) => skip(&format!("op={op},level={level},cpus={cpus}"), why),
                });
            }
            for bytes in CLASSIC_SIZES
                .into_iter()
                .filter(|b| b * threads <= ctx.memory_bytes)
            {
                let point = point().with("size", size::format(bytes)).with("cpus", cpus);
                if bytes == CLASSIC_SIZES[3] {
                    let zeros = point.clone().with("content", "zeros");
                    offers.push(Offer::Point(plan(zeros, bytes, threads, true)));
                }
                offers.push(Offer::Point(plan(point, bytes, threads, true)));
            }
        }
    }
    offers
}

fn skip(what: &str, why: &str) -> Offer {
    (format!("mem.bandwidth{{{what}}}"), why.to_owned()).into()
}

fn plan(point: Point, bytes: u64, threads: u64, extra: bool) -> PointPlan {
    let large = bytes >= 64 << 20;
    PointPlan {
        size_bytes: Some(bytes),
        cpus: if threads > 1 {
            CpuChoice::All
        } else {
            CpuChoice::One
        },
        // A large buffer averages over its pages and takes long to fill.
        draws: if large { 1 } else { 2 },
        // A batch that passes over so much once takes tens of milliseconds, and over more than that a hundred: it is an
        // average by itself.
        samples: match bytes {
            _ if bytes > REACH => 2,
            _ if large => 4,
            _ => 6,
        },
        value: ValueRule::Best,
        estimator: Estimator::Low,
        between_runs: between_runs::PRIVATE,
        extra,
        ..PointPlan::new(point)
    }
}

/// Kind of a thread's memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Pattern,
    Zeros,
    /// On pages of all colors in turn, with a seed.
    Colored(u64),
}

/// One thread's memory.
struct Ground {
    src: Option<Buffer>,
    dst: Option<Buffer>,
    bytes: usize,
}

impl Ground {
    /// Memory that holds a pattern, or written zeros.
    fn new(op: Op, bytes: usize, offset: usize, kind: Kind) -> Result<Ground, Stop> {
        let mut colored = match kind {
            Kind::Colored(seed) => Colored::for_pages(Pages::Colored, bytes, || seed)?,
            Kind::Pattern | Kind::Zeros => None,
        };
        let bytes = if op == Op::Copy { bytes / 2 } else { bytes };
        let mut buffer = || {
            let mut buffer = match &mut colored {
                Some(pool) => pool.buffer(bytes, offset)?,
                None => Buffer::new(bytes, Pages::Small, offset)?,
            };
            if kind == Kind::Zeros {
                buffer.bytes().fill(0);
            }
            Ok(buffer)
        };
        Ok(Ground {
            src: (op != Op::Write).then(&mut buffer).transpose()?,
            // Same page offset as the source: then no load aliases a store in flight at 4 KiB
            // (cores first compare only the low 12 address bits).
            dst: (op != Op::Read).then(&mut buffer).transpose()?,
            bytes,
        })
    }

    fn run(&self, shape: &Shape, bytes: usize, passes: u64, fill: u64) -> u64 {
        let start = |b: &Option<Buffer>| b.as_ref().map_or(std::ptr::null_mut(), Buffer::start);
        // SAFETY: the buffers hold at least `bytes` bytes, are written, do not overlap, and are
        // used by this thread only.
        unsafe { shape.run(start(&self.dst), start(&self.src), bytes, passes, fill) }
    }
}

/// Bytes for verifying that a shape touches what it is credited with: the loops are the same for
/// every size, and this takes negligible time.
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
    let team = Rc::new(Team::on(&bench.job.randomization.cpus)?);
    bench.work_of(&team);
    let everyone: Vec<usize> = (0..team.len()).collect();
    let zeros = bench.job.point.get("content") == Some("zeros");
    let fill = if zeros { 0 } else { guard::FILL };
    for _ in 0..bench.job.draws {
        let offset = bench.job.randomization.buffer_offset as usize;
        let kind = match Pages::parse(bench.job.point.get("pages"))? {
            Pages::Colored => Kind::Colored(bench.rng.next_u64()),
            _ if zeros => Kind::Zeros,
            _ => Kind::Pattern,
        };
        let grounds = grounds(&team, op, bytes, offset, kind)?;
        for buffer in grounds.iter().flat_map(|g| g.src.iter().chain(&g.dst)) {
            bench.lies_on(buffer);
        }
        let grounds = Arc::new(grounds);
        let counted = if op == Op::Copy { bytes / 2 * 2 } else { bytes };
        let mut variants: Vec<Variant> = shapes
            .iter()
            .map(|&shape| {
                let (grounds, team, everyone) = (grounds.clone(), team.clone(), &everyone);
                let mut variant = Variant::by_team(
                    shape.name,
                    (counted * team.len()) as f64,
                    move |passes, around| {
                        let grounds = grounds.clone();
                        let worked = team.work(everyone, around, passes, move |me, passes| {
                            let ground = &grounds[me];
                            std::hint::black_box(ground.run(shape, ground.bytes, passes, fill));
                        })?;
                        Ok(Timed::ByTeam(worked))
                    },
                );
                variant.bytes_per_cycle = shape.bytes_per_cycle_limit();
                variant
            })
            .collect();
        bench.draw(&mut variants)?;
    }
    Ok(())
}

/// Memory for every member, first touched by the member so that it is local to its node.
fn grounds(
    team: &Team,
    op: Op,
    bytes: usize,
    offset: usize,
    kind: Kind,
) -> Result<Vec<Ground>, Stop> {
    let everyone: Vec<usize> = (0..team.len()).collect();
    let (give, take) = std::sync::mpsc::channel();
    team.run(&everyone, move |me| {
        // The receiver outlives the work and is the only one.
        let _ = give.send((me, Ground::new(op, bytes, offset, kind)));
    })?;
    let mut made: Vec<(usize, Result<Ground, Stop>)> = take.try_iter().collect();
    made.sort_by_key(|(me, _)| *me);
    made.into_iter().map(|(_, ground)| ground).collect()
}

/// Verifies that `shape` touches every byte it is credited with.
fn prove(shape: &'static Shape, op: Op, bytes: usize) -> Result<(), Stop> {
    let mut ground = Ground::new(op, bytes, 0, Kind::Pattern)?;
    let source = ground
        .src
        .as_mut()
        .map_or(Vec::new(), |b| b.bytes().to_vec());
    if let Some(destination) = ground.dst.as_mut() {
        // Both have the same content, so a copy that copies nothing would pass.
        destination.bytes().fill(0);
    }
    let checksum = ground.run(shape, ground.bytes, 1, guard::FILL);
    let destination = ground
        .dst
        .as_mut()
        .map_or(Vec::new(), |b| b.bytes().to_vec());
    guard::covers(
        shape,
        &guard::Pass {
            checksum,
            source: &source,
            destination: &destination,
        },
    )
}
