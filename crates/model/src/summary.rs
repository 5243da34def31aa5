//! What a record says, point by point: computed by `stats`, shown by `report`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::named_unit::{self, serialize_with_named_unit};
use crate::{Better, Point, Unit};

/// A value with its 95 % interval over processes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// The value.
    pub value: f64,
    /// Lower and upper end; absent with fewer than two processes.
    pub range: Option<[f64; 2]>,
}

/// One point, summed up.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(remote = "Self")]
pub struct PointSummary {
    /// The point.
    pub point: Point,
    /// Unit of all values here: `ns`, `GB/s`, `GHz`, `B`, `count`, or the source's own.
    #[serde(deserialize_with = "named_unit::read")]
    #[schemars(with = "String")]
    pub unit: Unit,
    /// Which direction is good.
    pub better: Better,
    /// Bytes in the working set, for memory points.
    pub size_bytes: Option<u64>,
    /// What the source calls it, for figures that whyslow did not measure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The source's own unit, where whyslow did not measure; the same as `unit` then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The value; absent for points whose series each stand for themselves, for points that were
    /// not measured, and for points that fell into several topology classes.
    pub value: Option<Interval>,
    /// The series that gave the value, where there are several.
    pub from: Option<String>,
    /// Every series, in the order measured.
    pub series: Vec<SeriesSummary>,
    /// Values by topology class, where samples of more than one class were seen.
    pub classes: Vec<ClassSummary>,
    /// Value of each process, in round order.
    pub processes: Vec<f64>,
    /// Samples taken.
    pub samples: u32,
    /// Samples left out because of their marks, or of a neighbor on their core.
    pub left_out: u32,
    /// Of these, samples beside which the core's other hardware thread was busy.
    #[serde(default)]
    pub beside: u32,
    /// Shares of the variance of one sample, where more than one level was repeated.
    pub variance: Option<VarianceShares>,
    /// Modes of the process values, where they fall into more than one.
    pub modes: Vec<Mode>,
    /// Reasons why processes brought nothing, each once.
    pub failures: Vec<String>,
}

serialize_with_named_unit!(
    PointSummary,
    [
        point, better, size_bytes, value, from, series, classes, processes, samples, left_out,
        beside, variance, modes, failures
    ],
    [title]
);

/// One series of a point, summed up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeriesSummary {
    /// Name of the variant.
    pub name: String,
    /// Its value.
    pub value: Interval,
}

/// The value within one topology class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClassSummary {
    /// `near`, `far`, ... by hand-over time, or `moved` when the class changed during a sample.
    pub class: String,
    /// Typical one-way hand-over in this class, ns.
    pub handover_ns: f64,
    /// The value.
    pub value: Interval,
    /// The series that gave it, where there are several.
    pub from: Option<String>,
    /// Samples in the class.
    pub samples: u32,
}

/// Shares of the variance of logs by level; they add up to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VarianceShares {
    /// Between processes.
    pub process: f64,
    /// Between draws of one process.
    pub draw: f64,
    /// Between samples of one draw.
    pub sample: f64,
}

/// One mode of the process values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mode {
    /// Typical value.
    pub value: f64,
    /// Processes in it.
    pub processes: u32,
}

/// A level of the memory hierarchy as it acts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Level {
    /// `L1`, `L2`, `L3`, ... and `DRAM` for the last.
    pub name: String,
    /// Load-to-use latency, ns.
    pub latency_ns: Interval,
    /// Bytes it acts as; absent for memory.
    pub capacity_bytes: Option<Interval>,
    /// Largest size still at this level's latency, bytes; absent for memory.
    pub rises_from_bytes: Option<u64>,
    /// Bytes the kernel claims for it, where it claims any.
    pub claimed_bytes: Option<u64>,
}

/// All that a record says.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Every planned point.
    pub points: Vec<PointSummary>,
    /// Levels of the latency curve with ordinary pages; empty when it was not measured.
    pub levels: Vec<Level>,
    /// Topology changes seen: samples whose class differs from the one before, in time order.
    pub topology_moves: u32,
    /// What to know about the summary itself.
    pub notes: Vec<String>,
}

impl Summary {
    /// The summary of `point`, by its text.
    pub fn point(&self, point: &str) -> Option<&PointSummary> {
        self.points.iter().find(|p| p.point.to_string() == point)
    }
}
