//! Switching a cause on and off: measurements and result. Measured by `runner`, evaluated by
//! `explain`, shown by `report`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change::Quantity;
use crate::share::Share;
use crate::state::State;
use crate::{Better, Point, Unit};

/// What a process observes of its environment: the state of the host, and what must be tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Sensed {
    /// State of the host, and of itself.
    pub state: State,
    /// What must be tried.
    pub tried: Tried,
}

/// Results of trying; what could not be tried is absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct Tried {
    /// Share of a quarter of a second of spinning in which it ran on the CPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_share: Option<f64>,
    /// For an experiment that places pages: share of pages beyond an even share per color.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crowded: Option<f64>,
    /// Bytes backed by huge pages, of 8 MiB requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub huge_bytes: Option<f64>,
    /// Libraries that a dynamic program has mapped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub libraries: Option<f64>,
    /// Open file descriptors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_files: Option<f64>,
    /// CPUs that others used while it was spinning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub others_cpus: Option<f64>,
    /// Timer slack, ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slack_ns: Option<f64>,
    /// How often its control group was throttled while it was spinning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throttled: Option<f64>,
    /// Share of the spinning spent in run-queue delay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waited_share: Option<f64>,
}

/// Processes of one experiment, as measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trial {
    /// Whole blocks.
    pub blocks: u32,
    /// One value per process.
    pub values: Vec<TrialValue>,
    /// Observations of processes in each arm.
    pub sensed: Vec<(usize, Sensed)>,
    /// Errors, each once.
    pub trouble: Vec<String>,
}

/// A process of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialValue {
    /// The representative point, as named by the experiment.
    pub point: Point,
    /// Block, from 0.
    pub block: u32,
    /// Position in the block, from 0.
    pub place: u32,
    /// Arm.
    pub arm: usize,
    /// Its value.
    pub value: f64,
    /// Unit of the value.
    pub unit: Unit,
    /// Logarithm of the value, with reversed sign if more is better: how much worse it is.
    pub worse: f64,
}

/// Result of switching a cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Experiment {
    /// The cause.
    pub cause: String,
    /// What was switched.
    pub switch: String,
    /// The verdict.
    pub verdict: ExperimentVerdict,
    /// Why that verdict, in a sentence.
    pub because: String,
    /// Blocks, each with every arm forward and backward.
    pub blocks: u32,
    /// The manipulation check: whether the switch took effect, with the evidence.
    pub manipulation: Check,
    /// Points that it moved.
    pub effects: Vec<Effect>,
    /// Points that it must not move.
    pub spared: Vec<Effect>,
    /// p-value of the effect on the first point, adjusted for the number of causes tried (Holm).
    pub p: Option<f64>,
    /// What could not be done, one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A check of an experiment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Check {
    /// True if it passed.
    pub passed: bool,
    /// The evidence.
    pub text: String,
}

/// The verdict of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ExperimentVerdict {
    /// The difference appears and disappears with the switch, and none remains without it.
    Confirmed,
    /// Part of the difference disappears with the switch, and part remains.
    Part,
    /// Switching it has no effect here.
    Excluded,
    /// The experiment is inconclusive.
    Undecided,
}

/// Effect of a switch on a point. Logarithms of the slowdown factor, with 95 % intervals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Effect {
    /// The point.
    pub point: Point,
    /// Unit of its values.
    pub unit: Unit,
    /// Typical value without the cause.
    pub off: f64,
    /// Typical value with the cause.
    pub on: f64,
    /// On against off: what the switch moves.
    pub effect: Estimated,
    /// On against the reference, which never had the switch: the difference to be explained.
    pub difference: Option<Estimated>,
    /// Off against the reference: what remains without the cause (also the placebo, as the reference
    /// lacks the mechanism of the switch).
    pub remains: Option<Estimated>,
    /// True if nothing remains of the difference: less than a tenth of it, or than the margin, by a one-sided
    /// test.
    pub nothing_remains: Option<bool>,
    /// Off after on, against off before: is the effect reversible?
    pub reversal: Option<Estimated>,
    /// Share of the difference that disappears with the cause.
    pub share: Option<Share>,
    /// Effects of the doses between off and on, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doses: Vec<Dose>,
    /// True if the effect increases with every dose.
    pub grows: Option<bool>,
}

impl Effect {
    /// What the value is of.
    pub fn quantity(&self) -> Quantity {
        let better = match self.unit.is_rate() {
            true => Better::Higher,
            false => Better::Lower,
        };
        Quantity::of(self.unit, None, better)
    }

    /// Logarithm of the value as a slowdown: reversed for a rate (more is better).
    pub fn of_value(&self, worse: Estimated) -> Estimated {
        let [lo, hi] = worse.range;
        match self.unit.is_rate() {
            true => Estimated {
                value: -worse.value,
                range: [-hi, -lo],
            },
            false => worse,
        }
    }
}

/// The effect of a dose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Dose {
    /// The dose, as a condition.
    pub dose: String,
    /// What it moves.
    pub effect: Estimated,
}

/// A mean over blocks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Estimated {
    /// The mean.
    pub value: f64,
    /// Its 95 % interval.
    pub range: [f64; 2],
}
