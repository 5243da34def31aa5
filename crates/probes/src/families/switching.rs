//! Handing work from one process to another.

use std::rc::Rc;
use std::sync::Arc;

use whyslow_model::record::{MarkKind, ValueRule};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::handover::{Flag, label};
use crate::probe::{Bounds, CpuChoice, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::ring::{Alone, Ring};
use crate::team::Team;

/// Both probes wait for each other all the time, which is what they measure.
const USUAL: &[MarkKind] = &[MarkKind::Switches, MarkKind::Migrations, MarkKind::RunDelayNs];

/// 100 cycles: less than a pipe's system calls. 0.1 s: a scheduler that starves somebody.
const BOUNDS: Bounds = Bounds {
    floor: 100.0,
    ceiling: 1e8,
};

const PLACEMENT: (&str, &str) = (
    "cpus",
    "same-cpu, a class of two CPUs that the host has (smt, same-llc, cross-llc, cross-node), or free: left to the scheduler",
);

/// This family's probes.
pub const PROBES: &[Probe] = &[
    Probe {
        id: "ctx.ring",
        title: "context switch",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "Switching from one process to another: a token goes round a ring of processes joined by pipes; per switch, less the cost of the pipe.",
        how: "Time per hop of the token, less the time one process alone takes to write it to a pipe and read it back, side by side.",
        needs: &["cpus other than same-cpu: two CPUs"],
        params: &[("procs", "processes in the ring"), ("size", "bytes each touches on its turn"), PLACEMENT],
        names: Names {
            lmbench: &["lat_ctx", "2p/0K ctxsw"],
            byte: &["Pipe-based Context Switching"],
            ramspeed: &[],
        },
        causes: &["cross-cpu-wakeup", "idle-states", "mitigations", "topology"],
        bounds: BOUNDS,
        usual_marks: USUAL,
        points: |ctx| {
            placed(ctx, "ctx.ring", |point| {
                (point.with("procs", 2).with("size", 0), ValueRule::Less {
                    from: HOP.into(),
                    less: ALONE.into(),
                })
            })
        },
        measure: ring,
    },
    Probe {
        id: "ipc.pipe",
        title: "pipe round trip",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "One byte through a pipe to another process and one back: two switches and four system calls.",
        how: "Two processes and two pipes; the time per round trip.",
        needs: &["cpus other than same-cpu: two CPUs"],
        params: &[PLACEMENT],
        names: Names {
            lmbench: &["lat_pipe", "Pipe"],
            ..Names::NONE
        },
        causes: &["cross-cpu-wakeup", "idle-states", "mitigations", "topology"],
        bounds: BOUNDS,
        usual_marks: USUAL,
        points: |ctx| placed(ctx, "ipc.pipe", |point| (point, ValueRule::Single)),
        measure: pipe,
    },
];

const HOP: &str = "hop";
const ALONE: &str = "alone";

/// One point for each way to place two processes.
fn placed(ctx: &PlanContext, id: &str, with: impl Fn(Point) -> (Point, ValueRule)) -> Vec<Offer> {
    let mut ways: Vec<(String, CpuChoice)> = vec![(
        "same-cpu".into(),
        CpuChoice::Pair(ctx.cpus.iter().map(|&c| [c, c]).collect()),
    )];
    for class in ctx.placements.iter().filter(|c| c.name != "same-cpu") {
        ways.push((class.name.clone(), CpuChoice::Pair(class.pairs.clone())));
    }
    ways.push(("free".into(), CpuChoice::Free));
    ways.into_iter()
        .map(|(name, cpus)| {
            let (point, value) = with(Point::new(id));
            Offer::Point(PointPlan {
                cpus,
                value,
                draws: 1,
                // Twice the usual batch: a wake-up on another CPU takes up to 50 us, so that a
                // shorter one would hold too few of them.
                batch_ns: 2e6,
                ..PointPlan::new(point.with("cpus", name))
            })
        })
        .collect()
}

/// Labels every batch with the way between the CPUs, where there are two that stay put.
fn label_pair(bench: &mut Bench) -> Result<(), Stop> {
    if let [a, b] = bench.job.luck.cpus[..]
        && a != b
    {
        let team = Rc::new(Team::on(&[a, b])?);
        let flag = Arc::new(Flag::default());
        bench.label_with(move || label(&team, &flag));
    }
    Ok(())
}

fn ring(bench: &mut Bench) -> Result<(), Stop> {
    let processes = bench
        .param("procs")?
        .parse()
        .ok()
        .filter(|n| (2..=1024).contains(n))
        .ok_or_else(|| Stop::Unavailable("procs must be from 2 to 1024".into()))?;
    let ring = Ring::of(processes, &bench.job.luck.cpus)?;
    let alone = Alone::new()?;
    label_pair(bench)?;
    for _ in 0..bench.job.draws {
        bench.draw(&mut [
            Variant::new(HOP, processes as f64, |laps| {
                ring.laps(laps)?;
                Ok(Timed::Outside)
            }),
            Variant::new(ALONE, 1.0, |n| {
                alone.pass(n)?;
                Ok(Timed::Outside)
            }),
        ])?;
    }
    Ok(())
}

fn pipe(bench: &mut Bench) -> Result<(), Stop> {
    let ring = Ring::of(2, &bench.job.luck.cpus)?;
    label_pair(bench)?;
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", 1.0, |laps| {
            ring.laps(laps)?;
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}
