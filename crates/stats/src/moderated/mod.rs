//! Moderated variances: every point's variance between processes, corrected by those of the others.
//!
//! Two or three processes say little about a variance: Student's t then takes 12.7 or 4.3 standard errors where
//! many processes take 2. The points of one record have variances that resemble each other, and more so given what
//! is known of each (its spread within processes, its size). Empirical Bayes (Smyth, "Linear models and empirical
//! Bayes methods", 2004; `eBayes` of limma): the true variances are taken to be distributed as
//! `s0² d0 / χ²(d0)`. The prior variance `s0²` follows a trend on covariates and `d0`, the degrees of freedom of the
//! prior, says how closely the variances keep to it. The posterior variance is `(d0 s0² + d s²) / (d0 + d)`, with
//! `d0 + d` degrees of freedom.
//!
//! Trend and `d0` are found by maximum likelihood, since sample variances are then distributed as `s0² F(d, d0)`.
//! The moments of their logarithms, which Smyth uses, have with one degree of freedom a variance of
//! 4.9 plus that of the prior (below 1), and a prior is not found among 150 points. limma has
//! left them for the same reason (`fitFDistUnequalDF1`, 2024).
//!
//! A point far above the trend (modes, a cache's edge) keeps its own variance: its `d0` is lowered by how improbable
//! it is among the others (Phipson et al., "Robust hyperparameter estimation", 2016).

mod difference;
mod robust;
mod trend;

pub use difference::{Side, beyond, difference, own_half_width};

use crate::student;
use robust::Outliers;
use trend::Trend;

/// Fewest points of a prior: below, a spread of variances cannot be told from chance.
pub const LEAST: usize = 8;

/// Number of covariates of a point.
pub const COVARIATES: usize = 3;

/// The spread of one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Sample variance of the processes' logarithms (divisor `n - 1`).
    pub variance: f64,
    /// Its degrees of freedom, `n - 1`.
    pub df: f64,
    /// What the variance may depend on; what is missing counts as the mean of the others, and by itself.
    pub covariates: [Option<f64>; COVARIATES],
}

impl Spread {
    /// Of logarithms; none with fewer than two, or if they are all equal: rounding hides their variance then.
    pub fn of(logs: &[f64], covariates: [Option<f64>; COVARIATES]) -> Option<Spread> {
        let sd = student::mean_interval(logs, 0.95)?.sd?;
        let spread = Spread {
            variance: sd * sd,
            df: logs.len() as f64 - 1.0,
            covariates,
        };
        spread.is_usable().then_some(spread)
    }

    fn is_usable(&self) -> bool {
        // The rounding of the sums leaves 1e-15 of the logarithms, which are below 50.
        self.variance > 1e-27 && self.variance.is_finite() && self.df >= 1.0
    }
}

/// The distribution of the variances of many points.
#[derive(Debug, Clone, PartialEq)]
pub struct Prior {
    trend: Trend,
    outliers: Outliers,
    points: usize,
}

/// A variance with what it borrowed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moderated {
    /// Posterior variance of one process's logarithm.
    pub variance: f64,
    /// Posterior degrees of freedom.
    pub df: f64,
    /// Prior variance of this point.
    pub prior_variance: f64,
    /// Prior degrees of freedom of this point.
    pub prior_df: f64,
    /// Points that the prior is from.
    pub points: usize,
}

impl Prior {
    /// The prior of `points`; none of fewer than [`LEAST`].
    pub fn fit(points: &[Spread]) -> Option<Prior> {
        Prior::fit_from(points, LEAST)
    }

    /// The same of at least `least` points: for few points whose variances have many degrees of freedom.
    pub fn fit_from(points: &[Spread], least: usize) -> Option<Prior> {
        let points: Vec<Spread> = points.iter().copied().filter(Spread::is_usable).collect();
        if points.len() < least.max(2) {
            return None;
        }
        let trend = Trend::fit(&points)?;
        let outliers = Outliers::of(&points, &trend);
        Some(Prior {
            trend,
            outliers,
            points: points.len(),
        })
    }

    /// The number of points that it was found from.
    pub fn points(&self) -> usize {
        self.points
    }

    /// Degrees of freedom of the prior of ordinary points.
    pub fn df(&self) -> f64 {
        self.trend.df
    }

    /// Moderates the variance of a point, which need not be among those that the prior was found from.
    pub fn moderate(&self, point: &Spread) -> Option<Moderated> {
        if !point.is_usable() {
            return None;
        }
        let prior_variance = self.trend.variance(point);
        let prior_df = self
            .outliers
            .prior_df(self.trend.tail(point, self.trend.df));
        let none = Moderated {
            variance: prior_variance,
            df: prior_df,
            prior_variance,
            prior_df,
            points: self.points,
        };
        Some(none.with(point.variance, point.df)).filter(|m| m.variance.is_finite())
    }
}

impl Moderated {
    /// The same prior with the sample variance of other units of the same point.
    #[must_use]
    pub fn with(&self, variance: f64, df: f64) -> Moderated {
        let sum = self.prior_df * self.prior_variance + df * variance;
        Moderated {
            variance: sum / (self.prior_df + df),
            df: self.prior_df + df,
            ..*self
        }
    }

    /// Half of the `coverage` interval of the mean of `n` logarithms.
    #[must_use]
    pub fn half_width(&self, n: usize, coverage: f64) -> f64 {
        student::quantile(0.5 + 0.5 * coverage, self.df) * (self.variance / n as f64).sqrt()
    }
}

#[cfg(test)]
mod tests;
