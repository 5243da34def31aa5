//! Placement of the two ends of a point: on one CPU, on two CPUs of a class, or unpinned.

use whyslow_model::record::MarkKind;

use crate::bench::Bench;
use crate::probe::{CpuChoice, PlanContext, Stop};
use crate::team::Team;

/// The placement parameter.
pub(crate) const CPUS: (&str, &str) = (
    "cpus",
    "same-cpu, a class of two CPUs that the host has (smt, same-llc, cross-llc, cross-node), or free: unpinned",
);

/// Needs of the placements other than same-cpu.
pub(crate) const NEEDS: &str = "cpus other than same-cpu: two CPUs";

/// Both ends wait for each other; those waits are what is measured.
pub(crate) const USUAL: &[MarkKind] = &[
    MarkKind::Switches,
    MarkKind::Migrations,
    MarkKind::RunDelayNs,
];

/// Every placement of two ends on this host, with its name.
pub(crate) fn ways(ctx: &PlanContext) -> Vec<(String, CpuChoice)> {
    let mut ways = vec![(
        "same-cpu".to_owned(),
        CpuChoice::Pair(ctx.cpus.iter().map(|&c| [c, c]).collect()),
    )];
    for class in ctx.placements.iter().filter(|c| c.name != "same-cpu") {
        ways.push((class.name.clone(), CpuChoice::Pair(class.pairs.clone())));
    }
    ways.push(("free".to_owned(), CpuChoice::Free));
    ways
}

/// Labels every batch with the core-to-core latency, if there are two pinned CPUs. Starts threads,
/// so any fork must come before.
///
/// # Errors
/// When a thread cannot be made or pinned.
pub(crate) fn label_pair(bench: &mut Bench) -> Result<(), Stop> {
    if let [a, b] = bench.job.randomization.cpus[..]
        && a != b
    {
        let team = Team::on(&[a, b])?;
        bench.label_with(move || team.label());
    }
    Ok(())
}
