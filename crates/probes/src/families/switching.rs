//! Context switches between processes.

use whyslow_kernels::bandwidth::GRAIN;
use whyslow_model::id;
use whyslow_model::record::ValueRule;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit, size};

use crate::bench::{Bench, Timed, Variant};
use crate::between_runs;
use crate::placed::{CPUS, NEEDS, USUAL, label_pair, ways};
use crate::probe::{Bounds, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::ring::{Alone, Ring};
use crate::via::{self, Via};

/// 100 cycles: less than a pipe's system calls.
const BOUNDS: Bounds = Bounds { fastest: 100.0 };

/// This family's probes.
pub const PROBES: &[Probe] = &[
    Probe {
        id: id::CTX_RING,
        title: "context switch",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "A context switch: a token goes round a ring of processes connected by pipes; time per switch, less the cost of the pipe and of summing a cached array. With arrays, the rest includes refetching them after eviction by the other processes.",
        how: "Time per hop of the token, less the time one process takes to write it to as many pipes in turn, read it back and sum one array, interleaved. Each process sums its own array before it passes the token on. lmbench does the same unpinned, where it mostly measures waking an idle CPU rather than switching.",
        needs: &[NEEDS],
        params: &[
            ("procs", "processes in the ring"),
            ("size", "bytes that each sums on its turn"),
            CPUS,
        ],
        names: Names {
            lmbench: &[
                "lat_ctx",
                "2p/0K ctxsw",
                "2p/16K ctxsw",
                "2p/64K ctxsw",
                "8p/16K ctxsw",
                "8p/64K ctxsw",
                "16p/16K ctxsw",
                "16p/64K ctxsw",
            ],
            byte: &["Pipe-based Context Switching"],
            ramspeed: &[],
        },
        roles: Roles::ByParams(
            &[
                (&[("size", "0"), ("cpus", "same-cpu")], Role::SwitchSameCpu),
                (&[("size", "0")], Role::SwitchAnyCpu),
            ],
            Role::SwitchWithData,
        ),
        bounds: BOUNDS,
        usual_marks: USUAL,
        points: ring_points,
        measure: ring,
    },
    Probe {
        id: id::IPC_PIPE,
        title: "pipe round trip",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "One byte through a pipe to another process and one byte back: two context switches and four system calls.",
        how: "Two processes and two pipes; time per round trip. The calls are bare instructions; with via=libc both processes call the C library's read() and write().",
        needs: &[NEEDS],
        params: &[CPUS, via::PARAM],
        names: Names {
            lmbench: &["lat_pipe", "Pipe"],
            byte: &["Pipe-based Context Switching"],
            ..Names::NONE
        },
        roles: Roles::ByParams(
            &[(&[("cpus", "same-cpu")], Role::SwitchSameCpu)],
            Role::SwitchAnyCpu,
        ),
        bounds: BOUNDS,
        usual_marks: USUAL,
        points: pipe_points,
        measure: pipe,
    },
];

const HOP: &str = "hop";
const ALONE: &str = "alone";

/// Processes and bytes of lmbench's table; every run measures the first.
const RINGS: [(u64, u64); 9] = [
    (2, 0),
    (2, 16 << 10),
    (2, 64 << 10),
    (8, 0),
    (8, 16 << 10),
    (8, 64 << 10),
    (16, 0),
    (16, 16 << 10),
    (16, 64 << 10),
];

/// Batch length, ns. Twice the usual: a wake-up on another CPU takes up to 50 us, so a shorter
/// batch would hold too few.
const BATCH_NS: f64 = 2e6;

fn ring_points(ctx: &PlanContext) -> Vec<Offer> {
    let mut offers = Vec::new();
    for (procs, bytes) in RINGS {
        for (name, cpus) in ways(ctx) {
            // The placements of lmbench: one CPU, and unpinned.
            let suites: &[&str] = match name.as_str() {
                _ if (procs, bytes) == RINGS[0] => &[],
                "same-cpu" | "free" => &["lmbench"],
                _ => &[],
            };
            let point = Point::new(id::CTX_RING)
                .with("procs", procs)
                .with("size", size_text(bytes))
                .with("cpus", name);
            offers.push(Offer::Point(PointPlan {
                cpus,
                value: ValueRule::Less {
                    from: HOP.into(),
                    less: ALONE.into(),
                },
                draws: 1,
                batch_ns: BATCH_NS,
                between_runs: between_runs::SWITCHES,
                extra: (procs, bytes) != RINGS[0],
                suites,
                ..PointPlan::new(point)
            }));
        }
    }
    offers
}

/// A size in point notation; zero is a plain 0.
fn size_text(bytes: u64) -> String {
    match bytes {
        0 => "0".into(),
        _ => size::format(bytes),
    }
}

fn pipe_points(ctx: &PlanContext) -> Vec<Offer> {
    ways(ctx)
        .into_iter()
        .flat_map(|(name, cpus)| {
            let bare = PointPlan {
                cpus,
                draws: 1,
                batch_ns: BATCH_NS,
                between_runs: between_runs::SWITCHES,
                ..PointPlan::new(Point::new(id::IPC_PIPE).with("cpus", name))
            };
            let through = via::libc(&bare);
            [Offer::Point(bare), Offer::Point(through)]
        })
        .collect()
}

fn ring(bench: &mut Bench) -> Result<(), Stop> {
    let processes = bench
        .param("procs")?
        .parse()
        .ok()
        .filter(|n| (2..=1024).contains(n))
        .ok_or_else(|| Stop::Unavailable("procs must be from 2 to 1024".into()))?;
    let bytes = size::parse(bench.param("size")?)
        .map(|bytes| bytes as usize)
        .filter(|bytes| bytes % GRAIN == 0)
        .ok_or_else(|| Stop::Unavailable(format!("size must be a multiple of {GRAIN} bytes")))?;
    let offset = bench.job.randomization.buffer_offset as usize;
    let ring = Ring::at_work(processes, &bench.job.randomization.cpus, bytes, offset)?;
    let alone = Alone::of(processes, bytes, offset)?;
    label_pair(bench)?;
    for _ in 0..bench.job.draws {
        bench.draw(&mut [
            Variant::new(HOP, processes as f64, |laps| {
                ring.laps(laps)?;
                Ok(Timed::Outside)
            }),
            Variant::new(ALONE, 1.0, |n| {
                let (ns, marks) = alone.pass(n)?;
                Ok(Timed::Inside { ns, marks })
            }),
        ])?;
    }
    Ok(())
}

fn pipe(bench: &mut Bench) -> Result<(), Stop> {
    let ring = Ring::of(2, &bench.job.randomization.cpus, Via::of(bench)?)?;
    label_pair(bench)?;
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", 1.0, |laps| {
            ring.laps(laps)?;
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::context;
    use crate::{Intensity, registry};

    /// The points of `ctx.ring` in a plain run, and those of the suite.
    fn ring_points_of(ctx: &PlanContext) -> [Vec<String>; 2] {
        let probe = registry().find(|p| p.id == "ctx.ring").unwrap();
        let plans: Vec<PointPlan> = (probe.points)(ctx)
            .into_iter()
            .filter_map(|offer| match offer {
                Offer::Point(plan) => Some(plan),
                Offer::Skip(_) => None,
            })
            .collect();
        let names = |wanted: &dyn Fn(&PointPlan) -> bool| {
            let wanted = plans.iter().filter(|plan| wanted(plan));
            wanted.map(|plan| plan.point.to_string()).collect()
        };
        [
            names(&|plan| !plan.extra),
            names(&|plan| probe.in_suite(plan, "lmbench")),
        ]
    }

    #[test]
    fn a_plain_run_has_the_pair_without_arrays_alone() {
        let [plain, suite] = ring_points_of(&context(Intensity::Quick));
        assert_eq!(
            plain,
            ["same-cpu", "same-llc", "free"]
                .map(|cpus| format!("ctx.ring{{procs=2,size=0,cpus={cpus}}}"))
        );
        for procs in [2, 8, 16] {
            for size in ["0", "16KiB", "64KiB"] {
                for cpus in ["same-cpu", "free"] {
                    let point = format!("ctx.ring{{procs={procs},size={size},cpus={cpus}}}");
                    assert!(suite.contains(&point), "{point}");
                }
            }
        }
    }
}
