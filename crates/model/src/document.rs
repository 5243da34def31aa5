//! The output of `show --format json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::record::Record;
use crate::summary::Summary;

/// A record with its summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Document {
    /// The measurements.
    pub record: Record,
    /// The summary.
    pub summary: Summary,
}
