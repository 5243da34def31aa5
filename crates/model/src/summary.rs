//! Summary of a record, point by point: computed by `stats`, shown by `report`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::named_unit::{self, serialize_with_named_unit};
use crate::{Better, Point, Unit};

/// A value with its 95 % interval over processes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Interval {
    /// The value.
    pub value: f64,
    /// Lower and upper end; absent with fewer than two processes.
    pub range: Option<[f64; 2]>,
}

/// What the variance of a point borrows from the other points of its record (empirical Bayes): its interval is that of
/// Student's t with `df` degrees of freedom and a variance of `sd` squared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Moderation {
    /// Standard deviation of one process's logarithm, moderated.
    pub sd: f64,
    /// Its degrees of freedom: those of the processes and of the prior.
    pub df: f64,
    /// Standard deviation that the other points let expect.
    pub prior_sd: f64,
    /// Degrees of freedom that this is worth.
    pub prior_df: f64,
}

/// One point, summed up.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(remote = "Self")]
pub struct PointSummary {
    /// The point.
    pub point: Point,
    /// Unit of all values here: `ns`, `GB/s`, `GHz`, `B`, `count`, or the source's own.
    #[serde(deserialize_with = "named_unit::read")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub unit: Unit,
    /// Which direction is better.
    pub better: Better,
    /// Working set, bytes, for memory points.
    pub size_bytes: Option<u64>,
    /// Its name in the source, for figures that whyslow did not measure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The source's own unit, where whyslow did not measure; the same as `unit` then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The value; absent for points with independent series, for points that were not measured, and
    /// for points with several topology classes.
    pub value: Option<Interval>,
    /// What the interval borrows from other points; absent if it rests on the point's own processes alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moderated: Option<Moderation>,
    /// The series of the value, if there are several.
    pub from: Option<String>,
    /// Every series, in the order measured.
    pub series: Vec<SeriesSummary>,
    /// Values by topology class, if samples of more than one class occurred.
    pub classes: Vec<ClassSummary>,
    /// Value of each process, in round order.
    pub processes: Vec<f64>,
    /// Samples taken.
    pub samples: u32,
    /// Samples left out because of marks or a busy SMT sibling.
    pub left_out: u32,
    /// Of these, samples with a busy SMT sibling.
    #[serde(default)]
    pub beside: u32,
    /// Shares of the variance of one sample, if more than one level was repeated.
    pub variance: Option<VarianceShares>,
    /// Modes of the process values, if there is more than one.
    pub modes: Vec<Mode>,
    /// Reasons of failed processes, each once.
    pub failures: Vec<String>,
}

serialize_with_named_unit!(
    PointSummary,
    [
        point, better, size_bytes, value, from, series, classes, processes, samples, left_out,
        beside, variance, modes, failures
    ],
    [title, moderated]
);

/// One series of a point, summed up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SeriesSummary {
    /// Name of the variant.
    pub name: String,
    /// Its value.
    pub value: Interval,
    /// As of the point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moderated: Option<Moderation>,
}

/// The value within one topology class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ClassSummary {
    /// `near`, `far`, ... by core-to-core latency, or `moved` when the class changed during a
    /// sample.
    pub class: String,
    /// Typical core-to-core latency in this class, one-way ns.
    pub handover_ns: f64,
    /// The value.
    pub value: Interval,
    /// As of the point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moderated: Option<Moderation>,
    /// The series of the value, if there are several.
    pub from: Option<String>,
    /// Samples in the class.
    pub samples: u32,
}

/// Shares of the variance of logarithms by level; the sum is 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct VarianceShares {
    /// Between processes.
    pub process: f64,
    /// Between draws of one process.
    pub draw: f64,
    /// Between samples of one draw.
    pub sample: f64,
}

/// One mode of the process values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Mode {
    /// Typical value.
    pub value: f64,
    /// Processes in it.
    pub processes: u32,
}

/// A level of the memory hierarchy, as measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Level {
    /// `L1`, `L2`, `L3`, ... and `DRAM` for the last.
    pub name: String,
    /// Load-to-use latency, ns.
    pub latency_ns: Interval,
    /// True if that is on huge pages: of memory, where loads on small pages wait for page walks too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub huge_pages: bool,
    /// Effective size, bytes; absent for memory.
    pub capacity_bytes: Option<Interval>,
    /// Largest size still at this level's latency, bytes; absent for memory.
    pub rises_from_bytes: Option<u64>,
    /// Size reported by the kernel, bytes, if any.
    pub claimed_bytes: Option<u64>,
}

/// No cache holds more than so many times the size that the kernel reports for it, within the scatter of an effective size.
pub const BEYOND_CLAIM: f64 = 1.25;

impl Level {
    /// Is its effective size more than a cache of the reported size can hold? Then some of the next level is in it, which
    /// the curve does not show apart.
    pub fn holds_more(&self) -> bool {
        let sizes = self.capacity_bytes.as_ref().zip(self.claimed_bytes);
        sizes.is_some_and(|(acts, claimed)| acts.value > BEYOND_CLAIM * claimed as f64)
    }
}

/// The summary of a record.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Summary {
    /// Every planned point.
    pub points: Vec<PointSummary>,
    /// Levels of the latency curve with ordinary pages; empty if it was not measured.
    pub levels: Vec<Level>,
    /// Topology changes: samples with a different class than the previous one, in time order.
    pub topology_moves: u32,
    /// The number of points whose variances are moderated together; 0 if none are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub moderated_over: u32,
    /// Notes on the summary.
    pub notes: Vec<String>,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Summary {
    /// The summary of `point`, by its text.
    pub fn point(&self, point: &str) -> Option<&PointSummary> {
        self.points.iter().find(|p| p.point.to_string() == point)
    }
}
