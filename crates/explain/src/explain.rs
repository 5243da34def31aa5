//! From two sides to an answer: every cause judged, ordered, and what stays over.

mod answer;
pub(crate) mod tried;

use whyslow_compare::Counts;
use whyslow_model::Record;
use whyslow_model::change::Quantity;
use whyslow_model::comparison::{Comparison, Verdict};
use whyslow_model::experiment::Experiment;
use whyslow_model::explanation::{
    CauseVerdict, Explanation, Finding, MovedTogether, NextStep, SCHEMA,
};
use whyslow_model::share::Share;

use crate::case::{Case, Moved};
use crate::cause::{Cause, Judgement};
use crate::causes::CAUSES;
use crate::cost;
use crate::facts;
use crate::next::fill;
use crate::published;
use crate::words;
use whyslow_model::role::Role;

/// Next steps that are listed: more is no advice.
const STEPS: usize = 6;

/// Why the two sides of `comparison` differ. `a` and `b` are the first record of each.
pub fn explain(comparison: &Comparison, a: &Record, b: &Record) -> Explanation {
    explain_tried(comparison, a, b, &[])
}

/// The same, with causes that were switched on and off on the live host.
pub fn explain_tried(
    comparison: &Comparison,
    a: &Record,
    b: &Record,
    experiments: &[Experiment],
) -> Explanation {
    let case = Case::new(comparison, a, b);
    let mut judged: Vec<(&'static Cause, Judgement)> = CAUSES
        .iter()
        .filter_map(|cause| Some((*cause, (cause.judge)(&case)?)))
        .collect();
    facts::suspect(&case, &mut judged);
    for experiment in experiments {
        let found = judged.iter_mut().find(|(c, _)| c.id == experiment.cause);
        if let Some((_, judgement)) = found {
            tried::apply(&case, experiment, judgement);
        }
    }
    let moved = moved_together(&case);
    published::fill(&case, &moved, &mut judged);
    judged.sort_by(|(_, x), (_, y)| {
        x.verdict
            .cmp(&y.verdict)
            .then(y.weight.total_cmp(&x.weight))
    });
    let costs = cost::costs(&case);
    let unexplained = unexplained(&case, &judged);
    let cannot_show = cannot_show(&case, &judged);
    let mut next = undone(next(&case, &judged, &moved), experiments);
    fill(&mut next, &comparison.a.records, &comparison.b.records);
    let unexplained_share = uncovered(&case, &judged);
    let causes: Vec<Finding> = judged
        .into_iter()
        .map(|(c, j)| finding(&case, c, j))
        .collect();
    Explanation {
        schema: SCHEMA,
        a: name(&comparison.a),
        b: Some(name(&comparison.b)),
        answer: answer::sentence(&case, &moved, &causes, &costs),
        moved,
        prices: costs.prices,
        unpriced: costs.unpriced,
        causes,
        unexplained,
        unexplained_share,
        cannot_show,
        next,
        experiments: experiments.to_vec(),
        not_tried: Vec::new(),
    }
}

fn name(side: &whyslow_model::comparison::Side) -> String {
    let names = if side.systems.is_empty() {
        &side.records
    } else {
        &side.systems
    };
    names.join(", ")
}

fn finding(case: &Case<'_>, cause: &Cause, judged: Judgement) -> Finding {
    let consistent = judged.verdict <= CauseVerdict::Consistent;
    Finding {
        cause: cause.id.to_owned(),
        title: cause.title.to_owned(),
        verdict: judged.verdict,
        weight: (judged.weight * 1000.0).round() / 1000.0,
        share: judged
            .share
            .or_else(|| case.share(&judged.covers))
            .filter(|_| !judged.covers.is_empty()),
        covers: judged
            .covers
            .iter()
            .map(|(r, _)| r.name().to_owned())
            .collect(),
        evidence: judged.evidence,
        advice: cause
            .advice
            .iter()
            .filter(|_| consistent)
            .map(|a| (*a).to_owned())
            .collect(),
    }
}

/// What moved, by wider group and direction, the largest first.
fn moved_together(case: &Case<'_>) -> Vec<MovedTogether> {
    let mut groups: Vec<(&str, Option<bool>, Vec<&Moved<'_>>)> = Vec::new();
    for point in case
        .points
        .iter()
        .filter(|p| p.moved && !p.role.is_stated())
    {
        let (name, worse) = (
            point.role.group(),
            point.is_directed().then_some(point.worse > 0.0),
        );
        match groups
            .iter_mut()
            .find(|(n, w, _)| *n == name && *w == worse)
        {
            Some((.., points)) => points.push(point),
            None => groups.push((name, worse, vec![point])),
        }
    }
    let mut moved: Vec<MovedTogether> = groups
        .into_iter()
        .map(|(name, _, points)| {
            let [lo, hi] = points.iter().fold([f64::MAX, f64::MIN], |[lo, hi], p| {
                [lo.min(p.worse), hi.max(p.worse)]
            });
            let quantity = Quantity::of_all(points.iter().map(|p| p.quantity()));
            MovedTogether {
                name: name.to_owned(),
                quantity,
                times: quantity.turned_range([lo, hi]).map(f64::exp),
                times_worse: [lo.exp(), hi.exp()],
                real: points
                    .iter()
                    .all(|p| !matches!(p.point.verdict, Verdict::Untested { .. })),
                points: points.iter().map(|p| p.name.clone()).collect(),
            }
        })
        .collect();
    let far = |m: &MovedTogether| {
        m.times_worse
            .map(|t| t.ln().abs())
            .into_iter()
            .fold(0.0, f64::max)
    };
    moved.sort_by(|x, y| far(y).total_cmp(&far(x)));
    moved
}

/// Roles that moved and that no consistent cause covers wholly, one line each.
fn unexplained(case: &Case<'_>, judged: &[(&Cause, Judgement)]) -> Vec<String> {
    let consistent = || {
        judged
            .iter()
            .filter(|(_, j)| j.verdict <= CauseVerdict::Consistent)
    };
    let wholly = |role: Role| consistent().any(|(_, j)| j.covers.contains(&(role, None)));
    let mut left: Vec<(Role, f64)> = case
        .moved_roles()
        .into_iter()
        .filter(|role| !wholly(*role))
        .filter_map(|role| Some((role, case.group(&[role])?.worse)))
        .collect();
    left.sort_by(|(_, x), (_, y)| y.abs().total_cmp(&x.abs()));
    left.into_iter()
        .filter_map(|(role, worse)| {
            let partly = consistent()
                .flat_map(|(_, j)| &j.covers)
                .filter(|(r, _)| *r == role)
                .filter_map(|(_, ln)| *ln)
                .max_by(|x, y| x.abs().total_cmp(&y.abs()))
                .filter(|ln| ln * worse > 0.0);
            let rest = worse - partly.unwrap_or(0.0);
            if partly.is_some_and(|ln| ln.abs() >= worse.abs()) {
                return None;
            }
            // Less than a fifth of it is within what the models themselves are off by.
            if partly.is_some() && rest.abs() < worse.abs() / 5.0 {
                return None;
            }
            let text = crate::signature::told(role, &case.group(&[role])?);
            Some(match partly {
                None => text,
                Some(ln) => {
                    let covered = case.group(&[role])?.quantity.said_of_worse(ln);
                    format!("{text}, of which {covered} is covered")
                }
            })
        })
        .collect()
}

fn cannot_show(case: &Case<'_>, judged: &[(&Cause, Judgement)]) -> Vec<String> {
    let mut lines = case.comparison.scope.claims.clone();
    if !case.knows_hosts() {
        lines.push("facts and settings of the hosts are not in these records".to_owned());
    }
    if !case.moved_roles().is_empty() {
        lines.extend(facts::unknown(case));
    }
    let unsaid = case.points.iter().filter(|p| !p.is_directed()).count();
    if unsaid > 0 {
        lines.push(format!(
            "which direction of {unsaid} of {} points is better: it is not said, and no cause is held against them",
            case.points.len()
        ));
    }
    let open = Counts::of(case.comparison).undecided;
    if open > 0 {
        lines.push(format!(
            "{open} of {} points {} undecided: neither shown to differ nor to be the same",
            case.comparison.points.len(),
            if open == 1 { "is" } else { "are" }
        ));
    }
    let rivals: Vec<&str> = judged
        .iter()
        .filter(|(_, j)| j.fits)
        .filter(|(_, j)| {
            matches!(
                j.verdict,
                CauseVerdict::Suspected | CauseVerdict::CannotTell
            )
        })
        .map(|(c, _)| c.title)
        .collect();
    if rivals.len() > 1 {
        lines.push(format!(
            "which of these it is, as each fits the rows that moved: {}",
            words::list(&rivals)
        ));
    }
    lines
}

/// Steps of the causes that could be it, each once: first one of each cause, the one that covers most
/// first, then the second ones.
fn next(case: &Case<'_>, judged: &[(&Cause, Judgement)], moved: &[MovedTogether]) -> Vec<NextStep> {
    let mut next: Vec<NextStep> = Vec::new();
    if moved.is_empty() {
        return next;
    }
    let mut open: Vec<(f64, &Judgement)> = judged
        .iter()
        .map(|(_, j)| j)
        .filter(|j| j.verdict != CauseVerdict::Contradicted && j.weight > 0.0)
        .filter(|j| j.fits || j.verdict <= CauseVerdict::Consistent)
        .map(|j| (case.share(&j.covers).map_or(0.0, |s| s.value), j))
        .collect();
    // A stable sort: of those that cover alike the likelier first.
    open.sort_by(|(x, _), (y, _)| y.total_cmp(x));
    let most = open.iter().map(|(_, j)| j.next.len()).max().unwrap_or(0);
    let steps = (0..most).flat_map(|i| open.iter().filter_map(move |(_, j)| j.next.get(i)));
    for step in steps {
        if !next.iter().any(|n| n.command == step.command) {
            next.push(step.clone());
        }
    }
    next.truncate(STEPS);
    next
}

/// What was not done yet.
pub(crate) fn undone(steps: Vec<NextStep>, experiments: &[Experiment]) -> Vec<NextStep> {
    let done = |step: &NextStep| {
        let mut tried = experiments.iter();
        tried.any(|e| step.command.ends_with(&format!("--experiment {}", e.cause)))
    };
    steps.into_iter().filter(|step| !done(step)).collect()
}

/// The share of the whole difference that no consistent cause covers.
fn uncovered(case: &Case<'_>, judged: &[(&Cause, Judgement)]) -> Option<Share> {
    let mut covers: Vec<(Role, Option<f64>)> = Vec::new();
    let consistent = judged
        .iter()
        .filter(|(_, j)| j.verdict <= CauseVerdict::Consistent);
    for &(role, part) in consistent.flat_map(|(_, j)| &j.covers) {
        match covers.iter_mut().find(|(r, _)| *r == role) {
            None => covers.push((role, part)),
            // All of it, or the larger part.
            Some((_, known)) => {
                *known = match (*known, part) {
                    (Some(x), Some(y)) => Some(if x.abs() >= y.abs() { x } else { y }),
                    _ => None,
                };
            }
        }
    }
    let share = case.share(&covers)?;
    Some(Share {
        value: 1.0 - share.value,
        range: share.range.map(|[lo, hi]| [1.0 - hi, 1.0 - lo]),
    })
}
