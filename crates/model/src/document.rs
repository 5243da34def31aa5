//! The output of `show --format json`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::load::LoadTable;
use crate::record::Record;
use crate::summary::Summary;

/// A record with its summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Document {
    /// The measurements.
    pub record: Record,
    /// The summary.
    pub summary: Summary,
    /// Arms of a load, each against the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub load: Vec<LoadTable>,
}
