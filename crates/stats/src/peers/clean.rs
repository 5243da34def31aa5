//! The nodes of a family that are not far off: its center and scatter come from them.

use super::Tested;
use super::mad::{degrees, scatter};
use super::scale::Scales;
use crate::student::quantile;

/// Probability beyond the cut, on each side.
const TAIL: f64 = 0.001;

/// Share of the variance of a normal distribution that the cut leaves.
const LEFT: f64 = 0.98;

/// Mean deviations in one family: their center and scatter.
#[derive(Debug)]
pub(super) struct Clean {
    /// The center.
    pub(super) center: f64,
    /// Variance over the nodes.
    pub(super) variance: f64,
    /// Its degrees of freedom.
    pub(super) df: f64,
    /// Nodes that count; 0 where it is of all by median and MAD.
    count: f64,
    /// Farthest that a node that counts may be from the center that it was held against.
    within: [f64; 2],
}

impl Clean {
    /// By median and MAD; a family that few nodes have has no scatter.
    pub(super) fn first(values: &[f64]) -> Clean {
        let known: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        let found = scatter(&known).filter(|_| known.len() >= super::FEWEST);
        let (center, sd) = found.unwrap_or((f64::NAN, f64::NAN));
        Clean {
            center,
            variance: sd * sd,
            df: degrees(known.len()),
            count: 0.0,
            within: [f64::NEG_INFINITY, f64::INFINITY],
        }
    }

    /// By the nodes that are near, with the scale so far.
    pub(super) fn again(&self, values: &[f64], scale: Option<(f64, f64)>) -> Clean {
        let Some((variance, df)) = scale else {
            return Clean::first(values);
        };
        let reach = quantile(1.0 - TAIL, df) * variance.sqrt();
        let within = [self.center - reach, self.center + reach];
        let near = values.iter().filter(|v| in_range(**v, within));
        let near: Vec<f64> = near.copied().collect();
        // Of the fewest nodes that are judged, one may be far off.
        if near.len() + 1 < super::FEWEST {
            return Clean::first(values);
        }
        let count = near.len() as f64;
        let center = near.iter().sum::<f64>() / count;
        let squares: f64 = near.iter().map(|v| (v - center).powi(2)).sum();
        Clean {
            center,
            variance: squares / (count - 1.0) / LEFT,
            df: count - 1.0,
            count,
            within,
        }
    }

    /// Tests a node, which is left out of center and scale.
    pub(super) fn test(&self, value: f64, scales: &Scales, family: usize) -> Option<Tested> {
        if !value.is_finite() || self.count < 3.0 {
            return None;
        }
        let (mut center, mut variance, mut count) = (self.center, self.variance, self.count);
        if in_range(value, self.within) {
            let off = value - center;
            let squares = variance * LEFT * (count - 1.0) - off * off * count / (count - 1.0);
            center -= off / (count - 1.0);
            variance = squares.max(0.0) / (count - 2.0) / LEFT;
            count -= 1.0;
        }
        let (variance, df) = scales.with(family, variance, count - 1.0)?;
        let se = (variance * (1.0 + 1.0 / count)).sqrt();
        Some(Tested::new(value - center, se, df))
    }
}

fn in_range(value: f64, [lo, hi]: [f64; 2]) -> bool {
    value >= lo && value <= hi
}
