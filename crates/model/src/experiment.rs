//! Switching a cause on and off: what was measured, and what it shows. Measured by `runner`, judged by
//! `explain`, shown by `report`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::share::Share;
use crate::state::State;
use crate::{Point, Unit};

/// What a process sees of its surroundings: the state of the host as it sees it, and what only trying
/// shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sensed {
    /// State of the host, and of itself.
    pub state: State,
    /// What only trying shows.
    pub tried: Tried,
}

/// What a process found by trying; what could not be tried is absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Tried {
    /// Share of a quarter of a second of spinning in which the CPU was its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_share: Option<f64>,
    /// Of an experiment that places pages: share of pages beyond an even part for their color.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crowded: Option<f64>,
    /// Bytes of 8 MiB asked for as huge pages that are.
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
    /// Times that its control group was throttled while it was spinning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throttled: Option<f64>,
    /// Share of the spinning in which it waited for a CPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waited_share: Option<f64>,
}

/// Processes of one experiment, as they were measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trial {
    /// Whole blocks.
    pub blocks: u32,
    /// One value a process.
    pub values: Vec<TrialValue>,
    /// What processes of each arm saw.
    pub sensed: Vec<(usize, Sensed)>,
    /// What went wrong, each once.
    pub trouble: Vec<String>,
}

/// A process of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialValue {
    /// The point that stands for it, as the experiment names it.
    pub point: Point,
    /// Block, from 0.
    pub block: u32,
    /// Place in the block, from 0.
    pub place: u32,
    /// Arm.
    pub arm: usize,
    /// Its value.
    pub value: f64,
    /// Unit of the value.
    pub unit: Unit,
    /// Logarithm of the value, its sign turned where more is better: how much worse it is.
    pub worse: f64,
}

/// What switching a cause showed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Experiment {
    /// The cause.
    pub cause: String,
    /// What was switched.
    pub switch: String,
    /// The verdict.
    pub verdict: ExperimentVerdict,
    /// Why that verdict, in a sentence.
    pub because: String,
    /// Blocks, each of every arm there and back.
    pub blocks: u32,
    /// Did the switch take; and what showed it, or what was seen instead.
    pub manipulation: Check,
    /// What it moved.
    pub effects: Vec<Effect>,
    /// What it must not move.
    pub spared: Vec<Effect>,
    /// p-value of the effect on the first point, adjusted for the causes that were tried (Holm).
    pub p: Option<f64>,
    /// What could not be done, one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A check of an experiment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// Did it pass?
    pub passed: bool,
    /// What showed it.
    pub text: String,
}

/// The verdict of an experiment.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ExperimentVerdict {
    /// The difference comes and goes with the switch, and what remains without it is none.
    Confirmed,
    /// Part of the difference goes with the switch, and part remains.
    Part,
    /// Switching it moves nothing here.
    Excluded,
    /// The experiment does not tell.
    Undecided,
}

/// What a switch did to a point. Logarithms of times worse, with 95 % intervals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Effect {
    /// The point.
    pub point: Point,
    /// Unit of its values.
    pub unit: Unit,
    /// Typical value with the cause away.
    pub off: f64,
    /// Typical value with the cause there.
    pub on: f64,
    /// On against off: what the switch moves.
    pub effect: Estimated,
    /// On against the reference, which never met the switch: the difference to be explained.
    pub difference: Option<Estimated>,
    /// Off against the reference: what remains without the cause (and the placebo, as the reference lacks
    /// the machinery of the switch).
    pub remains: Option<Estimated>,
    /// Is what remains none of the difference: less than a tenth of it, or than the margin, by a one-sided test?
    pub nothing_remains: Option<bool>,
    /// Off after on, against off before: does it all go away again?
    pub reversal: Option<Estimated>,
    /// Share of the difference that goes away with the cause.
    pub share: Option<Share>,
    /// Effects of the doses between off and on, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doses: Vec<Dose>,
    /// Does the effect grow with the dose throughout?
    pub grows: Option<bool>,
}

impl Effect {
    /// Logarithm of what `worse` makes of the value: of a rate (more is better) it is the other way round.
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Dose {
    /// The dose, as a condition.
    pub dose: String,
    /// What it moves.
    pub effect: Estimated,
}

/// A mean over blocks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimated {
    /// The mean.
    pub value: f64,
    /// Its 95 % interval.
    pub range: [f64; 2],
}
