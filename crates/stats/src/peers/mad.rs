//! Center and scatter by medians, which a few far values do not move.

use crate::quantile::median;

/// From the MAD to the standard deviation of a normal distribution.
const NORMAL: f64 = 1.4826;

/// The same for samples of 2 to 9, whose MAD is too small on average (Croux and Rousseeuw, "Time-efficient algorithms
/// for two highly robust estimators of scale", 1992).
const SMALL: [f64; 8] = [1.196, 1.495, 1.363, 1.206, 1.200, 1.140, 1.129, 1.107];

/// The MAD of a normal sample says as much as the standard deviation of 37 % of it.
const EFFICIENCY: f64 = 0.37;

/// The median, and the standard deviation by the MAD; none of no values.
pub(super) fn scatter(values: &[f64]) -> Option<(f64, f64)> {
    let center = median(values)?;
    let off: Vec<f64> = values.iter().map(|v| (v - center).abs()).collect();
    let count = values.len() as f64;
    let small = values.len().checked_sub(2).and_then(|at| SMALL.get(at));
    let small = small.copied().unwrap_or(count / (count - 0.8));
    Some((center, small * NORMAL * median(&off)?))
}

/// Degrees of freedom of the scatter of `count` values.
pub(super) fn degrees(count: usize) -> f64 {
    (EFFICIENCY * (count as f64 - 1.0)).max(1.0)
}
