//! A load before and after: real, user and system time of two arms, level by level.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::experiment::Estimated;

/// Two arms of a load, or two records of one, row by row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LoadTable {
    /// The arm that is compared with; `A` for a record.
    pub before: String,
    /// The arm that is compared; `B` for a record.
    pub after: String,
    /// How the arms were run.
    pub design: LoadDesign,
    /// Coverage of each interval: so wide that all of the load's together cover 95 % (Bonferroni).
    pub coverage: f64,
    /// How many comparisons that is for: levels, times three quantities, times arms.
    pub corrected_for: u32,
    /// Levels, or combinations of level and parameters, in the order of the plan.
    pub rows: Vec<LoadRow>,
}

/// How two arms were run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LoadDesign {
    /// In blocks there and back; intervals are of the mean logarithm of the ratio over the pairs of runs of whole blocks.
    Blocks,
    /// One record after the other; intervals are by Welch's test on logarithms.
    Records,
}

/// One level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LoadRow {
    /// What tells it from the other rows, such as `j=4`; empty for a load without levels.
    pub name: String,
    /// The level; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
    /// Elapsed time.
    pub real: LoadChange,
    /// Processor time outside the kernel.
    pub user: LoadChange,
    /// Processor time in the kernel.
    pub system: LoadChange,
}

impl LoadRow {
    /// The quantities with their names.
    pub fn quantities(&self) -> [(&'static str, &LoadChange); 3] {
        [
            ("real", &self.real),
            ("user", &self.user),
            ("system", &self.system),
        ]
    }
}

/// One quantity of one level in both arms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LoadChange {
    /// The arm that is compared with.
    pub before: LoadTimes,
    /// The arm that is compared.
    pub after: LoadTimes,
    /// Pairs of runs that the ratio rests on; the runs of the side that has fewer, for records.
    pub units: u32,
    /// Time after over time before; absent with fewer than three pairs, or where some time is zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<Estimated>,
    /// What that says.
    pub verdict: LoadVerdict,
}

/// Times of the runs of an arm, s.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LoadTimes {
    /// Runs.
    pub runs: u32,
    /// Geometric mean; arithmetic where a time is zero.
    pub mean_s: f64,
    /// The shortest.
    pub min_s: f64,
    /// The longest.
    pub max_s: f64,
    /// Standard deviation; absent for a single run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation_s: Option<f64>,
}

/// What a comparison of two arms says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LoadVerdict {
    /// Less time after: the interval is below 1.
    Less,
    /// More time after: the interval is above 1.
    Longer,
    /// No difference shown: the interval includes 1.
    NotShown,
    /// Nothing can be said: too few runs, or times of zero.
    Unknown,
}
