//! Planted causes and how they were named: computed by `explain`, shown by `report`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::explanation::CauseVerdict;
use crate::record::Skipped;
use crate::share::Share;

/// Version of the format of a [`CausesCheck`].
pub const SCHEMA: u32 = 1;

/// What came of planting causes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CausesCheck {
    /// Format, see [`SCHEMA`].
    pub schema: u32,
    /// Seed of everything random.
    pub seed: u64,
    /// The host, as its records name it.
    pub host: String,
    /// Processes a point.
    pub rounds: u32,
    /// Every trial, in its order.
    pub trials: Vec<PlantTrial>,
    /// How often each kind of trial was named right.
    pub rows: Vec<Score>,
    /// What could not be planted here, with the reason.
    pub skipped: Vec<Skipped>,
}

/// How often a kind of trial was named right: a row of the confusion matrix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// What was planted.
    pub plant: String,
    /// The causes that should be named.
    pub planted: Vec<String>,
    /// Trials.
    pub trials: u32,
    /// Trials in which the planted causes come before all others.
    pub first: u32,
    /// Trials in which one other comes before them at most.
    pub near: u32,
    /// Trials in which each is named at all, as consistent or open.
    pub named: u32,
    /// What was named first, with how often, the commonest first.
    pub answers: Vec<(String, u32)>,
}

/// A cause, or two, planted once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlantTrial {
    /// What was planted.
    pub plant: String,
    /// The causes that should be named.
    pub planted: Vec<String>,
    /// Which repetition, from 1.
    pub rep: u32,
    /// The place of each of those among the causes named, from 1; absent where it was not named.
    pub ranks: Vec<Option<u32>>,
    /// The causes named, the likeliest first.
    pub named: Vec<Named>,
    /// The answer in words.
    pub answer: String,
    /// What both records took, s.
    pub seconds: f64,
}

/// A cause as it was named.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Named {
    /// Its id.
    pub cause: String,
    /// The verdict.
    pub verdict: CauseVerdict,
    /// Its weight.
    pub weight: f64,
    /// The share that it covers.
    pub share: Option<Share>,
}
