//! More or fewer CPUs at work, or copies of a program that work at once.

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};
use whyslow_model::role::Role;

use crate::case::Case;
use crate::case::cpu_time::at_work;
use crate::case::scaling::{Scaling, scalings};
use crate::cause::{Cause, Judgement};
use crate::causes::cpu_neighbor;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "copies",
    title: "more or fewer CPUs, or copies of a program, at work at once",
    said: include_str!("copies.txt"),
    reaches: &[],
    what: "Several copies share caches, memory, locks and the clock of the package: throughput of all together grows by less than their number, and each alone is slower.",
    advice: &[
        "Divide by the number of copies before comparing, and see where the curve of throughput by copies bends.",
    ],
    judge,
    switch: None,
    plants: &[],
};

/// From so many CPUs at work on average on, several work at once.
const SEVERAL: f64 = 1.3;

/// By so much the number of CPUs at work differs at least, a logarithm of 1.5.
const APART: f64 = 0.405;

/// Work of N processes is that of so many CPUs to within this share of it: what short runs repeat to.
const ALL: f64 = 0.9;

/// Weight of work that scales on one side alone.
const BY_WORK: f64 = 0.9;

/// Weight of times alone: what waits, for a lock or for its turn, is not at work either.
const BY_TIMES: f64 = 0.3;

/// By the CPU time that a command took over its real time: a program that works on more CPUs at once is done sooner with
/// no less CPU time.
fn judge(case: &Case<'_>) -> Option<Judgement> {
    let found = at_work(&case.points).into_iter().filter(|own| {
        let [a, b] = own.cpus;
        let apart = (b / a).ln();
        let sooner = apart * own.real < 0.0 && own.real.abs() >= apart.abs() / 2.0;
        a.max(b) >= SEVERAL && apart.abs() >= APART && sooner
    });
    let mut judgement = Judgement::new(CauseVerdict::CannotTell, BY_TIMES);
    for own in found {
        let of = if own.command.is_empty() { "" } else { " of " };
        let [a, b] = own.cpus;
        let text = format!(
            "CPU time over real time{of}{}: {a:.2} CPUs at work in A, {b:.2} in B",
            own.command
        );
        judgement = judgement.with(Speaks::For, EvidenceKind::Signature, text);
    }
    judgement.covers = vec![(Role::RealTime, None)];
    let compute = scalings(&case.points, Role::ScalingCompute);
    // Where other work came, the CPUs are there, and are its own at times.
    let others = case
        .waited()
        .is_some_and(|[a, b]| (b - a).abs() >= cpu_neighbor::CAME);
    if let Some(text) = compute.iter().find_map(more_work).filter(|_| !others) {
        judgement = judgement.with(Speaks::For, EvidenceKind::Signature, text);
        judgement.covers = vec![(Role::ScalingCompute, None)];
        judgement.verdict = CauseVerdict::Consistent;
        judgement.weight = BY_WORK;
    }
    judgement.fits = true;
    (!judgement.evidence.is_empty()).then_some(judgement)
}

/// Compute-bound work that shares nothing tells how many CPUs are at work, where on one side one is and on the other all are
/// that the processes could use.
fn more_work(scaling: &Scaling) -> Option<String> {
    let [a, b] = scaling.times;
    let [(less, one), (more, all)] = match a < b {
        true => [(a, "A"), (b, "B")],
        false => [(b, "B"), (a, "A")],
    };
    let tells = less <= 1.0 / ALL && more >= ALL * scaling.count;
    tells.then(|| {
        let (said, count) = (scaling.said(), scaling.count);
        format!("{said}: one CPU at work in {one}, {count:.0} in {all}")
    })
}
