//! Peak bandwidth when reads and writes are mixed.
#![allow(unsafe_code)]

use std::rc::Rc;
use std::sync::Arc;

use whyslow_kernels::bandwidth::{self, Op};
use whyslow_kernels::mix;
use whyslow_model::record::ValueRule;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::buffer::{Buffer, Pages};
use crate::guard;
use crate::probe::{Bounds, CpuChoice, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::sizes::beyond_caches;
use crate::team::Team;

/// This family's probes.
pub const PROBES: &[Probe] = &[Probe {
    id: "mem.mix",
    title: "mixed bandwidth",
    unit: Unit::GbPerS,
    better: Better::Higher,
    what: "Bytes a second that all CPUs together move to and from memory when reads and writes are mixed: a memory bus pays a turnaround for every change of direction.",
    how: "Every CPU reads all lines of its own memory and writes back each, every second or every third of them in place, so that no line is fetched only to be written; \
          nt copies with non-temporal stores, one write for each read. Every register width interleaved; the best is the value.",
    needs: &[],
    params: &[
        (
            "reads",
            "reads for each write: all (no writes), 3:1, 2:1, 1:1, or nt (1:1, with non-temporal stores)",
        ),
        ("cpus", "all, or 1"),
    ],
    names: Names::NONE,
    roles: Roles::All(Role::MemoryBandwidth),
    // 1 PB/s: beyond any machine; the port limit is checked apart.
    bounds: Bounds { fastest: 1e6 },
    usual_marks: &[],
    points,
    measure,
}];

fn points(ctx: &PlanContext) -> Vec<Offer> {
    let all = ctx.cpus.len() as u64;
    let mut offers = Vec::new();
    for (cpus, threads) in [("all", all), ("1", 1)] {
        let memory = beyond_caches(ctx, threads);
        for reads in ["all", "3:1", "2:1", "1:1", "nt"] {
            let point = Point::new("mem.mix")
                .with("reads", reads)
                .with("cpus", cpus);
            offers.push(match memory {
                Some(bytes) => Offer::Point(PointPlan {
                    size_bytes: Some(bytes),
                    cpus: if cpus == "all" {
                        CpuChoice::All
                    } else {
                        CpuChoice::One
                    },
                    draws: 1,
                    samples: 3,
                    value: ValueRule::Best,
                    extra: true,
                    suites: if cpus == "all" { &["smp"] } else { &[] },
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
    offers
}

/// One variant of a mix.
#[derive(Clone, Copy)]
enum Way {
    Whole(&'static bandwidth::Shape),
    Mixed(&'static mix::Shape),
}

impl Way {
    /// All variants of `reads`.
    fn all(reads: &str) -> Result<Vec<Way>, Stop> {
        let mixed = |n| mix::shapes(n).into_iter().map(Way::Mixed).collect();
        Ok(match reads {
            "all" => bandwidth::shapes(Op::Read)
                .into_iter()
                .map(Way::Whole)
                .collect(),
            "nt" => {
                let copies = bandwidth::shapes(Op::Copy).into_iter();
                copies.filter(|s| s.non_temporal).map(Way::Whole).collect()
            }
            "3:1" => mixed(3),
            "2:1" => mixed(2),
            "1:1" => mixed(1),
            other => return Err(Stop::Unavailable(format!("reads={other} is not known"))),
        })
    }

    fn name(self) -> &'static str {
        match self {
            Way::Whole(shape) => shape.name,
            Way::Mixed(shape) => shape.name,
        }
    }

    /// Bytes counted in a pass over `bytes`, of which a copy reads one half and writes the other.
    fn counted(self, bytes: usize) -> usize {
        match self {
            Way::Whole(_) => bytes,
            Way::Mixed(shape) => shape.counted(bytes),
        }
    }

    fn limit(self) -> Option<u32> {
        match self {
            Way::Whole(shape) => shape.bytes_per_cycle_limit(),
            Way::Mixed(shape) => Some(shape.bytes_per_cycle_limit()),
        }
    }

    fn run(self, memory: &Buffer, passes: u64) {
        let (start, bytes) = (memory.start(), memory.len());
        match self {
            Way::Whole(shape) => {
                let half = bytes / 2;
                let (dst, len) = match shape.op {
                    Op::Copy => (start.wrapping_add(half), half),
                    _ => (std::ptr::null_mut(), bytes),
                };
                // SAFETY: the memory holds `bytes` bytes, was written and is used by one thread; the
                // halves do not overlap.
                std::hint::black_box(unsafe { shape.run(dst, start, len, passes, guard::FILL) });
            }
            Way::Mixed(shape) => {
                // SAFETY: as above.
                std::hint::black_box(unsafe { shape.run(start, bytes, passes, guard::FILL) });
            }
        }
    }
}

/// Whole grains for both kinds of shapes, also in each half.
const GRAIN: usize = 2 * bandwidth::GRAIN * mix::GRAIN / 64;

fn measure(bench: &mut Bench) -> Result<(), Stop> {
    let ways = Way::all(bench.param("reads")?)?;
    if ways.is_empty() {
        return Err(Stop::Unavailable(
            "no non-temporal stores on this architecture".into(),
        ));
    }
    let team = Rc::new(Team::on(&bench.job.randomization.cpus)?);
    bench.work_of(&team);
    let everyone: Vec<usize> = (0..team.len()).collect();
    let bytes = bench.size()? / GRAIN * GRAIN;
    let offset = bench.job.randomization.buffer_offset as usize;
    for _ in 0..bench.job.draws {
        let memory = Arc::new(team.gather(move |_| Buffer::new(bytes, Pages::Small, offset))?);
        for buffer in memory.iter() {
            bench.lies_on(buffer);
        }
        let mut variants: Vec<Variant> = ways
            .iter()
            .map(|&way| {
                let (memory, team, everyone) = (memory.clone(), team.clone(), &everyone);
                let work = (way.counted(bytes) * team.len()) as f64;
                let mut variant = Variant::by_team(way.name(), work, move |passes, around| {
                    let memory = memory.clone();
                    let worked = team.work(everyone, around, passes, move |me, passes| {
                        way.run(&memory[me], passes);
                    })?;
                    Ok(Timed::ByTeam(worked))
                });
                variant.bytes_per_cycle = way.limit();
                variant
            })
            .collect();
        bench.draw(&mut variants)?;
    }
    Ok(())
}
