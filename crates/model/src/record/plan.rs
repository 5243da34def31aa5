//! What a run measures, with what is needed to interpret its numbers without the registry.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MarkKind;
use crate::summary::Level;
use crate::{Better, Point, Unit};

/// The points of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Plan {
    /// Points to measure.
    pub points: Vec<Planned>,
    /// Requested points that cannot be measured here, with the reason.
    pub skipped: Vec<Skipped>,
    /// Rounds planned.
    pub rounds: u32,
    /// The levels of the memory hierarchy that points take their sizes from, if any does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sized_by: Option<SizedBy>,
    /// The largest working set, bytes, where the latency curve has shown that this much is memory although the last-level
    /// cache is claimed to hold it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond_bytes: Option<u64>,
}

/// The levels that points take their sizes from, as known when the run was planned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SizedBy {
    /// Those of the latency curve, as its first processes show them.
    Curve(Vec<Level>),
    /// The caches that the kernel reports, as the curve showed no levels.
    Claims,
}

/// A point with the information needed to interpret its numbers without the registry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Planned {
    /// The point.
    pub point: Point,
    /// Unit of its value.
    pub unit: Unit,
    /// Which direction is better.
    pub better: Better,
    /// How the value is computed from the series.
    pub value: ValueRule,
    /// What the batches of a draw give.
    #[serde(default, skip_serializing_if = "Estimator::is_middle")]
    pub estimator: Estimator,
    /// Standard deviation between runs of one host, of the logarithm of the value: what drifts from run to run, and cannot
    /// be seen within one. Declared by the probe; 0 if it is not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub between_runs: f64,
    /// Working set, bytes, for memory points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// Marks that are part of this point's work and do not exclude a sample.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usual_marks: Vec<MarkKind>,
    /// Its name in the source, for figures that whyslow did not measure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The source's unit, such as `MB/s`, if `unit` is a plain number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// How a point's value is computed from its series.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ValueRule {
    /// There is one series.
    Single,
    /// The best series by its value over all processes; all are kept.
    Best,
    /// The first series less the second, within each process.
    Less {
        /// The minuend.
        from: String,
        /// The subtrahend.
        less: String,
    },
    /// Every series is independent; the point has no single value.
    Each,
}

/// What stands for the batches of one draw. Declared by the probe before anything is measured, and the same on both sides
/// of a comparison.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Estimator {
    /// Their median.
    #[default]
    Middle,
    /// The tenth part of their times, from the fast end: for work that noise only slows.
    Low,
}

impl Estimator {
    /// The quantile of the times.
    pub fn quantile(self) -> f64 {
        match self {
            Estimator::Middle => 0.5,
            Estimator::Low => 0.1,
        }
    }

    fn is_middle(&self) -> bool {
        *self == Estimator::Middle
    }
}

/// Something not measured, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Skipped {
    /// The point, or the probe if no point could be formed.
    pub what: String,
    /// The reason.
    pub why: String,
}
