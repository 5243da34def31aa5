//! What stands for the batches of one draw.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What stands for the batches of one draw. Declared by the probe before anything is measured, and the same on both sides
/// of a comparison.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Estimator {
    /// Their median.
    #[default]
    Middle,
    /// The tenth part of their times, from the fast end: for work that noise only slows.
    Low,
}

impl Estimator {
    /// The quantile of the times.
    pub fn quantile(self) -> f64 {
        match self {
            Estimator::Middle => 0.5,
            Estimator::Low => 0.1,
        }
    }

    pub(super) fn is_middle(&self) -> bool {
        *self == Estimator::Middle
    }
}
