//! Planted causes and how they were identified: computed by `explain`, shown by `report`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::explanation::CauseVerdict;
use crate::record::Skipped;
use crate::share::Share;

/// Version of the format of a [`CausesCheck`].
pub const SCHEMA: u32 = 1;

/// Result of planting causes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CausesCheck {
    /// Format, see [`SCHEMA`].
    pub schema: u32,
    /// Seed of all random choices.
    pub seed: u64,
    /// The host, as named in its records.
    pub host: String,
    /// Processes per point.
    pub rounds: u32,
    /// Every trial, in order.
    pub trials: Vec<PlantTrial>,
    /// How often each kind of trial was identified correctly.
    pub rows: Vec<Score>,
    /// What could not be planted here, with the reason.
    pub skipped: Vec<Skipped>,
}

/// How often a kind of trial was identified correctly: a row of the confusion matrix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Score {
    /// The planted cause.
    pub plant: String,
    /// The expected causes.
    pub planted: Vec<String>,
    /// Trials.
    pub trials: u32,
    /// Trials in which the planted causes rank before all others.
    pub first: u32,
    /// Trials in which at most one other cause ranks before them.
    pub near: u32,
    /// Trials in which each is listed, as consistent or open.
    pub named: u32,
    /// Causes ranked first, with counts, the most frequent first.
    pub answers: Vec<(String, u32)>,
}

/// A cause, or two, planted once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PlantTrial {
    /// The planted cause.
    pub plant: String,
    /// The expected causes.
    pub planted: Vec<String>,
    /// Repetition, from 1.
    pub rep: u32,
    /// The rank of each of those among the listed causes, from 1; absent if not listed.
    pub ranks: Vec<Option<u32>>,
    /// The listed causes, the most likely first.
    pub named: Vec<Named>,
    /// The answer as text.
    pub answer: String,
    /// Duration of both records, s.
    pub seconds: f64,
}

/// A listed cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
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
