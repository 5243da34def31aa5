//! One bus or cache for several processes: work that needs it does not scale, other work does.

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};
use whyslow_model::{Better, Point};

use crate::case::{Case, Moved};
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

/// What several processes get done beside one, on both sides.
struct Scaling {
    name: String,
    count: f64,
    /// Work done beside one process: `count` at best.
    times: [f64; 2],
}

fn judge(case: &Case<'_>) -> Option<Judgement> {
    let memory = scalings(case, Role::ScalingMemory);
    let compute = scalings(case, Role::ScalingCompute);
    let held = |s: &Scaling, side: usize| s.times[side] / s.count;
    let first = memory.first()?;
    let mut judgement = Judgement::new(CauseVerdict::CannotTell, 0.0);
    let (mut saturated, mut scales) = ([false; 2], [false; 2]);
    for scaling in memory.iter().chain(&compute) {
        let text = format!(
            "{:.0} × {} do {:.2} times the work of one in A and {:.2} times in B",
            scaling.count, scaling.name, scaling.times[0], scaling.times[1]
        );
        judgement = judgement.with(Speaks::Neither, EvidenceKind::Signature, text);
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

/// Each kind of work at its largest count against one process.
fn scalings(case: &Case<'_>, role: Role) -> Vec<Scaling> {
    let mut found: Vec<Scaling> = Vec::new();
    for alone in case.of(role).filter(|p| count(&p.point.point) == Some(1.0)) {
        let same = |p: &&Moved<'_>| p.point.point.probe == alone.point.point.probe;
        let most = case
            .of(role)
            .filter(same)
            .filter_map(|p| Some((count(&p.point.point)?, p)))
            .max_by(|(x, _), (y, _)| x.total_cmp(y));
        let Some((count, most)) = most.filter(|(n, _)| *n > 1.0) else {
            continue;
        };
        let rate = |value: f64| match alone.point.better {
            Better::Lower | Better::Unsaid => 1.0 / value,
            Better::Higher => value,
        };
        let times = |one: f64, all: f64| {
            let work = rate(all) / rate(one);
            // Published tables give the time until all have ended; our own loads the time of one unit
            // of work over all CPUs.
            if alone.point.point.get("processes").is_some() {
                work * count
            } else {
                work
            }
        };
        let side = |s: fn(&whyslow_model::comparison::PointComparison) -> f64| {
            times(s(alone.point), s(most.point))
        };
        found.push(Scaling {
            name: alone.name.clone(),
            count,
            times: [side(|p| p.a.value.value), side(|p| p.b.value.value)],
        });
    }
    found
}

fn count(point: &Point) -> Option<f64> {
    point.get("processes").or(point.get("procs"))?.parse().ok()
}
