//! What `show --format json` prints.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::record::Record;
use crate::summary::Summary;

/// A record with its summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Document {
    /// All that was measured.
    pub record: Record,
    /// What it says.
    pub summary: Summary,
}
