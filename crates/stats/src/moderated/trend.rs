//! The trend of variances on covariates, and the degrees of freedom of the prior about it.

use super::{COVARIATES, Spread};
use crate::student::{incomplete_beta, ln_gamma};

/// A constant, and for each covariate its value and whether it is missing.
const COLUMNS: usize = 1 + 2 * COVARIATES;

/// Penalty on squared coefficients other than the constant: with few points none goes beyond a
/// factor of some ten in variance by chance, and with many it does not matter.
const RIDGE: f64 = 0.25;

/// Range of the degrees of freedom of the prior. Below, borrowing changes nothing; above, t is nearly normal.
const DF: [f64; 2] = [0.3, 100.0];

/// Steps of the search for the degrees of freedom: the last are 1 % apart.
const SEARCH_STEPS: u32 = 14;

/// Steps of the scoring, and the change of a coefficient below which it ends.
const SCORING_STEPS: u32 = 50;
const SCORED: f64 = 1e-6;

type TrendRow = [f64; COLUMNS];

/// `ln s0²` as a linear function of the covariates, and `d0`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Trend {
    /// Means of the covariates.
    means: [f64; COVARIATES],
    coefficients: TrendRow,
    /// Degrees of freedom of the prior.
    pub(super) df: f64,
}

/// What the likelihood needs of one point.
struct Case {
    row: TrendRow,
    log_variance: f64,
    df: f64,
}

impl Trend {
    pub(super) fn fit(points: &[Spread]) -> Option<Trend> {
        let mut means = [0.0; COVARIATES];
        for (k, mean) in means.iter_mut().enumerate() {
            let known: Vec<f64> = points.iter().filter_map(|p| p.covariates[k]).collect();
            *mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
        }
        let cases = points.iter().map(|point| Case {
            row: row(point, &means),
            log_variance: point.variance.ln(),
            df: point.df,
        });
        let cases: Vec<Case> = cases.collect();
        let mut coefficients = TrendRow::default();
        coefficients[0] = cases.iter().map(|c| c.log_variance).sum::<f64>() / cases.len() as f64;
        let mut at = |log_df: f64| {
            let d0 = log_df.exp();
            score(&cases, d0, &mut coefficients) + constant(&cases, d0)
        };
        let df = golden(&mut at, DF.map(f64::ln)).exp();
        score(&cases, df, &mut coefficients);
        let whole = coefficients.iter().all(|c| c.is_finite());
        whole.then_some(Trend {
            means,
            coefficients,
            df,
        })
    }

    /// The prior variance of a point.
    pub(super) fn variance(&self, point: &Spread) -> f64 {
        dot(&row(point, &self.means), &self.coefficients).exp()
    }

    /// The probability of a sample variance as large as this point's, for a prior of `df` degrees of freedom.
    pub(super) fn tail(&self, point: &Spread, df: f64) -> f64 {
        let f = point.variance / self.variance(point);
        let x = df / (df + point.df * f);
        incomplete_beta(0.5 * df, 0.5 * point.df, x)
    }
}

fn row(point: &Spread, means: &[f64; COVARIATES]) -> TrendRow {
    let mut row = TrendRow::default();
    row[0] = 1.0;
    for (k, (value, mean)) in point.covariates.iter().zip(means).enumerate() {
        match value {
            Some(value) => row[1 + 2 * k] = value - mean,
            None => row[2 + 2 * k] = 1.0,
        }
    }
    row
}

