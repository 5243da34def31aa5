//! What experiments say to a judgement by records.

use whyslow_model::experiment::{Effect, Experiment, ExperimentVerdict};
use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};

use crate::case::Case;
use crate::cause::{Judgement, line};
use crate::causes::CAUSES;
use crate::role::{Role, role_of_point};
use crate::words;

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
    // Of each role that moved, what the switch moves there, and no more than moved.
    let mut covers: Vec<(Role, Option<f64>)> = Vec::new();
    for effect in &experiment.effects {
        let role = role_of_point(&effect.point, case);
        let Some(group) = case.group(&[role]).filter(|g| g.moved > 0) else {
            continue;
        };
        let (here, there) = (effect.effect.value, group.worse);
        let same = here * there > 0.0;
        let text = format!(
            "the records differ there by {} ({}); the switch makes it {}",
            words::worse(there),
            role.name(),
            words::worse(here)
        );
        let speaks = if same { Speaks::For } else { Speaks::Neither };
        judgement
            .evidence
            .push(line(speaks, EvidenceKind::Experiment, text));
        if same && !covers.iter().any(|(r, _)| *r == role) {
            covers.push((role, Some(here)));
        }
    }
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
    let mut all = covers;
    for (role, part) in &judgement.covers {
        if !all.iter().any(|(r, _)| r == role) {
            all.push((*role, *part));
        }
    }
    judgement.covers = all;
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

/// `ctx.ring{...}: 3.9 times worse [3.7, 4.1] times with it; 98 % [96, 101] of the difference goes`.
pub(crate) fn told(effect: &Effect) -> String {
    let mut text = format!(
        "{}: {} {} with it",
        effect.point,
        words::worse(effect.effect.value),
        words::interval(effect.effect.range)
    );
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
