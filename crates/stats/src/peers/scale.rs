//! Scales of families that borrow from each other.
//!
//! What a family's mean should scatter by follows from the scatter of its points and from how much they move together,
//! one correlation for all families. The families' variances relative to that are moderated
//! ([`crate::moderated`]).

use super::weights::Weights;
use crate::moderated::{Prior, Spread};
use crate::quantile::median;

/// Fewer families have nothing to borrow from each other.
const LEAST: usize = 3;

/// Scatters below 0.001 % are rounding.
const LEAST_VARIANCE: f64 = 1e-10;

/// The scales of all families.
#[derive(Debug)]
pub(super) struct Scales {
    /// Variance and degrees of freedom of each family by itself.
    own: Vec<(f64, f64)>,
    /// What is expected, up to a common factor.
    expected: Vec<f64>,
    prior: Option<Prior>,
    /// Degrees of freedom of all families together, which no family can have more of.
    pooled: f64,
}

impl Scales {
    /// From the variance of each family by itself and its degrees of freedom.
    pub(super) fn fit(own: impl Iterator<Item = (f64, f64)>, weights: &Weights) -> Scales {
        let own: Vec<(f64, f64)> = own
            // A family without a scatter has none: `max` would take the least in place of NaN.
            .map(|(variance, df)| match variance.is_nan() {
                true => (variance, df),
                false => (variance.max(LEAST_VARIANCE), df),
            })
            .collect();
        let parts: Vec<[f64; 2]> = (0..own.len()).map(|f| weights.parts(f)).collect();
        let together = own.iter().zip(&parts);
        let together: Vec<f64> = together
            .map(|((variance, _), [apart, more])| (variance - apart) / more)
            .filter(|share| share.is_finite())
            .collect();
        let share = median(&together).unwrap_or(1.0).clamp(0.0, 1.0);
        let expected = parts.iter().map(|[apart, more]| apart + share * more);
        let expected: Vec<f64> = expected.map(|v| v.max(LEAST_VARIANCE)).collect();
        let known = own.iter().zip(&expected);
        let known: Vec<Spread> = known
            .filter(|((variance, _), _)| variance.is_finite())
            .map(|((variance, df), expected)| spread(variance / expected, *df))
            .collect();
        Scales {
            prior: Prior::fit_from(&known, LEAST),
            pooled: known.iter().map(|s| s.df).sum(),
            own,
            expected,
        }
    }

    /// Variance and degrees of freedom of a family, moderated.
    pub(super) fn of(&self, family: usize) -> Option<(f64, f64)> {
        let (variance, df) = self.own[family];
        self.with(family, variance, df)
    }

    /// The same prior with another variance of the family.
    pub(super) fn with(&self, family: usize, variance: f64, df: f64) -> Option<(f64, f64)> {
        if !variance.is_finite() || df < 1.0 {
            return None;
        }
        let expected = self.expected[family];
        let ratio = variance.max(LEAST_VARIANCE) / expected;
        let prior = self.prior.as_ref();
        let Some(found) = prior.and_then(|p| p.moderate(&spread(ratio, df))) else {
            return Some((ratio * expected, df));
        };
        Some((found.variance * expected, found.df.min(self.pooled)))
    }
}

fn spread(variance: f64, df: f64) -> Spread {
    Spread {
        variance,
        df,
        covariates: [Some(0.0); 3],
    }
}
