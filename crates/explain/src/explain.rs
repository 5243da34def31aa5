//! From two sides to an answer: every cause judged, ordered, and what stays over.

use std::collections::BTreeSet;

use whyslow_model::Record;
use whyslow_model::comparison::Comparison;
use whyslow_model::explanation::{
    CauseVerdict, Explanation, Finding, MovedTogether, NextStep, SCHEMA,
};

use crate::case::Case;
use crate::causes::CAUSES;

/// Why the two sides of `comparison` differ. `a` and `b` are the first record of each.
pub fn explain(comparison: &Comparison, a: &Record, b: &Record) -> Explanation {
    let case = Case::new(comparison, a, b);
    let mut next: Vec<NextStep> = Vec::new();
    let mut causes: Vec<Finding> = Vec::new();
    for cause in CAUSES {
        let Some(judged) = (cause.judge)(&case) else {
            continue;
        };
        for step in judged.next {
            if !next.contains(&step) {
                next.push(step);
            }
        }
        let helps = matches!(
            judged.verdict,
            CauseVerdict::Consistent | CauseVerdict::Confirmed
        );
        causes.push(Finding {
            cause: cause.id.to_owned(),
            title: cause.title.to_owned(),
            verdict: judged.verdict,
            weight: judged.weight,
            share: judged.share,
            covers: judged.covers,
            evidence: judged.evidence,
            advice: cause
                .advice
                .iter()
                .filter(|_| helps)
                .map(|a| (*a).to_owned())
                .collect(),
        });
    }
    causes.sort_by(|x, y| {
        x.verdict
            .cmp(&y.verdict)
            .then(y.weight.total_cmp(&x.weight))
    });
    let moved = moved_together(&case);
    let unexplained = unexplained(&case, &causes);
    Explanation {
        schema: SCHEMA,
        a: comparison.a.records.join(", "),
        b: Some(comparison.b.records.join(", ")),
        answer: answer(&moved, &causes, &unexplained),
        moved,
        causes,
        unexplained,
        cannot_show: comparison.scope.claims.clone(),
        next,
    }
}

fn moved_together(case: &Case<'_>) -> Vec<MovedTogether> {
    let groups = &case.comparison.groups;
    groups
        .iter()
        .map(|group| {
            // A group's ratios are in the direction in which more is better.
            let ends = [1.0 / group.high, 1.0 / group.low];
            let names: Vec<&str> = group.members.iter().map(|kin| kin.name.as_str()).collect();
            let indices = group.members.iter().flat_map(|kin| &kin.points);
            let points = indices.filter_map(|&i| case.comparison.points.get(i as usize));
            MovedTogether {
                name: names.join(", "),
                times_worse: ends,
                real: group.real,
                points: points
                    .map(|p| p.title.clone().unwrap_or_else(|| p.point.to_string()))
                    .collect(),
            }
        })
        .collect()
}

/// Points that moved and that no consistent cause covers, by name.
fn unexplained(case: &Case<'_>, causes: &[Finding]) -> Vec<String> {
    let covered: BTreeSet<&str> = causes
        .iter()
        .filter(|c| c.verdict <= CauseVerdict::Consistent)
        .flat_map(|c| c.covers.iter().map(String::as_str))
        .collect();
    let left = case
        .points
        .iter()
        .filter(|p| p.moved && !covered.contains(p.name.as_str()));
    left.map(|p| {
        format!(
            "{}: {:.2} times {}",
            p.name,
            p.worse.abs().exp(),
            if p.worse > 0.0 { "worse" } else { "better" }
        )
    })
    .collect()
}

fn answer(moved: &[MovedTogether], causes: &[Finding], unexplained: &[String]) -> String {
    if moved.is_empty() {
        return "Nothing to explain: no difference between the two was shown.".to_owned();
    }
    let likely: Vec<&Finding> = causes
        .iter()
        .filter(|c| c.verdict <= CauseVerdict::Consistent)
        .collect();
    match likely[..] {
        [] => "They differ, and the records cannot tell why.".to_owned(),
        [one] if unexplained.is_empty() => format!("Consistent with one cause: {}.", one.title),
        _ => {
            let titles: Vec<&str> = likely.iter().map(|c| c.title.as_str()).collect();
            format!("Consistent with: {}.", titles.join("; "))
        }
    }
}
