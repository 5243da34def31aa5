//! The core: its clock, and core-to-core latency.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;

use whyslow_kernels::clock::{DEPENDENT_UNROLL, dependent_ops};
use whyslow_model::id;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::between_runs;
use crate::handover::{Flag, one_side};
use crate::probe::{Bounds, CpuChoice, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::team::{Around, Team, Worked};

/// This family's probes.
pub const PROBES: &[Probe] = &[
    Probe {
        id: id::CPU_CLOCK,
        title: "effective clock",
        unit: Unit::Ghz,
        better: Better::Higher,
        what: "The actual clock of a busy core, without counters or privileges.",
        how: "A chain of dependent register additions, each of one cycle on every known core.",
        needs: &[],
        params: &[],
        names: Names {
            lmbench: &["mhz", "Mhz"],
            ..Names::NONE
        },
        roles: Roles::All(Role::Clock),
        // 10 GHz: no core has come near it.
        bounds: Bounds { fastest: 10.0 },
        usual_marks: &[],
        points: |_| {
            vec![Offer::Point(PointPlan {
                between_runs: between_runs::CALLS,
                ..PointPlan::new(Point::new(id::CPU_CLOCK))
            })]
        },
        measure: clock,
    },
    Probe {
        id: id::CPU_CORE_TO_CORE,
        title: "core to core",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "Core-to-core latency: one-way transfer of a modified cache line from one CPU to another.",
        how: "Two pinned threads pass a line back and forth by compare-and-swap; every draw uses a page newly faulted in by one of the two.",
        needs: &["two CPUs"],
        params: &[
            ("a", "first CPU"),
            ("b", "second CPU"),
            ("placement", "class of the pair, on hosts with many CPUs"),
        ],
        names: Names::NONE,
        roles: Roles::All(Role::CoreToCore),
        // 4 cycles: a transfer within one core's L1 (hyper-threads).
        bounds: Bounds { fastest: 4.0 },
        usual_marks: &[],
        points: core_to_core_points,
        measure: core_to_core,
    },
];

fn clock(bench: &mut Bench) -> Result<(), Stop> {
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", DEPENDENT_UNROLL as f64, |n| {
            std::hint::black_box(dependent_ops(n * DEPENDENT_UNROLL));
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}

/// Up to this many pairs (4 CPUs) each pair is a point by default; beyond, each class is.
const FEW_PAIRS: usize = 6;

fn core_to_core_points(ctx: &PlanContext) -> Vec<Offer> {
    let probe = id::CPU_CORE_TO_CORE;
    let mut pairs: Vec<[u32; 2]> = Vec::new();
    for (i, &a) in ctx.cpus.iter().enumerate() {
        pairs.extend(ctx.cpus[i + 1..].iter().map(|&b| [a, b]));
    }
    if pairs.is_empty() {
        return vec![
            (
                probe.to_owned(),
                "needs two CPUs; one is allowed".to_owned(),
            )
                .into(),
        ];
    }
    let by_pair = pairs.len() <= FEW_PAIRS;
    let mut offers: Vec<Offer> = pairs
        .into_iter()
        .map(|pair| {
            Offer::Point(PointPlan {
                cpus: CpuChoice::Pair(vec![pair]),
                between_runs: between_runs::CORES,
                extra: !by_pair,
                ..PointPlan::new(Point::new(probe).with("a", pair[0]).with("b", pair[1]))
            })
        })
        .collect();
    if !by_pair && ctx.placements.is_empty() {
        let why =
            "there are too many pairs of CPUs for a point each, and no class of them is known";
        offers.push((probe.to_owned(), why.to_owned()).into());
    }
    if !by_pair {
        offers.extend(
            ctx.placements
                .iter()
                .filter(|c| c.name != "same-cpu")
                .map(|class| {
                    Offer::Point(PointPlan {
                        cpus: CpuChoice::Pair(class.pairs.clone()),
                        between_runs: between_runs::CORES,
                        ..PointPlan::new(Point::new(probe).with("placement", &class.name))
                    })
                }),
        );
    }
    offers
}

fn core_to_core(bench: &mut Bench) -> Result<(), Stop> {
    let team = Rc::new(Team::on(&bench.job.randomization.cpus)?);
    if team.len() != 2 {
        return Err(Stop::Unavailable("needs two CPUs".into()));
    }
    // Labeled like all others: a mean over placements would match no pair of CPUs.
    bench.work_of(&team);
    for draw in 0..bench.job.draws {
        let flag = fresh_flag(&team, draw as usize % 2)?;
        bench.draw(&mut [Variant::by_team("", 2.0, |trips, around| {
            let (pieces, worked) = one_way(&team, [0, 1], around, &flag, 1, trips)?;
            Ok(Timed::ByTeam(Worked {
                ns: pieces.iter().sum::<f64>() * 2.0 * trips as f64,
                ..worked
            }))
        })])?;
    }
    Ok(())
}

/// Passes `flag` back and forth between two members, `trips` times each way in each of `pieces`.
/// Returns one-way ns for each piece, by the clock of the first member, and the outcome of the
/// work.
///
/// # Errors
/// When a member died.
fn one_way(
    team: &Team,
    pair: [usize; 2],
    around: Around,
    flag: &Arc<Flag>,
    pieces: usize,
    trips: u64,
) -> Result<(Vec<f64>, Worked), Stop> {
    flag.0.store(0, Ordering::Release);
    let stop = AtomicBool::new(false);
    let (report, times) = channel();
    let (flag, first) = (flag.clone(), pair[0]);
    let worked = team.work(&pair, around, 1, move |me, _| {
        for ns in one_side(&flag, u64::from(me != first), pieces, trips, &stop) {
            // The receiver outlives the work and is the only one.
            let _ = report.send(ns);
        }
    })?;
    Ok((times.try_iter().collect(), worked))
}

/// A flag whose memory is first touched by member `by`. On some processors a line first touched by
/// a third CPU (the allocator's) stays homed there.
fn fresh_flag(team: &Team, by: usize) -> Result<Arc<Flag>, Stop> {
    let (give, take) = std::sync::mpsc::channel();
    team.run(&[by], move |_| {
        let _ = give.send(Arc::new(Flag::default()));
    })?;
    take.recv()
        .map_err(|e| Stop::unavailable("a fresh line", e))
}
