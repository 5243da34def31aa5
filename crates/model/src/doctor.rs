//! Conditions of a host that would disturb a run: found by `host`, shown by `report`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of the format of a [`Diagnosis`].
pub const SCHEMA: u32 = 1;

/// Every check, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Diagnosis {
    /// Format, see [`SCHEMA`].
    pub schema: u32,
    /// The checks.
    pub checks: Vec<Check>,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Check {
    /// The subject, such as `clock governor`.
    pub about: String,
    /// The finding.
    pub found: Finding,
}

/// The finding of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Finding {
    /// Nothing that affects the numbers.
    Good {
        /// The condition.
        what: String,
    },
    /// Numbers would be wrong, or would not be repeatable.
    Spoils(Trouble),
    /// Something cannot be measured, or only less accurately.
    Limits(Trouble),
    /// Unknown.
    Unknown {
        /// Why.
        why: String,
    },
}

/// What is wrong, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Trouble {
    /// The condition.
    pub what: String,
    /// Its effect on the numbers.
    pub harm: String,
    /// The command that fixes it, or what to do if no command on this host can.
    pub mend: String,
    /// True if `mend` is a command.
    pub command: bool,
}

impl Diagnosis {
    /// The problems, those that affect numbers first.
    pub fn troubles(&self) -> impl Iterator<Item = (&Check, &Trouble)> {
        let of = |wanted: bool| {
            self.checks
                .iter()
                .filter_map(move |check| match &check.found {
                    Finding::Spoils(trouble) if wanted => Some((check, trouble)),
                    Finding::Limits(trouble) if !wanted => Some((check, trouble)),
                    _ => None,
                })
        };
        of(true).chain(of(false))
    }
}
