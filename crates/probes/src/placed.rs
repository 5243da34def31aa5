//! Where the two ends of a point run: on one CPU, on two of a class, or where the scheduler likes.

use whyslow_model::record::MarkKind;

use crate::bench::Bench;
use crate::probe::{CpuChoice, PlanContext, Stop};
use crate::team::Team;

/// The parameter that says where.
pub(crate) const CPUS: (&str, &str) = (
    "cpus",
    "same-cpu, a class of two CPUs that the host has (smt, same-llc, cross-llc, cross-node), or free: left to the scheduler",
);

/// What a host needs for all of them.
pub(crate) const NEEDS: &str = "cpus other than same-cpu: two CPUs";

/// Two ends wait for each other all the time, which is what is measured.
pub(crate) const USUAL: &[MarkKind] = &[
    MarkKind::Switches,
    MarkKind::Migrations,
    MarkKind::RunDelayNs,
];

/// Every way to place two ends on this host, with its name.
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

/// Labels every batch with the way between the CPUs, where there are two that stay put. It starts
/// threads, so whatever forks must have done so before.
///
/// # Errors
/// When a thread cannot be made or pinned.
pub(crate) fn label_pair(bench: &mut Bench) -> Result<(), Stop> {
    if let [a, b] = bench.job.luck.cpus[..]
        && a != b
    {
        let team = Team::on(&[a, b])?;
        bench.label_with(move || team.label());
    }
    Ok(())
}
