//! Why two sides differ, or what slows one machine down: computed by `explain`, shown by `report`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change::Quantity;
use crate::experiment::Experiment;
use crate::record::Skipped;
use crate::share::Share;

/// Version of the format of an [`Explanation`].
pub const SCHEMA: u32 = 1;

/// An answer with its evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Explanation {
    /// Format, see [`SCHEMA`].
    pub schema: u32,
    /// The baseline side, or the single machine.
    pub a: String,
    /// The side compared; absent when one machine is explained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
    /// The answer in a sentence or two.
    pub answer: String,
    /// What moved together.
    pub moved: Vec<MovedTogether>,
    /// What an operation of each kind takes more or less, fitted to all rows at once; empty where the rows do not
    /// agree on any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prices: Vec<Price>,
    /// Rows whose difference no price explains, the furthest from it first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unpriced: Vec<Unpriced>,
    /// Every cause examined, the most likely first.
    pub causes: Vec<Finding>,
    /// What no consistent cause covers, one line each.
    pub unexplained: Vec<String>,
    /// Share of the whole difference that no consistent cause covers; absent if nothing moved, and for
    /// one machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unexplained_share: Option<Share>,
    /// What these records cannot show, one line each.
    pub cannot_show: Vec<String>,
    /// What would settle it, the cheapest and most informative first.
    pub next: Vec<NextStep>,
    /// Experiments on the live host, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub experiments: Vec<Experiment>,
    /// Causes that could not be switched here, with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_tried: Vec<Skipped>,
}

/// What one mechanism takes more in B than in A, in all rows that contain it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Price {
    /// The mechanism, such as `a kernel entry`.
    pub mechanism: String,
    /// Time added to each, ns; below 0 if B is faster.
    pub each_ns: f64,
    /// 95 % interval of the same; absent if nothing was repeated.
    pub range: Option<[f64; 2]>,
    /// Rows whose difference it makes up in the main.
    pub explains: u32,
    /// Rows that were fitted.
    pub rows: u32,
    /// Share of the added time of all rows, each as a share of its own time, that it makes up.
    pub share: f64,
}

/// A row whose difference is not what the prices make of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Unpriced {
    /// The row.
    pub row: String,
    /// Its difference, ns an operation.
    pub added_ns: f64,
    /// What the prices leave of it, ns.
    pub left_ns: f64,
    /// How many of the first price's mechanism the rest would be; absent without a price.
    pub would_be: Option<f64>,
}

/// Points that moved together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct MovedTogether {
    /// Their common subject, such as `context switch` or `program start`.
    pub name: String,
    /// What they are of.
    pub quantity: Quantity,
    /// Least and largest of B over A, of the values as they were measured; of unlike quantities of the time that the
    /// same work takes.
    pub times: [f64; 2],
    /// Least and largest slowdown factor of B against A; below 1 if it is better.
    pub times_worse: [f64; 2],
    /// True if each was shown to be real.
    pub real: bool,
    /// Points, by name.
    pub points: Vec<String>,
}

/// The evidence of the records on one cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Finding {
    /// Its id, such as `page-placement`.
    pub cause: String,
    /// Its name in a sentence.
    pub title: String,
    /// The verdict.
    pub verdict: CauseVerdict,
    /// How well it fits relative to the others, 0 to 1; only the order is meaningful.
    pub weight: f64,
    /// Share of the whole difference that it covers, by logarithms over the groups that moved: point
    /// estimate with its interval where one can be given. Absent if the cause covers nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Share>,
    /// Names of the groups that it covers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covers: Vec<String>,
    /// Evidence for and against, the strongest first.
    pub evidence: Vec<Evidence>,
    /// What a user can do about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<String>,
}

impl Finding {
    /// Is it named because it is often behind such rows, and for nothing else?
    pub fn is_by_rate(&self) -> bool {
        let last = self.evidence.last().map(|evidence| evidence.from);
        self.verdict == CauseVerdict::CannotTell
            && self.weight > 0.0
            && last == Some(EvidenceKind::Published)
    }
}

/// The verdict on a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CauseVerdict {
    /// Switched on and off on a live host: the difference disappears and reappears with it.
    Confirmed,
    /// The points it must move did move, and nothing contradicts it.
    Consistent,
    /// What is said of both sides names it plainly and what moved fits, but one value a side confirms nothing.
    Suspected,
    /// The records lack the decisive data.
    CannotTell,
    /// Points it must move did not, or points it cannot move did.
    Contradicted,
}

/// One line of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Evidence {
    /// For or against.
    pub speaks: Speaks,
    /// Where it comes from.
    pub from: EvidenceKind,
    /// The line, with its numbers.
    pub text: String,
}

/// Direction of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Speaks {
    /// For the cause.
    For,
    /// Against it.
    Against,
    /// Neither: it is missing, or fits both.
    Neither,
}

/// Where evidence comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// A fact or setting of the hosts.
    Fact,
    /// Which points moved and which did not.
    Signature,
    /// The shape of a latency curve.
    Curve,
    /// The level at which values vary, or their modes.
    Spread,
    /// Marks and counters around batches.
    Counter,
    /// An experiment on the live host.
    Experiment,
    /// A simulation: what a mechanism can do, not what happened.
    Simulation,
    /// How often a cause was behind published differences of such rows: nothing of these two sides.
    Published,
}

/// Something to do next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NextStep {
    /// What it settles.
    pub settles: String,
    /// The command, or what to do if there is none.
    pub command: String,
}
