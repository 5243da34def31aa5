//! Experiments: from a cause's switch to what is measured, and from what was measured to a verdict.
//!
//! A block goes through reference, off, the doses and on, and back the same way, so that what drifts
//! steadily cancels within it; blocks are what is repeated. Everything is on logarithms.

mod effect;

use whyslow_model::experiment::{Check, Effect, Experiment, ExperimentVerdict, Trial};
use whyslow_model::{Point, size};
use whyslow_runner::{TrialPlan, TrialPoint};
use whyslow_stats::multiple::holm;

use crate::cause::Cause;
use crate::switch::{SECOND_LEVEL, Switch};
use crate::words;
use effect::{Arms, MARGIN};

/// The arms of every experiment before the doses.
const REFERENCE: usize = 0;
const OFF: usize = 1;

/// Chance that any one of the causes confirmed is none, over all that were tried.
const ALPHA: f64 = 0.05;

/// A spared point speaks against a cause from this share of what the cause moved: the same as in
/// judging by records.
const AS_MUCH: f64 = 0.5;

/// What to measure for `switch` on a host with a second-level cache of so many bytes, where it has one.
///
/// # Errors
/// When it names something that is no point, or a size that this host lacks.
pub fn trial_plan(
    switch: &Switch,
    blocks: u32,
    second_level: Option<u64>,
) -> Result<TrialPlan, String> {
    let arms = arms(switch);
    let point = |text: &&str| {
        let text = match (text.contains(SECOND_LEVEL), second_level) {
            (true, Some(bytes)) => text.replace(SECOND_LEVEL, &size::format(bytes)),
            (true, None) => return Err("the host claims no second-level cache".to_owned()),
            (false, _) => (*text).to_owned(),
        };
        text.parse::<Point>().map_err(|e| format!("{text}: {e}"))
    };
    let mut points = Vec::new();
    for (i, name) in switch.moves.iter().enumerate() {
        let own = point(name)?;
        let other = |list: &[&'static str]| list.get(i).map_or(Ok(own.clone()), point);
        let mut measured = vec![Some(own.clone()); arms.len()];
        measured[REFERENCE] = Some(other(switch.reference_points)?);
        measured[OFF] = Some(other(switch.off_points)?);
        points.push(TrialPoint {
            point: own,
            arms: measured,
        });
    }
    for name in switch.spares {
        let own = point(name)?;
        let mut measured = vec![None; arms.len()];
        measured[OFF] = Some(own.clone());
        if let Some(on) = measured.last_mut() {
            *on = Some(own.clone());
        }
        points.push(TrialPoint {
            point: own,
            arms: measured,
        });
    }
    Ok(TrialPlan {
        points,
        sensed: vec![OFF, arms.len() - 1],
        arms,
        blocks,
        first_cpu: switch.first_cpu,
        draws: switch.draws,
        batch_ns: switch.batch_ns,
    })
}

/// Conditions by arm: reference, off, the doses ascending, on.
fn arms(switch: &Switch) -> Vec<Vec<String>> {
    let own = |list: &[&str]| list.iter().map(|c| (*c).to_owned()).collect();
    let ends = [switch.reference, switch.off];
    let mut arms: Vec<Vec<String>> = ends.into_iter().map(own).collect();
    arms.extend(switch.doses.iter().map(|dose| own(dose)));
    arms.push(own(switch.on));
    arms
}

/// The experiment of a cause whose switch did not take, which is not measured.
pub fn did_not_take(cause: &Cause, switch: &Switch, saw: String) -> Experiment {
    Experiment {
        cause: cause.id.to_owned(),
        switch: switch.what.to_owned(),
        verdict: ExperimentVerdict::Undecided,
        because: "the switch did not take here, so nothing was measured".to_owned(),
        blocks: 0,
        manipulation: Check {
            passed: false,
            text: saw,
        },
        effects: Vec::new(),
        spared: Vec::new(),
        p: None,
        notes: Vec::new(),
    }
}

/// What `trial`, measured as `plan` of [`trial_plan`] says, shows of `cause`.
pub fn judge(cause: &Cause, switch: &Switch, plan: &TrialPlan, trial: &Trial) -> Experiment {
    let arms = Arms {
        all: arms(switch),
        doses: switch.doses,
    };
    let of = |points: &[TrialPoint]| -> Vec<Effect> {
        let points = points.iter();
        points
            .filter_map(|p| effect::of_point(&p.point, trial, &arms))
            .collect()
    };
    let (moves, spares) = plan
        .points
        .split_at(switch.moves.len().min(plan.points.len()));
    let (effects, spared) = (of(moves), of(spares));
    let mut experiment = Experiment {
        manipulation: manipulation(switch, trial, arms.all.len() - 1),
        ..did_not_take(cause, switch, String::new())
    };
    experiment.blocks = trial.blocks;
    experiment.notes.clone_from(&trial.trouble);
    experiment.p = effects
        .first()
        .and_then(|e| effect::p_value(&e.point, trial, &arms));
    (experiment.verdict, experiment.because) = verdict(&experiment.manipulation, &effects, &spared);
    experiment.effects = effects;
    experiment.spared = spared;
    experiment
}

/// Did the switch take each time that somebody looked?
fn manipulation(switch: &Switch, trial: &Trial, on: usize) -> Check {
    let of = |arm: usize| {
        trial
            .sensed
            .iter()
            .filter(move |(a, _)| *a == arm)
            .map(|(_, s)| s)
    };
    let mut passed = None;
    for (off, on) in of(OFF).zip(of(on)) {
        match (switch.took)(off, on) {
            Ok(text) => passed = Some(text),
            Err(text) => {
                return Check {
                    passed: false,
                    text,
                };
            }
        }
    }
    Check {
        passed: passed.is_some(),
        text: passed.unwrap_or_else(|| "nobody looked".to_owned()),
    }
}

fn verdict(took: &Check, effects: &[Effect], spared: &[Effect]) -> (ExperimentVerdict, String) {
    use ExperimentVerdict::{Confirmed, Excluded, Part, Undecided};
    let Some(first) = effects.first() else {
        let text = "the point that decides could not be measured under every condition";
        return (Undecided, text.to_owned());
    };
    if !took.passed {
        return (Undecided, format!("the switch did not take: {}", took.text));
    }
    let moved = |e: &Effect| e.effect.range[0] > 0.0 || e.effect.range[1] < 0.0;
    if !moved(first) || first.effect.value.abs() < MARGIN.ln_1p() {
        let widest = first
            .effect
            .range
            .map(f64::abs)
            .into_iter()
            .fold(0.0, f64::max);
        return if widest <= MARGIN.ln_1p() {
            let text = format!(
                "switching it moves {} by less than {:.0} %",
                first.point,
                MARGIN * 100.0
            );
            (Excluded, text)
        } else {
            let text = format!(
                "the effect on {} is {}: more blocks would tell",
                first.point,
                words::interval(first.effect.range)
            );
            (Undecided, text)
        };
    }
    if let Some(other) = spared
        .iter()
        .find(|s| moved(s) && s.effect.value.abs() >= AS_MUCH * first.effect.value.abs())
    {
        let text = format!(
            "{} moved too ({}), which it cannot move: something else was switched along with it",
            other.point,
            words::worse(other.effect.value)
        );
        return (Undecided, text);
    }
    if first.grows == Some(false) {
        let text = "the effect does not grow with the dose".to_owned();
        return (Undecided, text);
    }
    if let Some(back) = first.reversal.filter(|r| {
        let out = r.range[0] > 0.0 || r.range[1] < 0.0;
        out && r.value.abs() >= AS_MUCH * first.effect.value.abs()
    }) {
        let text = format!(
            "off after on is {}: it does not go away with the switch",
            words::worse(back.value)
        );
        return (Undecided, text);
    }
    if let Some(other) = first.remains.filter(|r| {
        let surely = r.range.iter().all(|end| end * first.effect.value < 0.0);
        surely && r.value.abs() >= AS_MUCH * first.effect.value.abs()
    }) {
        let text = format!(
            "without it {} than in the reference: something else was switched along with it",
            words::worse(other.value)
        );
        return (Undecided, text);
    }
    match (first.nothing_remains, first.remains) {
        (Some(true), _) => (
            Confirmed,
            "the difference comes and goes with the switch, and what remains without it is none"
                .to_owned(),
        ),
        (_, Some(remains)) if remains.range[0] <= 0.0 && remains.range[1] >= 0.0 => (
            Undecided,
            format!(
                "it moves {}, but whether something remains is not known well enough ({}): more blocks would tell",
                first.point,
                words::interval(remains.range)
            ),
        ),
        (_, Some(remains)) => (
            Part,
            format!(
                "part of the difference goes with the switch; without it {} remains",
                words::worse(remains.value)
            ),
        ),
        (_, None) => (
            Undecided,
            "without a reference what remains is not known".to_owned(),
        ),
    }
}

/// Adjusts p-values and verdicts for the number of causes that were tried.
pub fn adjust(experiments: &mut [Experiment]) {
    let p: Vec<f64> = experiments.iter().filter_map(|e| e.p).collect();
    let mut adjusted = holm(&p).into_iter();
    for experiment in experiments.iter_mut().filter(|e| e.p.is_some()) {
        experiment.p = adjusted.next();
        let shown = experiment.verdict <= ExperimentVerdict::Part;
        if shown && experiment.p.is_some_and(|p| p > ALPHA) {
            experiment.verdict = ExperimentVerdict::Undecided;
            experiment.because =
                "with so many causes tried, chance alone may have moved it".to_owned();
        }
    }
}

#[cfg(test)]
mod tests;