fn dot(a: &TrendRow, b: &TrendRow) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Maximizes the penalized likelihood at `d0` over the coefficients by Fisher's scoring; returns the maximum of what
/// depends on them.
fn score(cases: &[Case], d0: f64, coefficients: &mut TrendRow) -> f64 {
    let mut best = likelihood(cases, d0, coefficients);
    for _ in 0..SCORING_STEPS {
        let mut gradient = TrendRow::default();
        let mut information = [TrendRow::default(); COLUMNS];
        for (k, c) in coefficients.iter().enumerate().skip(1) {
            gradient[k] = -RIDGE * c;
            information[k][k] = RIDGE;
        }
        for case in cases {
            let ratio = ratio(case, d0, coefficients);
            let slope = 0.5 * ((case.df + d0) * ratio / (1.0 + ratio) - case.df);
            let weight = 0.5 * case.df * d0 / (case.df + d0 + 2.0);
            for i in (0..COLUMNS).filter(|&i| case.row[i] != 0.0) {
                gradient[i] += slope * case.row[i];
                for (cell, other) in information[i].iter_mut().zip(&case.row).take(i + 1) {
                    *cell += weight * case.row[i] * other;
                }
            }
        }
        let step = solve(&mut information, gradient);
        // A step that goes too far is halved.
        let mut part = 1.0;
        let next = loop {
            let mut next = *coefficients;
            next.iter_mut().zip(&step).for_each(|(c, s)| *c += part * s);
            let found = likelihood(cases, d0, &next);
            if found >= best || part < 1e-3 {
                best = best.max(found);
                break next;
            }
            part *= 0.5;
        };
        *coefficients = next;
        if step.iter().all(|s| (part * s).abs() < SCORED) {
            break;
        }
    }
    best
}

/// `d s² / (d0 s0²)`.
fn ratio(case: &Case, d0: f64, coefficients: &TrendRow) -> f64 {
    let above = case.log_variance - dot(&case.row, coefficients);
    // Beyond e^±60 the exponent would leave the range of numbers somewhere.
    case.df / d0 * above.clamp(-60.0, 60.0).exp()
}

/// The logarithm of the density of the sample variances' logarithms as far as it depends on the coefficients, less
/// the penalty.
fn likelihood(cases: &[Case], d0: f64, coefficients: &TrendRow) -> f64 {
    let squares: f64 = coefficients.iter().skip(1).map(|c| c * c).sum();
    let of = |case: &Case| {
        let ratio = ratio(case, d0, coefficients);
        0.5 * case.df * ratio.ln() - 0.5 * (case.df + d0) * ratio.ln_1p()
    };
    cases.iter().map(of).sum::<f64>() - 0.5 * RIDGE * squares
}

/// The rest of it, which depends on the degrees of freedom alone.
fn constant(cases: &[Case], d0: f64) -> f64 {
    let (mut df, mut one, mut sum) = (f64::NAN, 0.0, 0.0);
    for case in cases {
        // The points of a record have few different numbers of processes.
        if case.df != df {
            df = case.df;
            one = ln_gamma(0.5 * (df + d0)) - ln_gamma(0.5 * d0) - ln_gamma(0.5 * df);
        }
        sum += one;
    }
    sum
}

/// The place of the maximum within `range` by golden section.
fn golden(at: &mut impl FnMut(f64) -> f64, [mut low, mut high]: [f64; 2]) -> f64 {
    let part = 0.5 * (5.0_f64.sqrt() - 1.0);
    let (mut left, mut right) = (high - part * (high - low), low + part * (high - low));
    let (mut at_left, mut at_right) = (at(left), at(right));
    for _ in 0..SEARCH_STEPS {
        if at_left > at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - part * (high - low);
            at_left = at(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + part * (high - low);
            at_right = at(right);
        }
    }
    0.5 * (low + high)
}

/// Solves the positive definite system, of which the lower half is given, by Cholesky's decomposition.
fn solve(matrix: &mut [TrendRow; COLUMNS], mut right: TrendRow) -> TrendRow {
    for i in 0..COLUMNS {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum();
            let rest = matrix[i][j] - sum;
            matrix[i][j] = if i == j {
                rest.max(f64::MIN_POSITIVE).sqrt()
            } else {
                rest / matrix[j][j]
            };
        }
    }
    for i in 0..COLUMNS {
        let sum: f64 = (0..i).map(|k| matrix[i][k] * right[k]).sum();
        right[i] = (right[i] - sum) / matrix[i][i];
    }
    for i in (0..COLUMNS).rev() {
        let sum: f64 = (i + 1..COLUMNS).map(|k| matrix[k][i] * right[k]).sum();
        right[i] = (right[i] - sum) / matrix[i][i];
    }
    right
}
