//! Result of comparing two sides: computed by `compare`, shown by `report`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change::Quantity;
use crate::host::Host;
use crate::load::LoadTable;
use crate::named_unit::{self, serialize_with_named_unit};
use crate::state::{Change, State};
use crate::summary::{Interval, Level, Moderation};
use crate::{Better, Point, Unit};

/// Version of the format of a [`Comparison`].
pub const SCHEMA: u32 = 1;

/// Two sides, A and B, each one or more records. Ratios are B over A, in the unit of the values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Comparison {
    /// Format, see [`SCHEMA`].
    pub schema: u32,
    /// The baseline side.
    pub a: Side,
    /// The side compared with the baseline.
    pub b: Side,
    /// What was repeated, and which claims it supports.
    pub scope: Scope,
    /// Objections to the comparison.
    pub objections: Vec<Objection>,
    /// Facts and state that differ between the first records of the sides.
    pub hosts: HostDifferences,
    /// The core's clock on both sides; absent for different hosts, or if not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
    /// Use of the cores by SMT siblings on both sides; absent for different hosts, if there was none, or if not
    /// recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core: Option<Core>,
    /// Rules of the verdicts.
    pub rules: Rules,
    /// Every point that both sides have, in the order of A.
    pub points: Vec<PointComparison>,
    /// Points that move together, by what they are about; filled where the probes' declarations are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub families: Vec<Family>,
    /// Loads: real, user and system time by level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<LoadTable>,
    /// Points with similar ratios, furthest from 1 first.
    pub groups: Vec<Group>,
    /// Latency curves that both sides have.
    pub curves: Vec<Curves>,
    /// Points that only one side has.
    pub missing: Vec<Missing>,
}

/// One side.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Side {
    /// The records, by name.
    pub records: Vec<String>,
    /// The machines named in the records, each once.
    pub systems: Vec<String>,
    /// Different hosts.
    pub hosts: u32,
    /// Different boots.
    pub boots: u32,
}

/// What was repeated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Scope {
    /// The outermost level that both sides repeated.
    pub level: Repeated,
    /// Its units in the plural, such as `processes` or `lmbench runs`.
    pub units: String,
    /// Most units of a point in A.
    pub a: u32,
    /// Most units of a point in B.
    pub b: u32,
    /// What the numbers support and what they do not; one line each.
    pub claims: Vec<String>,
}

/// The outermost level that both sides repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Repeated {
    /// Nothing: one value per side.
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

/// An objection to the comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Objection {
    /// True if it forbids verdicts; otherwise it is only a note.
    pub forbids: bool,
    /// One line.
    pub text: String,
}

/// What differs between two hosts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HostDifferences {
    /// Facts: what only buying, flashing or rebooting changes.
    pub facts: Vec<Change>,
    /// State: what a person can change on a running host.
    pub state: Vec<Change>,
    /// Number of facts and settings compared; 0 if a side has none.
    pub looked_at: u32,
}

/// Facts and state of one host, as `whyslow host --format json` prints them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HostFile {
    /// What the host is.
    pub host: Host,
    /// State of the host.
    pub state: State,
}

/// The core's clock on two sides of one host.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Clock {
    /// Of A and of B, GHz: geometric means over their processes.
    pub ghz: [f64; 2],
    /// The clock at which points that follow it are compared, GHz; absent if the sides differ by
    /// more than normal clock variation, or if times as measured were requested.
    pub at: Option<f64>,
    /// Number of such points.
    pub points: u32,
}

/// How much of their cores the processes of two sides of one host could use.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Core {
    /// Best instructions per cycle dispatched by a core.
    pub best: f64,
    /// Share of the batches of A and of B (of the processes, if there are no values per batch) with a busy SMT
    /// sibling.
    pub shared: [f64; 2],
    /// True if these batches are left out when enough others remain. False if the SMT siblings were almost always busy
    /// on one side only, or if all values were requested.
    pub left_out: bool,
    /// Processes below this number of instructions per cycle are left out of points that have enough
    /// others; absent if nothing is left out, and between different hosts.
    pub least: Option<f64>,
    /// Number of such points.
    pub points: u32,
}

/// Rules of the verdicts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Rules {
    /// Differences below this share are negligible.
    pub margin: f64,
    /// Expected share of false ones among the differences called real (Benjamini-Hochberg).
    pub q: f64,
    /// What an adjusted p-value must not exceed to be called real: `q`, or less where one side was measured by looks at
    /// the other (`run --against`), which have used up a part of it.
    #[serde(default = "Rules::plain_level")]
    pub level: f64,
    /// Points that were tested together.
    pub tested: u32,
    /// Of these, real differences.
    pub real: u32,
    /// Coverage of the intervals of real differences, widened for selection.
    pub selected_coverage: f64,
    /// For each side, the number of points whose variances are moderated together; 0 if none are.
    #[serde(default)]
    pub moderated_over: [u32; 2],
}

impl Rules {
    /// The level of comparisons from before looks had one of their own.
    fn plain_level() -> f64 {
        0.05
    }
}

