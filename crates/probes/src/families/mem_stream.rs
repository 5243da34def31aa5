//! STREAM with every register width.
#![allow(unsafe_code)]

use std::rc::Rc;
use std::sync::Arc;

use whyslow_kernels::bandwidth::GRAIN;
use whyslow_kernels::stream::{Arrays, Element, Op, Shape, shapes};
use whyslow_model::id;
use whyslow_model::record::ValueRule;
use whyslow_model::role::Roles;
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::buffer::{Buffer, Pages};
use crate::probe::{Bounds, CpuChoice, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::sizes::level_sizes;
use crate::team::Team;

/// This family's probes.
pub const PROBES: &[Probe] = &[Probe {
    id: id::MEM_STREAM,
    title: "STREAM",
    unit: Unit::GbPerS,
    better: Better::Higher,
    what: "Bytes a second of simple arithmetic over arrays, counted as STREAM counts them: what the program reads plus what it writes, without write-allocate traffic.",
    how: "a=b, a=qb, a=b+c, a=b+qc (STREAM), a=q, a=a+qb and the sum of b (STREAM2) in assembly, every register width with ordinary and non-temporal stores on the same pages; the best \
          is the value. lmbench's row add runs its sum and counts three times the bytes; its sum waits for each addition; its arrays (-M 64M in three) fit into large caches. RAMspeed's copy to triad count the first touch of every page.",
    needs: &["cpus=all: two CPUs"],
    params: &[
        ("op", "copy, scale, add, triad, fill, daxpy or sum"),
        (
            "level",
            "the level as measured in this run; three arrays together have its size",
        ),
        ("cpus", "1, or all, each with its own arrays"),
        (
            "type",
            "int (64-bit integers in general registers) or double, in place of the best",
        ),
        (
            "width",
            "bits of the registers, in place of the best: 64, 128, 256 or 512",
        ),
        ("nt", "yes: non-temporal stores, with width"),
    ],
    names: Names {
        lmbench: &[
            "stream",
            "STREAM copy",
            "STREAM scale",
            "STREAM add",
            "STREAM triad",
            "STREAM2 fill",
            "STREAM2 copy",
            "STREAM2 daxpy",
            "STREAM2 sum",
        ],
        byte: &[],
        ramspeed: &[
            "INTmem",
            "FLOATmem",
            "MMXmem",
            "SSEmem",
            "INTEGER Copy",
            "INTEGER Scale",
            "INTEGER Add",
            "INTEGER Triad",
            "FL-POINT Copy",
            "FL-POINT Scale",
            "FL-POINT Add",
            "FL-POINT Triad",
            "MMX Copy",
            "MMX Scale",
            "MMX Add",
            "MMX Triad",
            "SSE Copy",
            "SSE Scale",
            "SSE Add",
            "SSE Triad",
        ],
    },
    roles: Roles::BandwidthBySize,
    // 1 PB/s: beyond any machine; the port limit is checked apart.
    bounds: Bounds { fastest: 1e6 },
    usual_marks: &[],
    points,
    measure,
}];

/// The register sets of RAMspeed's four tests, and wider ones: type, width, nt. Its MMX has the
/// width and speed of general registers, and scales 16-bit rather than 64-bit integers.
const SETS: [(&str, u32, bool); 8] = [
    ("int", 64, false),
    ("double", 64, false),
    ("double", 128, false),
    ("double", 128, true),
    ("double", 256, false),
    ("double", 256, true),
    ("double", 512, false),
    ("double", 512, true),
];

fn points(ctx: &PlanContext) -> Vec<Offer> {
    let all = ctx.cpus.len() as u64;
    let mut offers = Vec::new();
    if ctx.sized_by.is_none() {
        offers.push(skip(
            "level=*",
            "the latency curve gave no levels to take sizes from",
        ));
    }
    for (cpus, threads) in [("1", 1), ("all", all)] {
        if cpus == "all" && all < 2 {
            offers.push(skip("cpus=all", "needs two CPUs; one is allowed"));
            continue;
        }
        let sizes = level_sizes(ctx, threads);
        let last = sizes.len().saturating_sub(1);
        for (k, (level, size)) in sizes.into_iter().enumerate() {
            for op in Op::ALL {
                let point = Point::new(id::MEM_STREAM)
                    .with("op", op.name())
                    .with("level", &level)
                    .with("cpus", cpus);
                let bytes = match size {
                    Ok(bytes) => bytes,
                    Err(why) => {
                        offers.push(skip(&point.to_string(), why));
                        continue;
                    }
                };
                let suites: &[&str] = match (k == last, threads) {
                    (false, _) => &[],
                    (true, 1) => &["lmbench", "smp"],
                    (true, _) => &["smp"],
                };
                offers.push(plan(point.clone(), bytes, threads, ValueRule::Best, suites));
                if k == last && threads == 1 {
                    offers.extend(single(op, &point, bytes));
                }
            }
        }
    }
    offers
}

/// One point per register set; these correspond to RAMspeed's rows.
fn single(op: Op, point: &Point, bytes: u64) -> Vec<Offer> {
    let sets = SETS
        .into_iter()
        .filter(|&(_, _, nt)| !(nt && op == Op::Sum));
    let rows = [Op::Copy, Op::Scale, Op::Add, Op::Triad].contains(&op);
    sets.filter(|&(ty, _, _)| rows || ty == "double")
        .map(|(ty, width, nt)| {
            let mut point = point.clone().with("type", ty).with("width", width);
            if nt {
                point = point.with("nt", "yes");
            }
            let exists = shapes(op, element(Some(ty)))
                .iter()
                .any(|s| is_set(s, width, nt));
            if exists {
                let suites: &[&str] = if rows { &["ramspeed"] } else { &[] };
                plan(point, bytes, 1, ValueRule::Single, suites)
            } else {
                skip(
                    &point.to_string(),
                    "this CPU has no registers of that width, or no non-temporal stores for it",
                )
            }
        })
        .collect()
}

fn skip(what: &str, why: &str) -> Offer {
    let what = if what.starts_with("mem.") {
        what.to_owned()
    } else {
        format!("mem.stream{{{what}}}")
    };
    (what, why.to_owned()).into()
}

fn plan(
    point: Point,
    bytes: u64,
    threads: u64,
    value: ValueRule,
    suites: &'static [&'static str],
) -> Offer {
    Offer::Point(PointPlan {
        size_bytes: Some(bytes),
        cpus: if threads > 1 {
            CpuChoice::All
        } else {
            CpuChoice::One
        },
        // A large array averages over its pages and takes long to fill.
        draws: if bytes >= 64 << 20 { 1 } else { 2 },
        samples: 3,
        value,
        extra: true,
        suites,
        ..PointPlan::new(point)
    })
}

