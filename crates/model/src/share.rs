//! A part of a whole, with its uncertainty.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A share with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Share {
    /// The share, 0 to 1; above 1 when switching the cause overshoots.
    pub value: f64,
    /// Its 95 % interval.
    pub range: Option<[f64; 2]>,
}
