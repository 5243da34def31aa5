//! What on a host would spoil a run: found by `host`, shown by `report`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of the format of a [`Diagnosis`].
pub const SCHEMA: u32 = 1;

/// Every check, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Diagnosis {
    /// Format, see [`SCHEMA`].
    pub schema: u32,
    /// What was looked at.
    pub checks: Vec<Check>,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// What was looked at, such as `clock governor`.
    pub about: String,
    /// What was found.
    pub found: Finding,
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Finding {
    /// Nothing that bears on the numbers.
    Good {
        /// What it is.
        what: String,
    },
    /// Numbers would not be those of the machine, or would not repeat.
    Spoils(Trouble),
    /// Something cannot be measured, or is known less well.
    Limits(Trouble),
    /// It cannot be told.
    Unknown {
        /// Why.
        why: String,
    },
}

/// What is wrong, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Trouble {
    /// What it is.
    pub what: String,
    /// What it does to the numbers.
    pub harm: String,
    /// The command that mends it, or what to do where no command on this host can.
    pub mend: String,
    /// Is `mend` a command?
    pub command: bool,
}

impl Diagnosis {
    /// What was found to be wrong, what spoils numbers first.
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
