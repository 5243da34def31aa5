//! What comparing two sides found: computed by `compare`, shown by `report`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::host::Host;
use crate::named_unit::{self, serialize_with_named_unit};
use crate::state::{Change, State};
use crate::summary::{Interval, Level};
use crate::{Better, Point, Unit};

/// Version of the format of a [`Comparison`].
pub const SCHEMA: u32 = 1;

/// Two sides, A and B, each one or more records. Ratios are B over A, in the unit of the values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Format, see [`SCHEMA`].
    pub schema: u32,
    /// The side that is compared with.
    pub a: Side,
    /// The side that is compared.
    pub b: Side,
    /// What was repeated, and what may be claimed from it.
    pub scope: Scope,
    /// What stands against comparing at all.
    pub objections: Vec<Objection>,
    /// Facts and state that differ between the first records of the sides.
    pub hosts: HostDifferences,
    /// The core's clock on both sides; absent for different hosts, or where it was not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
    /// Who else used the cores of both sides; absent for different hosts, where nobody did, or where it was not
    /// recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core: Option<Core>,
    /// By which rules the verdicts were given.
    pub rules: Rules,
    /// Every point that both sides have, in the order of A.
    pub points: Vec<PointComparison>,
    /// Points whose ratios lie together, furthest from 1 first.
    pub groups: Vec<Group>,
    /// Latency curves that both sides have.
    pub curves: Vec<Curves>,
    /// Points that one side alone has.
    pub missing: Vec<Missing>,
}

/// One side.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// The records, as they were named.
    pub records: Vec<String>,
    /// What the records say that they are of, each once.
    pub systems: Vec<String>,
    /// Different hosts.
    pub hosts: u32,
    /// Different boots.
    pub boots: u32,
}

/// What was repeated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Scope {
    /// The outermost level that both sides repeated.
    pub level: Repeated,
    /// Its units in the plural, such as `processes` or `lmbench runs`.
    pub units: String,
    /// Most units of a point in A.
    pub a: u32,
    /// Most units of a point in B.
    pub b: u32,
    /// What the numbers support, and what they do not; one line each.
    pub claims: Vec<String>,
}

/// The outermost level that both sides repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Repeated {
    /// Nothing: one value a side.
    Nothing,
    /// Runs of another tool.
    Runs,
    /// Processes of one boot.
    Process,
    /// Boots of one host.
    Boot,
    /// Hosts.
    Host,
}

/// Something that stands against comparing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Objection {
    /// Does it forbid verdicts, or is it only to be known?
    pub forbids: bool,
    /// One line.
    pub text: String,
}

/// What differs between two hosts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HostDifferences {
    /// Facts: what only buying, flashing or rebooting changes.
    pub facts: Vec<Change>,
    /// State: what a person can change on a running host.
    pub state: Vec<Change>,
    /// Facts and state looked at and found the same or different; 0 when a side has none.
    pub looked_at: u32,
}

/// Facts and state of one host, as `whyslow host --format json` prints them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostFile {
    /// What the host is.
    pub host: Host,
    /// What it was set to.
    pub state: State,
}

/// The core's clock on two sides of one host.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Clock {
    /// Of A and of B, GHz: geometric means over their processes.
    pub ghz: [f64; 2],
    /// The clock at which points are compared whose processes follow it, GHz; absent where the
    /// sides are further apart than a clock wanders, or times as measured were asked for.
    pub at: Option<f64>,
    /// How many points that are.
    pub points: u32,
}

/// How much of their cores the processes of two sides of one host had.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Core {
    /// Instructions a cycle that a core hands out at its best.
    pub best: f64,
    /// Share of the batches of A and of B (of the processes, where batches were not looked at) beside which the
    /// core's other hardware thread was busy.
    pub shared: [f64; 2],
    /// Are these batches left out, where enough others are? Not where one side hardly ever had its cores to itself and
    /// the other had, or all values were asked for.
    pub left_out: bool,
    /// Processes that got fewer instructions a cycle than this are left out of points that have enough
    /// others; absent where nothing is left out, and between different hosts.
    pub least: Option<f64>,
    /// How many points that are.
    pub points: u32,
}

/// By which rules the verdicts were given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rules {
    /// Differences below this share do not matter.
    pub margin: f64,
    /// Share of false ones among the differences called real (Benjamini-Hochberg).
    pub q: f64,
    /// Points that were tested together.
    pub tested: u32,
    /// Of these, real.
    pub real: u32,
    /// Coverage of the intervals of real differences, wider for having been selected.
    pub selected_coverage: f64,
}