/// One point, or one series or topology class of it, on both sides.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(remote = "Self")]
pub struct PointComparison {
    /// The point.
    pub point: Point,
    /// The series or topology class, if the point has no single value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// Its name in the source, for figures that whyslow did not measure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The source's own unit, where whyslow did not measure; the same as `unit` then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Unit of the values: `ns`, `GB/s`, `GHz`, `B`, `count`, or the source's own.
    #[serde(deserialize_with = "named_unit::read")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub unit: Unit,
    /// Which direction is better.
    pub better: Better,
    /// Side A.
    pub a: SideValue,
    /// Side B.
    pub b: SideValue,
    /// The clock that the values are converted to, GHz, if the point's processes follow it; absent if
    /// they are as measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_ghz: Option<f64>,
    /// Processes of A and of B left out because of a busy SMT sibling; absent if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<[u32; 2]>,
    /// Value of B over value of A; absent if a value is not positive.
    pub ratio: Option<f64>,
    /// Interval of the ratio at `coverage`; absent if nothing was repeated.
    pub range: Option<[f64; 2]>,
    /// Coverage of `range`.
    pub coverage: f64,
    /// Degrees of freedom of `range`; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub df: Option<f64>,
    /// Standard error of the logarithm of the ratio by what drifts from run to run (`between_runs` in the plan of a
    /// record, and a share of the spread of processes), which is in `range` and `p`; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between_runs: Option<f64>,
    /// P-value of Welch's test on logarithms (with moderated variances where the sides have them), or of the shares of modes.
    pub p: Option<f64>,
    /// The same, adjusted for the number of points.
    pub p_adjusted: Option<f64>,
    /// P-value of permuting the units.
    pub p_permuted: Option<f64>,
    /// Margin for the size of the difference: that of the rules, or twice the point's difference
    /// against itself, whichever is larger.
    pub margin: f64,
    /// The verdict.
    pub verdict: Verdict,
    /// Common modes of the units of both sides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modes: Vec<SharedMode>,
    /// Levels with a different spread.
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
    [
        part,
        title,
        at_ghz,
        left_out,
        df,
        between_runs,
        modes,
        spread,
        notes
    ]
);

/// A point on one side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SideValue {
    /// Geometric mean over the units with its 95 % interval.
    pub value: Interval,
    /// What the interval borrows from the other points of the record; absent if it rests on these units alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moderated: Option<Moderation>,
    /// Value of each unit.
    pub units: Vec<f64>,
    /// The series of the value, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// The verdict on a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Verdict {
    /// B is worse, and that is real.
    Slower {
        /// Relation to the margin.
        size: Size,
    },
    /// B is better, and that is real.
    Faster {
        /// Relation to the margin.
        size: Size,
    },
    /// B is other than A, and that is real; which direction is better is not known.
    Differs {
        /// Relation to the margin.
        size: Size,
    },
    /// Shown to be within the margin.
    Same,
    /// Neither shown to differ nor to be the same.
    Undecided {
        /// Additional units per side that would probably decide, if known.
        more: Option<u32>,
    },
    /// The units form modes common to both sides; a comparison of means would depend on chance.
    Modes {
        /// True if the shares of the modes really differ.
        real: bool,
    },
    /// A ratio without a claim.
    Untested {
        /// Why.
        why: String,
    },
    /// Not comparable.
    NotComparable {
        /// Why.
        why: String,
    },
}

/// Relation of a real difference to the margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Size {
    /// The interval lies beyond the margin.
    Above,
    /// The interval straddles the margin.
    Straddles,
    /// The interval lies within the margin.
    Negligible,
}

/// A common mode of the units of both sides.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SharedMode {
    /// Typical value.
    pub value: f64,
    /// Units of A in it.
    pub a: u32,
    /// Units of B in it.
    pub b: u32,
}

/// A level with a different spread.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
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

/// Levels at which values vary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SpreadLevel {
    /// Between units (processes, boots or hosts).
    Unit,
    /// Between the draws of one process: page placement.
    Draw,
    /// Between the samples of one draw.
    Sample,
}

/// Points about one thing, such as the latency of the second-level cache.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Family {
    /// What they are about.
    pub name: String,
    /// How many there are.
    pub points: u32,
    /// What they are of: of unlike ones the time that the same work takes.
    pub quantity: Quantity,
    /// How many times longer B takes: geometric mean over the points, of rates the inverse.
    pub times_longer: f64,
    /// 95 % interval of the same, with the scatter of the points.
    pub range: [f64; 2],
    /// The verdict on the family, by Benjamini-Hochberg over all families.
    pub verdict: FamilyVerdict,
}

/// The verdict on a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FamilyVerdict {
    /// B takes longer, and that is real.
    Slower,
    /// B takes less time, and that is real.
    Faster,
    /// Shown to be within the margin.
    Same,
    /// Neither shown to differ nor to be the same.
    Open,
    /// Its points have one value a side.
    Untested,
}

/// Points with similar ratios.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Group {
    /// Least ratio, B over A in the direction in which more is better; A over B where that is not known.
    pub low: f64,
    /// Largest ratio.
    pub high: f64,
    /// True if each of its differences is real; false if nothing could be tested.
    pub real: bool,
    /// Its points by kind, the kind with most points first.
    pub members: Vec<Kin>,
}

/// Points of one kind within a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Kin {
    /// Their name.
    pub name: String,
    /// Least ratio.
    pub low: f64,
    /// Largest ratio.
    pub high: f64,
    /// Indices into [`Comparison::points`].
    pub points: Vec<u32>,
}

/// A latency curve of both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Curves {
    /// The curve: probe and parameters without the size.
    pub name: String,
    /// Size in bytes, value of A, value of B.
    pub values: Vec<(u64, f64, f64)>,
    /// Levels of the curve of A.
    pub a_levels: Vec<Level>,
    /// Levels of the curve of B.
    pub b_levels: Vec<Level>,
}

/// A point that only one side has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Missing {
    /// The point.
    pub point: Point,
    /// Its name in the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// `A`, `B` or `A and B`: who lacks it.
    pub lacks: String,
    /// The reason, if the record has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Was it measured, and what its processes brought gives no value?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
}
