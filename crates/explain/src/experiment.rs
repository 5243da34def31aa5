//! Experiments: which causes are tried, what is measured for each, and what that shows.
//!
//! A block goes through reference, off, the doses and on, and back the same way, so that what drifts
//! steadily cancels within it; blocks are what is repeated. Everything is on logarithms. What is measured
//! comes from a [`Lab`], so that nothing here touches the host.

mod choice;
mod effect;
mod layout;
mod session;
mod verdict;

use whyslow_model::experiment::{Check, Effect, Experiment, ExperimentVerdict, Trial};
use whyslow_model::point::PointError;
use whyslow_runner::{RunError, TrialPoint};
use whyslow_stats::multiple::holm;

use crate::cause::Cause;
use crate::switch::Switch;
use layout::Layout;
use verdict::verdict;

pub use choice::{ChoiceError, Switchable, chosen};
pub use session::{ExperimentStep, Experiments, Lab, try_all};

/// Blocks of an experiment: with ten, an effect of one and a half times the spread of a block is shown.
pub const BLOCKS: u32 = 10;

/// Chance that any one of the causes confirmed is none, over all that were tried.
const ALPHA: f64 = 0.05;

/// Why an experiment brings nothing.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// A switch names something that is no point.
    #[error("{text}: {source}")]
    NoPoint {
        /// What it names.
        text: String,
        /// What is wrong with it.
        source: PointError,
    },
    /// A switch measures at the size of a cache that this host lacks.
    #[error("the host claims no second-level cache")]
    NoSecondLevel,
    /// No process can be put under its conditions, in the words of the condition.
    #[error("{0}")]
    Conditions(String),
    /// Nothing can be measured.
    #[error(transparent)]
    Run(RunError),
    /// The user stopped it.
    #[error("stopped before there was anything to tell")]
    Stopped,
}

impl From<RunError> for ExperimentError {
    fn from(why: RunError) -> ExperimentError {
        match why {
            RunError::Stopped => ExperimentError::Stopped,
            why => ExperimentError::Run(why),
        }
    }
}

/// The experiment of a cause whose switch did not take, which is not measured.
fn did_not_take(cause: &Cause, switch: &Switch, saw: &str) -> Experiment {
    Experiment {
        cause: cause.id.to_owned(),
        switch: switch.what.to_owned(),
        verdict: ExperimentVerdict::Undecided,
        because: "the switch did not take here, so nothing was measured".to_owned(),
        blocks: 0,
        manipulation: Check {
            passed: false,
            text: saw.to_owned(),
        },
        effects: Vec::new(),
        spared: Vec::new(),
        p: None,
        notes: Vec::new(),
    }
}

/// What `trial`, measured as `layout` says, shows of `cause`.
fn judge(cause: &Cause, switch: &Switch, layout: &Layout, trial: &Trial) -> Experiment {
    let of = |points: &[TrialPoint]| -> Vec<Effect> {
        let points = points.iter();
        points
            .filter_map(|p| effect::of_point(&p.point, trial, layout))
            .collect()
    };
    let (effects, spared) = (of(layout.moves()), of(layout.spares()));
    let mut experiment = Experiment {
        manipulation: manipulation(switch, trial, layout),
        ..did_not_take(cause, switch, "")
    };
    experiment.blocks = trial.blocks;
    experiment.notes.clone_from(&trial.trouble);
    experiment.p = effects
        .first()
        .and_then(|e| effect::p_value(&e.point, trial, layout));
    (experiment.verdict, experiment.because) = verdict(&experiment.manipulation, &effects, &spared);
    experiment.effects = effects;
    experiment.spared = spared;
    experiment
}

/// Did the switch take each time that it was checked?
fn manipulation(switch: &Switch, trial: &Trial, layout: &Layout) -> Check {
    let of = |arm: usize| {
        trial
            .sensed
            .iter()
            .filter(move |(a, _)| *a == arm)
            .map(|(_, s)| s)
    };
    let mut passed = None;
    for (off, on) in of(layout.off()).zip(of(layout.on())) {
        match (switch.took)(off, on) {
            Ok(text) => passed = Some(text),
            Err(why) => {
                return Check {
                    passed: false,
                    text: why.to_string(),
                };
            }
        }
    }
    Check {
        passed: passed.is_some(),
        text: passed.unwrap_or_else(|| "not checked".to_owned()),
    }
}

/// Adjusts p-values and verdicts for the number of causes that were tried.
fn adjust(experiments: &mut [Experiment]) {
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
