//! One node of a fleet over time: computed by `fleet`, shown by `report`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fleet::HardwareFact;

/// Version of the format of a [`NodeHistory`].
pub const SCHEMA: u32 = 1;

/// One node over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NodeHistory {
    /// Format, see [`SCHEMA`].
    pub schema: u32,
    /// The node.
    pub node: String,
    /// Its hardware in the newest record.
    pub hardware: Vec<HardwareFact>,
    /// Records that count: those of that hardware.
    pub records: u32,
    /// Records of other hardware, which are left out.
    pub other_hardware: u32,
    /// Start of the first record that counts, RFC 3339 in UTC.
    pub first: String,
    /// Start of the last.
    pub last: String,
    /// Accepted share of nodes without a step of which one is shown in some series.
    pub false_share: f64,
    /// Families, or points that were asked for.
    pub series: Vec<HistorySeries>,
}

/// A family or a point over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HistorySeries {
    /// The family, or the point.
    pub name: String,
    /// Points that it is the mean of.
    pub points: u32,
    /// Its values, in the order of time.
    pub values: Vec<HistoryValue>,
    /// Standard deviation of a value, by how successive ones differ, as a share; absent with fewer than three.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
    /// Steps that are shown, in the order of time.
    pub steps: Vec<HistoryStep>,
    /// Why no step was looked for; absent if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_tested: Option<String>,
    /// True if values between steps follow each other: steps may be parts of a drift.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wanders: bool,
    /// For how long averaging helps.
    pub averaging: Averaging,
}

/// One record of a series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HistoryValue {
    /// Start of the record, RFC 3339 in UTC.
    pub started: String,
    /// How many times longer it took than the median of the series.
    pub times_longer: f64,
}

/// A step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HistoryStep {
    /// Start of the last record before it, RFC 3339 in UTC.
    pub after: String,
    /// Start of the first record with it.
    pub before: String,
    /// How many times longer the node takes from then on, up to the next step.
    pub times_longer: f64,
    /// Interval of that, 95 %; absent where a side does not vary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// Share of the permutations of the values with a difference as large.
    pub p: f64,
}

/// For how long averaging helps, by the longest stretch of evenly spaced records without a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Averaging {
    /// Time between two records, seconds; absent where the records do not support it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing_s: Option<f64>,
    /// Allan deviations at averaging times that double.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deviations: Vec<AllanDeviation>,
    /// What the records show.
    pub verdict: AveragingVerdict,
    /// The averaging time that the verdict is about, seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_s: Option<f64>,
}

/// The Allan deviation at an averaging time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct AllanDeviation {
    /// Records that are averaged.
    pub records: u32,
    /// Averaging time, seconds.
    pub seconds: f64,
    /// Deviation between neighboring averages, as a share.
    pub deviation: f64,
    /// Interval of it, 90 %.
    pub range: [f64; 2],
}

/// Up to where averages improve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AveragingVerdict {
    /// Up to a time; beyond it a drift dominates.
    Until,
    /// Up to a time at least: longer ones were not shown to be better, and no drift was.
    AtLeast,
    /// Not shown.
    Open,
    /// Records are too few, or not evenly spaced.
    NotMeasured,
}
