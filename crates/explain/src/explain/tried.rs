//! What experiments say to a judgement by records.

use whyslow_model::experiment::{Effect, Estimated, Experiment, ExperimentVerdict};
use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};
use whyslow_model::share::Share;

use crate::case::Case;
use crate::cause::{Judgement, line};
use crate::causes::CAUSES;
use crate::role::{Ends, role_of, size_of};
use whyslow_model::Point;
use whyslow_model::role::Role;

/// Weight of what was confirmed: before everything that records say.
const CONFIRMED: f64 = 1.0;

/// Adds what an experiment showed to what records say.
pub(crate) fn apply(case: &Case<'_>, experiment: &Experiment, judgement: &mut Judgement) {
    let by_records = judgement.verdict;
    live(experiment, judgement);
    let shown = experiment.verdict <= ExperimentVerdict::Part;
    if !shown {
        return;
    }
    // Of each role that moved, the part of its points' difference that the switch makes here, and no more
    // than the difference: least, likeliest, most.
    let mut parts: Vec<(Role, Vec<[f64; 3]>)> = Vec::new();
    for effect in &experiment.effects {
        let role = role_of_point(&effect.point, case);
        let Some(group) = case.group(&[role]).filter(|g| g.moved > 0) else {
            continue;
        };
        let own = case.points.iter().find(|p| p.point.point == effect.point);
        let (there, name, said) = match own {
            Some(point) => (point.worse, point.name.as_str(), point.said()),
            None => (group.worse, role.name(), group.said()),
        };
        let text = format!(
            "{name} is {said} in the records; with the switch {} is {}",
            effect.point,
            of(effect)
        );
        let same = effect.effect.value * there > 0.0;
        let speaks = if same { Speaks::For } else { Speaks::Neither };
        judgement
            .evidence
            .push(line(speaks, EvidenceKind::Experiment, text));
        if !same {
            continue;
        }
        let ends = effect.effect.range.map(|end| (end / there).clamp(0.0, 1.0));
        let part = [
            ends[0].min(ends[1]),
            (effect.effect.value / there).min(1.0),
            ends[0].max(ends[1]),
        ];
        match parts.iter_mut().find(|(r, _)| *r == role) {
            Some((_, all)) => all.push(part),
            None => parts.push((role, vec![part])),
        }
    }
    let covered = |which: usize| -> Vec<(Role, Option<f64>)> {
        let of = |(role, all): &(Role, Vec<[f64; 3]>)| {
            let mean = all.iter().map(|p| p[which]).sum::<f64>() / all.len() as f64;
            Some((*role, Some(mean * case.group(&[*role])?.worse)))
        };
        parts.iter().filter_map(of).collect()
    };
    let covers = covered(1);
    if by_records == CauseVerdict::Contradicted || covers.is_empty() {
        // It works here, and is not what these records show.
        let text = "it works on this host, and these records do not show it";
        judgement.verdict = by_records;
        judgement.weight = 0.0;
        judgement
            .evidence
            .push(line(Speaks::Against, EvidenceKind::Experiment, text));
        return;
    }
    // What the records show of it stays covered; what was measured is covered as far as it was.
    let by_records = judgement.covers.clone();
    let with_rest = |mut all: Vec<(Role, Option<f64>)>| {
        for (role, part) in &by_records {
            if !all.iter().any(|(r, _)| r == role) {
                all.push((*role, *part));
            }
        }
        all
    };
    let [least, likely, most] = [0, 1, 2].map(|which| case.share(&with_rest(covered(which))));
    let end =
        |share: Option<Share>, at: usize| share.map(|s| s.range.map_or(s.value, |range| range[at]));
    judgement.share = likely.map(|s| Share {
        value: s.value,
        range: end(least, 0).zip(end(most, 1)).map(|(lo, hi)| [lo, hi]),
    });
    judgement.covers = with_rest(covers);
}

/// What an experiment alone says.
pub(crate) fn live(experiment: &Experiment, judgement: &mut Judgement) {
    let verdict = match experiment.verdict {
        ExperimentVerdict::Confirmed | ExperimentVerdict::Part => Some(CauseVerdict::Confirmed),
        ExperimentVerdict::Excluded => Some(CauseVerdict::Contradicted),
        ExperimentVerdict::Undecided => None,
    };
    let speaks = match experiment.verdict {
        ExperimentVerdict::Confirmed | ExperimentVerdict::Part => Speaks::For,
        ExperimentVerdict::Excluded => Speaks::Against,
        ExperimentVerdict::Undecided => Speaks::Neither,
    };
    let mut lines = vec![line(
        speaks,
        EvidenceKind::Experiment,
        format!(
            "switched on and off here ({}): {}",
            experiment.switch, experiment.because
        ),
    )];
    for effect in &experiment.effects {
        lines.push(line(speaks, EvidenceKind::Experiment, told(effect)));
    }
    judgement.evidence.splice(0..0, lines);
    if let Some(verdict) = verdict {
        judgement.verdict = verdict;
        judgement.weight = match verdict {
            CauseVerdict::Confirmed => CONFIRMED,
            _ => 0.0,
        };
        if verdict == CauseVerdict::Contradicted {
            judgement.covers.clear();
            judgement.fits = false;
        }
    }
}

fn of(effect: &Effect) -> String {
    let quantity = effect.quantity();
    let Estimated { value, range } = effect.effect;
    let range = quantity.interval_of_worse(value, range);
    format!("{} {range}", quantity.said_of_worse(value))
}

/// `ctx.ring{...}: 3.90 times as long [3.70, 4.10] with it; 98 % [96, 101] of the difference goes`.
pub(crate) fn told(effect: &Effect) -> String {
    let mut text = format!("{}: {} with it", effect.point, of(effect));
    if let Some(share) = effect.share {
        text += &format!("; {:.0} %", share.value * 100.0);
        if let Some([lo, hi]) = share.range {
            text += &format!(" [{:.0}, {:.0}]", lo * 100.0, hi * 100.0);
        }
        text += " of the difference goes away without it";
    }
    text
}

/// What the experiments showed, in a sentence.
pub(crate) fn sentence(experiments: &[Experiment]) -> String {
    let title = |e: &Experiment| {
        let cause = CAUSES.iter().find(|c| c.id == e.cause);
        cause.map_or(e.cause.clone(), |c| c.title.to_owned())
    };
    let of = |wanted: ExperimentVerdict| -> Vec<String> {
        let those = experiments.iter().filter(|e| e.verdict == wanted);
        those
            .map(|e| match e.effects.first() {
                Some(effect) if wanted <= ExperimentVerdict::Part => {
                    format!("{} ({})", title(e), told(effect))
                }
                _ => title(e),
            })
            .collect()
    };
    let parts = [
        ("Confirmed by switching", ExperimentVerdict::Confirmed),
        ("Confirmed as a part", ExperimentVerdict::Part),
        ("Excluded by switching", ExperimentVerdict::Excluded),
        ("Undecided", ExperimentVerdict::Undecided),
    ];
    let said = parts.into_iter().filter_map(|(words, verdict)| {
        let those = of(verdict);
        (!those.is_empty()).then(|| format!("{words}: {}.", those.join("; ")))
    });
    said.collect::<Vec<_>>().join(" ")
}

/// The role of a point of an experiment in a case: as the case has it, else by its name and size.
fn role_of_point(point: &Point, case: &Case<'_>) -> Role {
    let same = case.points.iter().find(|p| p.point.point == *point);
    same.map_or_else(
        || {
            let ends = Ends::of(case.a, &case.comparison.points, &case.rises);
            role_of(point, size_of(point, None), &ends)
        },
        |p| p.role,
    )
}
