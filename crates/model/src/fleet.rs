//! Nodes of a fleet, judged beside those of the same hardware: computed by `fleet`, shown by `report`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::comparison::FamilyVerdict;
use crate::explanation::CauseVerdict;

/// Version of the format of a [`FleetReport`].
pub const SCHEMA: u32 = 1;

/// Version of the format of a [`FleetPlan`].
pub const PLAN_SCHEMA: u32 = 1;

/// Which nodes are slow, in what, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FleetReport {
    /// Format, see [`SCHEMA`].
    pub schema: u32,
    /// What a verdict takes.
    pub rules: FleetRules,
    /// Start of the newest record, RFC 3339 in UTC; absent without records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest: Option<String>,
    /// Nodes by verdict.
    pub counts: FleetCounts,
    /// Groups of the same hardware, the largest first.
    pub groups: Vec<FleetGroup>,
    /// Every node: the slow ones first, by how much they are slower at least.
    pub nodes: Vec<FleetNode>,
    /// What should be measured again; absent if nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<MeasureAgain>,
    /// Files that could not be used, with the reason, one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<String>,
}

/// What a verdict takes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FleetRules {
    /// Accepted share of false ones among what is called slow.
    pub false_share: f64,
    /// What *same* has to be shown to be within, as a share.
    pub margin: f64,
    /// Smaller differences are not called slow, as a share.
    pub negligible: f64,
    /// Records count that began at most so many hours before the newest of their node.
    pub within_hours: f64,
}

/// Nodes by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FleetCounts {
    /// Shown to be slow.
    pub slow: u32,
    /// Shown to be the same as their group.
    pub same: u32,
    /// Neither.
    pub not_known: u32,
}

/// Nodes of the same hardware.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FleetGroup {
    /// Its id: a hash of the facts.
    pub id: String,
    /// What its nodes have in common.
    pub hardware: Vec<HardwareFact>,
    /// Nodes.
    pub nodes: u32,
    /// Why its nodes cannot be judged; absent if they can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_judged: Option<String>,
    /// Its most ordinary node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub medoid: Option<String>,
    /// Families that could be judged.
    pub families: Vec<GroupFamily>,
}

/// A fact that nodes of a group have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HardwareFact {
    /// Its name.
    pub name: String,
    /// Its value; `not known` without one.
    pub value: String,
}

/// A family of points over the nodes of a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct GroupFamily {
    /// Its name, such as `memory latency`.
    pub name: String,
    /// Points.
    pub points: u32,
    /// Standard deviation of a node that is not slow, as a share.
    pub scatter: f64,
}

/// The verdict on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NodeVerdict {
    /// Shown to be slower than its group in a family.
    Slow,
    /// Neither shown to be slow nor to be the same.
    NotKnown,
    /// Shown to be within the margin in every family.
    Same,
}

/// One node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FleetNode {
    /// Its name.
    pub node: String,
    /// Id of its group.
    pub group: String,
    /// The verdict.
    pub verdict: NodeVerdict,
    /// Why it is not known, or what is left to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Records that count.
    pub records: u32,
    /// Start of the newest, RFC 3339 in UTC.
    pub measured: String,
    /// Families, the slowest first.
    pub families: Vec<NodeFamily>,
    /// Of a slow family, the points that are slowest by their own scatter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<NodePoint>,
    /// In what its settings, and what was beside it, differ from the group's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub odd: Vec<OddFact>,
    /// Why a slow node is slow; absent where it was not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<NodeWhy>,
}

/// A node in one family.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NodeFamily {
    /// The family.
    pub family: String,
    /// The verdict: `slower`, `faster`, `same` or `open`.
    pub verdict: FamilyVerdict,
    /// How many times longer the node takes than its group.
    pub times_longer: f64,
    /// Interval of the same: 95 %, wider for what was selected as slower or faster.
    pub range: [f64; 2],
    /// p-value of "no slower", adjusted for all nodes and families.
    pub p: f64,
    /// Sessions that this rests on.
    pub sessions: u32,
    /// True if it was measured again, and the sessions that singled it out are left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
    /// True if it should be measured again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspect: bool,
}

/// A point of a slow family.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NodePoint {
    /// The point.
    pub point: String,
    /// Its family.
    pub family: String,
    /// How many times longer it takes than the median of the group.
    pub times_longer: f64,
}

/// What few nodes of a group have otherwise than the rest: a reason to look again, and no verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct OddFact {
    /// The setting, by its path as `whyslow host` has it; `not measured`; or what was beside the node's work.
    pub name: String,
    /// Its value on this node.
    pub value: String,
    /// The usual value.
    pub usual: String,
    /// Nodes with the usual value; of what was beside them, the others.
    pub nodes: u32,
    /// Id of the cause that knows it; absent if none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Name of the cause in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// Why a node is slow, by its records beside those of an ordinary node of its group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NodeWhy {
    /// The ordinary node.
    pub against: String,
    /// Its newest record, below the folder.
    pub against_record: String,
    /// More of its records that the answer is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_against: Vec<String>,
    /// The newest record of the slow node.
    pub record: String,
    /// More of its records that the answer is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_records: Vec<String>,
    /// The answer, or why there is none.
    pub answer: String,
    /// Causes that the records speak for, the most likely first.
    pub causes: Vec<NodeCause>,
}

/// A cause that records speak for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NodeCause {
    /// Its id.
    pub cause: String,
    /// Its name in a sentence.
    pub title: String,
    /// The verdict.
    pub verdict: CauseVerdict,
}

/// Nodes that should be measured again together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct MeasureAgain {
    /// Nodes that may be slow.
    pub suspects: Vec<String>,
    /// Ordinary nodes of the same groups, for reference.
    pub references: Vec<String>,
    /// Sessions of each.
    pub sessions: u32,
}

/// What a launch over a fleet measures, as its folder keeps it until all is measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleetPlan {
    /// Format, see [`PLAN_SCHEMA`].
    pub schema: u32,
    /// Its name, by the time when it began: records are `NODE/ID.whyslow`, or `NODE/ID-2.whyslow` and so on.
    pub id: String,
    /// When it began, seconds since 1970.
    pub began: u64,
    /// Arguments of `whyslow run` on each node.
    pub run: Vec<String>,
    /// Records of each node.
    pub sessions: u32,
    /// True where suspects and references of a report are measured again.
    pub confirm: bool,
    /// Its nodes.
    pub nodes: Vec<String>,
}
