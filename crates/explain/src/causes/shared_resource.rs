//! One bus or cache for several processes: work that needs it does not scale, other work does.

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};

use crate::case::Case;
use crate::case::scaling::{Scaling, scalings};
use crate::cause::{Cause, Judgement};
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "shared-resource",
    title: "a shared memory path that several processes saturate",
    said: include_str!("shared_resource.txt"),
    reaches: &[],
    what: "Processes on several CPUs that all go to memory share its bus or a cache: together they get little more done than one, while work within each CPU's own caches scales.",
    advice: &["Give memory-bound work fewer CPUs, smaller working sets or memory of its own node."],
    judge,
    switch: None,
    plants: &[],
};

/// Work scales from this share of the ideal on: what short runs repeat to.
const SCALES: f64 = 0.9;

/// Memory-bound work is held back when it gets this much less of the ideal than compute-bound work.
const LESS: f64 = 0.15;

fn judge(case: &Case<'_>) -> Option<Judgement> {
    let memory = scalings(&case.points, Role::ScalingMemory);
    let compute = scalings(&case.points, Role::ScalingCompute);
    let held = |s: &Scaling, side: usize| s.times[side] / s.count;
    let first = memory.first()?;
    let mut judgement = Judgement::new(CauseVerdict::CannotTell, 0.0);
    let (mut saturated, mut scales) = ([false; 2], [false; 2]);
    for scaling in memory.iter().chain(&compute) {
        judgement = judgement.with(Speaks::Neither, EvidenceKind::Signature, scaling.said());
    }
    for side in 0..2 {
        let best = compute.iter().map(|s| held(s, side)).fold(0.0, f64::max);
        scales[side] = best >= SCALES;
        saturated[side] = scales[side] && held(first, side) < best - LESS;
    }
    for evidence in &mut judgement.evidence {
        if saturated.contains(&true) {
            evidence.speaks = Speaks::For;
        }
    }
    if compute.is_empty() {
        return Some(judgement.then(
            "whether CPUs or memory are short: compute-bound work beside memory-bound; on both hosts",
            "whyslow run --suite smp",
        ));
    }
    if saturated[0] != saturated[1] || (saturated[1] && scales[1]) {
        judgement.verdict = CauseVerdict::Consistent;
        judgement.fits = true;
        let on = if saturated[1] { 1 } else { 0 };
        let lost = (1.0 - held(first, on)) * 100.0;
        let text = format!(
            "in {} the CPUs are there, as compute-bound work scales; memory-bound work loses {lost:.0} % of them to a shared path",
            ["A", "B"][on]
        );
        judgement = judgement.with(Speaks::For, EvidenceKind::Signature, text);
        judgement.covers = vec![(Role::ScalingMemory, None)];
        judgement
            .covers
            .retain(|(r, _)| case.group(&[*r]).is_some_and(|g| g.moved > 0));
        judgement.weight = 0.85;
    } else {
        judgement.verdict = CauseVerdict::Contradicted;
    }
    Some(judgement.then(
        "how bandwidth grows with CPUs; on both hosts",
        "whyslow run --suite smp",
    ))
}