/// One point, or one series or topology class of it, on both sides.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(remote = "Self")]
pub struct PointComparison {
    /// The point.
    pub point: Point,
    /// The series or topology class, where the point has no single value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// What the source calls it, for figures that whyslow did not measure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The source's own unit, where whyslow did not measure; the same as `unit` then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Unit of the values: `ns`, `GB/s`, `GHz`, `B`, `count`, or the source's own.
    #[serde(deserialize_with = "named_unit::read")]
    #[schemars(with = "String")]
    pub unit: Unit,
    /// Which direction is good.
    pub better: Better,
    /// Side A.
    pub a: SideValue,
    /// Side B.
    pub b: SideValue,
    /// The clock that the values are given at, GHz, where the point's processes follow it; absent where
    /// they are as measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_ghz: Option<f64>,
    /// Processes of A and of B that are left out, as another hardware thread was busy on their core; absent
    /// where none are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<[u32; 2]>,
    /// Value of B over value of A; absent where a value is not above zero.
    pub ratio: Option<f64>,
    /// Interval of the ratio at `coverage`; absent where nothing was repeated.
    pub range: Option<[f64; 2]>,
    /// Coverage of `range`.
    pub coverage: f64,
    /// P-value of Welch's test on logarithms, or of the shares of modes.
    pub p: Option<f64>,
    /// The same, adjusted for the number of points.
    pub p_adjusted: Option<f64>,
    /// P-value of permuting the units.
    pub p_permuted: Option<f64>,
    /// Margin that the size of the difference is held against: that of the rules, or twice what
    /// the point does against itself, whichever is larger.
    pub margin: f64,
    /// What that amounts to.
    pub verdict: Verdict,
    /// Modes that the units of both sides fall into together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modes: Vec<SharedMode>,
    /// Levels whose spread differs although or because the values do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spread: Vec<SpreadDifference>,
    /// What to know about this point.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

serialize_with_named_unit!(
    PointComparison,
    [
        point, better, a, b, ratio, range, coverage, p, p_adjusted, p_permuted, margin, verdict
    ],
    [part, title, at_ghz, left_out, modes, spread, also, notes]
);

/// A point on one side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SideValue {
    /// Geometric mean over the units with its 95 % interval.
    pub value: Interval,
    /// Value of each unit.
    pub units: Vec<f64>,
    /// The series that gave it, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// The verdict on a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Verdict {
    /// B is worse, and that is real.
    Slower {
        /// How it lies to the margin.
        size: Size,
    },
    /// B is better, and that is real.
    Faster {
        /// How it lies to the margin.
        size: Size,
    },
    /// Shown to be within the margin.
    Same,
    /// Neither shown to differ nor to be the same.
    Undecided {
        /// More units a side that would probably tell, where that can be said.
        more: Option<u32>,
    },
    /// The units fall into modes that the sides share; means would compare luck.
    Modes {
        /// Are the shares of the modes really different?
        real: bool,
    },
    /// A ratio and no claim.
    Untested {
        /// Why.
        why: String,
    },
    /// Not to be compared.
    NotComparable {
        /// Why.
        why: String,
    },
}

/// How a real difference lies to the margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Size {
    /// The interval lies beyond the margin.
    Above,
    /// The interval reaches over the margin.
    Straddles,
    /// The interval lies within the margin.
    Negligible,
}

/// A mode that the units of both sides were sorted into.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SharedMode {
    /// Typical value.
    pub value: f64,
    /// Units of A in it.
    pub a: u32,
    /// Units of B in it.
    pub b: u32,
}

/// A level whose spread differs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpreadDifference {
    /// The level.
    pub level: SpreadLevel,
    /// Typical spread in A, as a share of the value.
    pub a: f64,
    /// Typical spread in B, as a share of the value.
    pub b: f64,
    /// P-value, adjusted for all levels of all points.
    pub p_adjusted: f64,
}

/// Levels at which values spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpreadLevel {
    /// Between units (processes, boots or hosts).
    Unit,
    /// Between the draws of one process: page placement.
    Draw,
    /// Between the samples of one draw.
    Sample,
}

/// Points whose ratios lie together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Group {
    /// Least ratio, B over A in the direction in which more is better.
    pub low: f64,
    /// Largest ratio.
    pub high: f64,
    /// True if each of its differences is real; false where nothing could be tested.
    pub real: bool,
    /// Its points by kin, the kin with most points first.
    pub members: Vec<Kin>,
}

/// Points of one kind within a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Kin {
    /// What they are called.
    pub name: String,
    /// Least ratio.
    pub low: f64,
    /// Largest ratio.
    pub high: f64,
    /// Indices into [`Comparison::points`].
    pub points: Vec<u32>,
}

/// A latency curve of both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Curves {
    /// What the curve is of: probe and the parameters but the size.
    pub name: String,
    /// Size in bytes, value of A, value of B.
    pub values: Vec<(u64, f64, f64)>,
    /// Levels that the curve of A was cut into.
    pub a_levels: Vec<Level>,
    /// Levels that the curve of B was cut into.
    pub b_levels: Vec<Level>,
}

/// A point that one side alone has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Missing {
    /// The point.
    pub point: Point,
    /// What the source calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// `A`, `B` or `A and B`: who lacks it.
    pub lacks: String,
    /// The reason, where the record has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Was it measured, and what its processes brought gives no value?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
}
