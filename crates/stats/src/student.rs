//! Student's t distribution, and the resulting interval of a mean.
//!
//! The distribution function is the regularized incomplete beta function, evaluated by its
//! continued fraction (Abramowitz and Stegun 26.5.8) with the modified Lentz method.

use crate::Interval;

/// Degrees of freedom at which t stands for the normal distribution, to 1e-4 of a probability.
pub const NORMAL: f64 = 1e6;

/// `ln Γ(x)` for `x > 0`: Stirling's series after shifting the argument to 10 or more, where five
/// terms leave less than 1e-13.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    let mut shift = 0.0;
    let mut x = x;
    while x < 10.0 {
        shift -= x.ln();
        x += 1.0;
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let series = inverse
        * (1.0 / 12.0
            - square
                * (1.0 / 360.0
                    - square * (1.0 / 1260.0 - square * (1.0 / 1680.0 - square * (1.0 / 1188.0)))));
    shift + (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series
}

/// The regularized incomplete beta function `I_x(a, b)`, for `a, b > 0` and `0 <= x <= 1`.
pub(crate) fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges fast below the mean; above it, use the symmetry.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp();
    front * beta_fraction(a, b, x) / a
}

/// The continued fraction of the incomplete beta function.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    // Keeps Lentz's denominators away from zero.
    const TINY: f64 = 1e-300;
    // About sqrt(max(a, b)) terms are needed: enough for a million degrees of freedom.
    const MAX_TERMS: u32 = 5_000;
    let guard = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / guard(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for term in 1..=MAX_TERMS {
        let m = f64::from(term);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / guard(1.0 + even * d);
        c = guard(1.0 + even / c);
        fraction *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / guard(1.0 + odd * d);
        c = guard(1.0 + odd / c);
        let step = d * c;
        fraction *= step;
        if (step - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

/// `P(T <= t)` for Student's t with `df` degrees of freedom (not necessarily an integer).
///
/// NaN if `df` is not positive or an argument is NaN.
#[must_use]
pub fn cdf(t: f64, df: f64) -> f64 {
    if t.is_nan() || df.is_nan() || df <= 0.0 {
        return f64::NAN;
    }
    if t.is_infinite() {
        return if t > 0.0 { 1.0 } else { 0.0 };
    }
    // The tail directly: 1 - (1 - tail) would lose small probabilities.
    let tail = 0.5 * incomplete_beta(0.5 * df, 0.5, df / (df + t * t));
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// The `p`-quantile of Student's t with `df` degrees of freedom, to about 1e-10 relative.
///
/// NaN if `p` is outside 0..=1 or `df` is not positive; infinite at 0 and 1.
#[must_use]
pub fn quantile(p: f64, df: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) || df.is_nan() || df <= 0.0 {
        return f64::NAN;
    }
    if p > 0.5 {
        return -quantile(1.0 - p, df);
    }
    if p == 0.0 {
        return f64::NEG_INFINITY;
    }
    if p == 0.5 {
        return 0.0;
    }
    // Bracket by doubling, then solve for the logarithm of the probability, which is nearly linear
    // in the tail, by false position with the Illinois method: it never leaves the bracket and
    // needs about ten steps where bisection needs fifty.
    let off = |t: f64| (cdf(t, df) / p).ln();
    let (mut low, mut high) = (-1.0, 0.0);
    let mut off_low = off(low);
    let mut off_high = (0.5 / p).ln();
    while off_low > 0.0 && low > -f64::MAX / 4.0 {
        (high, off_high) = (low, off_low);
        low *= 2.0;
        off_low = off(low);
    }
    for _ in 0..200 {
        let straight = (low * off_high - high * off_low) / (off_high - off_low);
        let middle = if straight > low && straight < high {
            straight
        } else {
            0.5 * (low + high)
        };
        let here = off(middle);
        // The error of the probability is then below 1e-13 of it.
        if here.abs() < 1e-13 || middle == low || middle == high {
            return middle;
        }
        if here > 0.0 {
            (high, off_high) = (middle, here);
            off_low *= 0.5;
        } else {
            (low, off_low) = (middle, here);
            off_high *= 0.5;
        }
    }
    0.5 * (low + high)
}

/// Mean, standard deviation (divisor `n - 1`) and `coverage` interval of the mean of `values`.
///
/// Deviation and interval are `None` for fewer than two values; the result is `None` for no values.
#[must_use]
pub fn mean_interval(values: &[f64], coverage: f64) -> Option<Mean> {
    if values.is_empty() {
        return None;
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    if values.len() < 2 {
        return Some(Mean {
            mean,
            sd: None,
            interval: None,
        });
    }
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    let sd = (squares / (n - 1.0)).sqrt();
    let half = quantile(0.5 + 0.5 * coverage, n - 1.0) * sd / n.sqrt();
    Some(Mean {
        mean,
        sd: Some(sd),
        interval: Some(Interval {
            lo: mean - half,
            hi: mean + half,
        }),
    })
}

/// A mean with its deviation and interval, in the unit of the values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation of the values, not of the mean.
    pub sd: Option<f64>,
    /// Interval of the mean.
    pub interval: Option<Interval>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{ContinuousCDF, StudentsT};

    const DEGREES: [f64; 9] = [1.0, 2.0, 3.0, 4.5, 9.0, 29.0, 100.0, 1e4, 1e6];

    #[test]
    fn distribution_agrees_with_the_oracle() {
        for df in DEGREES {
            let oracle = StudentsT::new(0.0, 1.0, df).unwrap();
            for t in [-40.0, -5.0, -2.0, -0.3, -1e-3, 0.0, 0.1, 1.0, 3.0, 12.0] {
                let (ours, theirs) = (cdf(t, df), oracle.cdf(t));
                let error = (ours - theirs).abs() / theirs.max(1e-12);
                assert!(error < 1e-8, "df {df} t {t}: {ours} against {theirs}");
            }
        }
    }

    #[test]
    fn quantile_undoes_the_distribution() {
        for df in DEGREES {
            for p in [1e-6, 0.001, 0.025, 0.2, 0.5, 0.9, 0.975, 0.9995] {
                let back = cdf(quantile(p, df), df);
                assert!((back - p).abs() < 1e-9, "df {df} p {p}: {back}");
            }
        }
    }

    #[test]
    fn printed_tables() {
        // Any textbook: two-sided 95 %.
        for (df, t) in [(1.0, 12.706), (4.0, 2.776), (9.0, 2.262), (29.0, 2.045)] {
            assert!((quantile(0.975, df) - t).abs() < 5e-4);
        }
    }

    #[test]
    fn nonsense_is_nan() {
        assert!(cdf(1.0, 0.0).is_nan());
        assert!(cdf(f64::NAN, 3.0).is_nan());
        assert!(quantile(1.1, 3.0).is_nan());
        assert!(quantile(0.3, f64::NAN).is_nan());
    }
}
