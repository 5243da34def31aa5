//! Measured points of a curve, by kind of pages.

use whyslow_model::summary::PointSummary;

use super::cycle::Cycle;
use crate::machine::MachineSpec;

/// A measured point of the curve.
pub(super) struct Value {
    pub(super) bytes: u64,
    pub(super) ns: f64,
    pub(super) weight: f64,
}

/// The points of one kind of pages.
pub(super) struct Kind {
    /// The machine with the TLBs and the placement of these pages.
    pub(super) spec: MachineSpec,
    pub(super) values: Vec<Value>,
    /// The cycle of each.
    pub(super) cycles: Vec<Cycle>,
}

impl Value {
    pub(super) fn of(point: &PointSummary) -> Option<Value> {
        let value = point.value?;
        // A value counts by its variance, on top of what a model is off by anyway.
        let half = value
            .range
            .map_or(UNKNOWN, |[low, high]| (high / low).ln() / 2.0);
        Some(Value {
            bytes: point.size_bytes?,
            ns: value.value,
            weight: 1.0 / (MODEL.powi(2) + (half / 2.0).powi(2)),
        })
    }
}

#[cfg(test)]
impl Value {
    /// A value without an error of its own.
    pub(super) fn known(bytes: u64, ns: f64) -> Value {
        Value {
            bytes,
            ns,
            weight: 1.0 / MODEL.powi(2),
        }
    }
}

/// What the model is off by at best, as a share.
const MODEL: f64 = 0.03;

/// Half the width of the interval of a value that has none, as a logarithm.
const UNKNOWN: f64 = 0.2;