fn element(ty: Option<&str>) -> Element {
    if ty == Some("int") {
        Element::Int
    } else {
        Element::Double
    }
}

/// True if `shape` uses this register set. A pair of registers moved by one instruction counts as one.
fn is_set(shape: &Shape, bits: u32, nt: bool) -> bool {
    8 * shape.width == bits && shape.non_temporal == nt
}

/// One thread's arrays.
struct Ground {
    arrays: [Option<Buffer>; 3],
    bytes: usize,
}

impl Ground {
    /// Arrays of a third of `bytes` each, whether or not the operation uses all three, as in STREAM;
    /// initialized.
    fn new(op: Op, element: Element, bytes: usize, offset: usize) -> Result<Ground, Stop> {
        let bytes = bytes / 3 / GRAIN * GRAIN;
        let array = |seed: u64| {
            let mut array = Buffer::new(bytes, Pages::Small, offset)?;
            for (i, word) in array.bytes().chunks_exact_mut(8).enumerate() {
                // Neither zeros, which some hosts move faster, nor subnormal numbers, which slow some
                // cores down.
                let value = seed + i as u64;
                let bits = if element == Element::Int {
                    value
                } else {
                    (value as f64 / 7.0).to_bits()
                };
                word.copy_from_slice(&bits.to_ne_bytes());
            }
            Ok(array)
        };
        let wanted = |k: u64, needed: bool| needed.then(|| array(k << 40)).transpose();
        Ok(Ground {
            arrays: [
                wanted(1, op != Op::Sum)?,
                wanted(2, op != Op::Fill)?,
                wanted(3, op.arrays() == 3)?,
            ],
            bytes,
        })
    }

    fn run(&self, shape: &Shape, passes: u64) -> u64 {
        let start = |k: usize| {
            self.arrays[k]
                .as_ref()
                .map_or(std::ptr::null_mut(), Buffer::start)
        };
        let arrays = Arrays {
            a: start(0),
            b: start(1),
            c: start(2),
            bytes: self.bytes,
        };
        // SAFETY: the arrays that the operation uses hold `bytes` bytes each, were written, do not
        // overlap, and are used by this thread only.
        unsafe { shape.run(&arrays, passes) }
    }
}

fn measure(bench: &mut Bench) -> Result<(), Stop> {
    let name = bench.param("op")?;
    let op = Op::ALL.into_iter().find(|op| op.name() == name);
    let op = op.ok_or_else(|| Stop::Unavailable(format!("op={name} is not known")))?;
    let element = element(bench.job.point.get("type"));
    let nt = bench.job.point.get("nt") == Some("yes");
    let mut chosen = shapes(op, element);
    if let Some(width) = bench.job.point.get("width") {
        chosen.retain(|s| width.parse().is_ok_and(|bits| is_set(s, bits, nt)));
    }
    if chosen.is_empty() {
        return Err(Stop::Unavailable(format!(
            "{}: this CPU has no such registers",
            bench.job.point
        )));
    }
    let team = Rc::new(Team::on(&bench.job.randomization.cpus)?);
    bench.work_of(&team);
    let everyone: Vec<usize> = (0..team.len()).collect();
    let bytes = bench.size()?;
    let offset = bench.job.randomization.buffer_offset as usize;
    for _ in 0..bench.job.draws {
        let grounds = team.gather(move |_| Ground::new(op, element, bytes, offset))?;
        for buffer in grounds.iter().flat_map(|g| g.arrays.iter().flatten()) {
            bench.lies_on(buffer);
        }
        let grounds = Arc::new(grounds);
        let counted = grounds.first().map_or(0, |g| g.bytes) * op.counted();
        let single = chosen.len() == 1 && bench.job.point.get("width").is_some();
        let mut variants: Vec<Variant> = chosen
            .iter()
            .map(|&shape| {
                let (grounds, team, everyone) = (grounds.clone(), team.clone(), &everyone);
                let name = if single { "" } else { shape.name };
                let mut variant = Variant::by_team(
                    name,
                    (counted * team.len()) as f64,
                    move |passes, around| {
                        let grounds = grounds.clone();
                        let worked = team.work(everyone, around, passes, move |me, passes| {
                            std::hint::black_box(grounds[me].run(shape, passes));
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
