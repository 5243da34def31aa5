//! Which of two ways to write the same code is faster here.

use whyslow_model::id;
use whyslow_model::summary::{Interval, PointSummary};
use whyslow_stats::crossing::{Crossing, Step, upwards};

use super::{Finding, Rank};
use crate::numbers::{number, short};
use crate::view::View;

/// From which share of mispredictions on a conditional move is faster than a branch.
pub(super) fn branch_or_move(view: &View<'_>) -> Option<Finding> {
    let of = |form: &str| -> Vec<(f64, &PointSummary)> {
        let points = view.probe(id::CPU_SELECT);
        let points = points.filter(|p| p.point.get("form") == Some(form) && p.value.is_some());
        let mut points: Vec<(f64, &PointSummary)> = points
            .filter_map(|p| Some((p.point.get("miss")?.parse().ok()?, p)))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    };
    let (branches, moves) = (of("branch"), of("cmov"));
    let value = |at: f64, points: &[(f64, &PointSummary)]| {
        let found = points.iter().find(|(miss, _)| *miss == at)?.1;
        found.value
    };
    let both = branches.iter().filter_map(|(at, point)| {
        let branch = point.value?;
        Some((*at, branch, value(*at, &moves)?))
    });
    let both: Vec<(f64, Interval, Interval)> = both.collect();
    let (first, last) = (both.first()?, both.last()?);
    if both.len() < 2 {
        return None;
    }
    let steps: Option<Vec<Step>> = both.iter().map(step).collect();
    let found = steps.map_or(Crossing::Open, |steps| upwards(&steps));
    let said = match found {
        Crossing::At { value, range } => format!(
            "a conditional move is faster than a branch from {} % [{}, {}] of mispredictions on",
            number(value),
            number(range[0]),
            number(range[1]),
        ),
        Crossing::Above => "a conditional move is faster than a branch even where all are predicted".to_owned(),
        Crossing::Below => format!(
            "a branch is faster than a conditional move up to {} % of mispredictions",
            last.0
        ),
        Crossing::Open => {
            "from which share of mispredictions on a conditional move is faster than a branch cannot be told; \
             more processes would (--standard)"
                .to_owned()
        }
    };
    let point = branches.first()?.1;
    let told = |value: &Interval| short(point.unit, value);
    Finding::new(
        Rank::Choice,
        format!(
            "Where a selection waits for the one before, {said}: a branch takes {} with {} % and {} with {} % of \
             them, a move {} and {}.",
            told(&first.1),
            first.0,
            told(&last.1),
            last.0,
            told(&first.2),
            told(&last.2),
        ),
    )
}

/// How much longer the branch takes, which grows evenly with the mispredictions. The errors of the two are independent.
fn step((at, branch, choice): &(f64, Interval, Interval)) -> Option<Step> {
    let half = |i: &Interval| i.range.map(|[lo, hi]| (hi - lo) / 2.0);
    let value = branch.value - choice.value;
    let spread = half(branch)?.hypot(half(choice)?);
    Some(Step {
        at: *at,
        value,
        range: [value - spread, value + spread],
    })
}
