//! Values at another clock than the one they were measured at.

use whyslow_model::Unit;
use whyslow_stats::record::ProcessValue;

/// What `value` would have been at the clock `at`, had it taken as many cycles.
pub(crate) fn value_at(value: &ProcessValue, unit: Unit, at: Option<f64>) -> f64 {
    match at.zip(value.ghz) {
        Some((at, ghz)) if unit.is_rate() => value.value * at / ghz,
        Some((at, ghz)) => value.value * ghz / at,
        None => value.value,
    }
}
