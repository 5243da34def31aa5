//! Welch's test on logarithms: the ratio of two sides, its p-value and interval.
//!
//! The values are those of the outermost repeated units, one per unit. The Welch-Satterthwaite
//! degrees of freedom allow for unequal variances, because the slower side is often also noisier.

use crate::student;
use crate::{InputError, Interval, input};

/// Degrees of freedom at which Student's t is the normal distribution to four digits.
const NORMAL_DF: f64 = 1e5;

/// The 97.5 % quantile of the normal distribution.
const NORMAL_QUANTILE: f64 = 1.959_963_985;

/// Probability of a tail that is near enough: a hundred-thousandth of 2.5 %, or of the interval's half-width less.
const NEAR: f64 = 2.5e-7;

/// Five are usual from one degree of freedom up.
const STEPS: u32 = 40;

/// Two sides compared, side B against side A, on logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Welch {
    /// Mean logarithm of B less that of A.
    pub log_ratio: f64,
    /// Its standard error.
    pub se: f64,
    /// Degrees of freedom, not necessarily an integer.
    pub df: f64,
    /// Two-sided p-value of "no difference".
    pub p: f64,
}

/// The possible result for two sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tested {
    /// A test.
    Test(Welch),
    /// Only the ratio, as a side has a single unit.
    Single {
        /// Mean logarithm of B less that of A.
        log_ratio: f64,
    },
    /// Only the ratio, as all values of each side are equal: rounding hides the spread, which
    /// cannot be assumed to be zero.
    NoSpread {
        /// Mean logarithm of B less that of A.
        log_ratio: f64,
    },
}

impl Tested {
    /// Mean logarithm of B less that of A.
    #[must_use]
    pub fn log_ratio(&self) -> f64 {
        match *self {
            Tested::Test(Welch { log_ratio, .. })
            | Tested::Single { log_ratio }
            | Tested::NoSpread { log_ratio } => log_ratio,
        }
    }

    /// The test, if there is one.
    #[must_use]
    pub fn test(&self) -> Option<Welch> {
        match self {
            Tested::Test(welch) => Some(*welch),
            _ => None,
        }
    }
}

/// Compares positive values, one per unit.
///
/// # Errors
/// A side without values, or a value that is not positive and finite.
pub fn compare(a: &[f64], b: &[f64]) -> Result<Tested, InputError> {
    compare_logs(&input::logs(a)?, &input::logs(b)?)
}

/// Compares logarithms, one per unit.
///
/// # Errors
/// A side without values, or a logarithm that is not finite.
pub fn compare_logs(a: &[f64], b: &[f64]) -> Result<Tested, InputError> {
    if a.is_empty() || b.is_empty() {
        return Err(InputError::Empty);
    }
    if let Some(bad) = a.iter().chain(b).find(|v| !v.is_finite()) {
        return Err(InputError::NotALogLatency(*bad));
    }
    let (one, two) = (Moments::of(a), Moments::of(b));
    let log_ratio = two.mean - one.mean;
    let (Some(var_a), Some(var_b)) = (one.variance, two.variance) else {
        return Ok(Tested::Single { log_ratio });
    };
    let (part_a, part_b) = (var_a / one.n, var_b / two.n);
    let se = (part_a + part_b).sqrt();
    // A spread below the rounding of the sums counts as none.
    if se <= 1e-14 * (1.0 + one.mean.abs().max(two.mean.abs())) {
        return Ok(Tested::NoSpread { log_ratio });
    }
    let df = (part_a + part_b).powi(2)
        / (part_a.powi(2) / (one.n - 1.0) + part_b.powi(2) / (two.n - 1.0));
    Ok(Tested::Test(Welch {
        log_ratio,
        se,
        df,
        p: two_sided(log_ratio / se, df),
    }))
}

/// Two-sided p-value of a t statistic.
pub(crate) fn two_sided(t: f64, df: f64) -> f64 {
    (2.0 * student::cdf(-t.abs(), df)).min(1.0)
}

impl Welch {
    /// Value of B over value of A.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.log_ratio.exp()
    }

    /// The same with a variance that is known besides, such as that between runs.
    ///
    /// The 95 % interval's half-width is the root of the sum of the squares of both, and never less than it was:
    /// Satterthwaite's degrees of freedom, of which a known variance has no end, would narrow the interval of two or
    /// three values by adding to their variance.
    #[must_use]
    pub fn with_known(self, variance: f64) -> Welch {
        if variance.is_nan() || variance <= 0.0 {
            return self;
        }
        let se = self.se.hypot(variance.sqrt());
        let wanted = self
            .half_width(0.95)
            .hypot(NORMAL_QUANTILE * variance.sqrt())
            / se;
        let df = df_of(wanted, self.df);
        Welch {
            se,
            df,
            p: two_sided(self.log_ratio / se, df).max(self.p),
            ..self
        }
    }

    /// Half of the `coverage` interval of [`Welch::log_ratio`].
    #[must_use]
    pub fn half_width(&self, coverage: f64) -> f64 {
        student::quantile(0.5 + 0.5 * coverage, self.df) * self.se
    }

    /// The `coverage` interval of the ratio.
    #[must_use]
    pub fn interval(&self, coverage: f64) -> Interval {
        let half = self.half_width(coverage);
        Interval {
            lo: (self.log_ratio - half).exp(),
            hi: (self.log_ratio + half).exp(),
        }
    }
}

/// Degrees of freedom, from `least` up, whose 97.5 % quantile is `wanted`.
///
/// The tail beyond `wanted` is nearly linear in the inverse of the degrees of freedom, so the false position method (in its
/// Illinois form) takes a few values of the distribution function; a search over quantiles takes hundreds.
fn df_of(wanted: f64, least: f64) -> f64 {
    let tail = |inverse: f64| student::cdf(-wanted, 1.0 / inverse) - 0.025;
    let (mut low, mut high) = (1.0 / NORMAL_DF, 1.0 / least.min(NORMAL_DF));
    let (mut below, mut above) = (tail(low), tail(high));
    if below >= 0.0 {
        return 1.0 / low;
    }
    if above <= 0.0 {
        return 1.0 / high;
    }
    let mut last = 0.0;
    for _ in 0..STEPS {
        let middle = (low * above - high * below) / (above - below);
        let off = tail(middle);
        if off.abs() < NEAR {
            return 1.0 / middle;
        }
        if off < 0.0 {
            (low, below) = (middle, off);
            above *= if last < 0.0 { 0.5 } else { 1.0 };
        } else {
            (high, above) = (middle, off);
            below *= if last > 0.0 { 0.5 } else { 1.0 };
        }
        last = off;
    }
    2.0 / (low + high)
}

/// Count, mean and variance (divisor `n - 1`) of one side.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moments {
    pub(crate) n: f64,
    pub(crate) mean: f64,
    pub(crate) variance: Option<f64>,
}

impl Moments {
    pub(crate) fn of(values: &[f64]) -> Moments {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        Moments {
            n,
            mean,
            variance: (values.len() > 1).then(|| squares / (n - 1.0)),
        }
    }
}

/// Half of the 95 % interval of a comparison of this point with itself, by the spread within these
/// sides. Absent with fewer than two values on a side.
#[must_use]
pub fn own_half_width(a: &[f64], b: &[f64]) -> Option<f64> {
    let (one, two) = (Moments::of(a), Moments::of(b));
    let df = one.n + two.n - 2.0;
    let pooled = (one.variance? * (one.n - 1.0) + two.variance? * (two.n - 1.0)) / df;
    let se = (pooled * (1.0 / one.n + 1.0 / two.n)).sqrt();
    Some(student::quantile(0.975, df) * se)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_variance_widens_as_squares_add() {
        let welch = compare(&[1.0, 1.01, 0.99], &[1.02, 1.03, 1.01]);
        let welch = welch.unwrap().test().unwrap();
        let known = 0.02_f64;
        let wider = welch.with_known(known * known);
        let wanted = welch.half_width(0.95).hypot(1.96 * known);
        assert!((wider.half_width(0.95) / wanted - 1.0).abs() < 1e-3);
        assert!(wider.p > welch.p && wider.log_ratio == welch.log_ratio);
        // Little beside the own one, or all of it.
        let hardly = welch.with_known(1e-12);
        assert!((hardly.half_width(0.95) / welch.half_width(0.95) - 1.0).abs() < 1e-4);
        let all = welch.with_known(1.0);
        assert!((all.half_width(0.95) - 1.96).abs() < 0.01);
        assert_eq!(welch.with_known(0.0), welch);
    }
    use proptest::prelude::*;

    fn test(a: &[f64], b: &[f64]) -> Welch {
        compare_logs(a, b).unwrap().test().unwrap()
    }

    #[test]
    fn a_textbook_example() {
        // The first example of Rosetta Code's page on Welch's t-test, which gives p = 0.021378.
        let a = [
            27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7,
            21.4,
        ];
        let b = [
            27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 20.5,
            24.4,
        ];
        // Values, not logarithms: the arithmetic is the same.
        let found = test(&a, &b);
        assert!((found.p - 0.021378).abs() < 1e-6, "{}", found.p);
        assert!((found.df - 24.98853).abs() < 1e-4, "{}", found.df);
    }

    #[test]
    fn agrees_with_the_oracle() {
        use statrs::distribution::{ContinuousCDF, StudentsT};
        let found = test(&[0.1, 0.12, 0.11], &[0.2, 0.26]);
        let oracle = StudentsT::new(0.0, 1.0, found.df).unwrap();
        let p = 2.0 * oracle.cdf(-(found.log_ratio / found.se).abs());
        assert!((found.p - p).abs() < 1e-9);
        let interval = found.interval(0.95);
        let half = oracle.inverse_cdf(0.975) * found.se;
        assert!((interval.hi / (found.log_ratio + half).exp() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn says_what_cannot_be_tested() {
        let ratio = 2.0_f64.ln();
        assert!(matches!(
            compare(&[1.0], &[2.0, 2.0]).unwrap(),
            Tested::Single { log_ratio } if (log_ratio - ratio).abs() < 1e-12
        ));
        // Three runs that all print 359 and three that print 358 have an invisible spread.
        assert!(matches!(
            compare(&[359.0; 3], &[358.0; 3]).unwrap(),
            Tested::NoSpread { .. }
        ));
        assert_eq!(compare(&[], &[1.0]), Err(InputError::Empty));
        assert_eq!(
            compare(&[1.0, 0.0], &[1.0]),
            Err(InputError::NotPositive(0.0))
        );
        assert!(compare_logs(&[f64::NAN], &[0.0]).is_err());
    }

    #[test]
    fn own_half_width_is_that_of_the_pooled_spread() {
        // Both sides have variance 1 and three values: t(0.975, 4) = 2.776, se = sqrt(2/3).
        let half = own_half_width(&[0.0, 1.0, 2.0], &[10.0, 11.0, 12.0]).unwrap();
        assert!((half - 2.776_445 * (2.0_f64 / 3.0).sqrt()).abs() < 1e-5);
        assert_eq!(own_half_width(&[1.0], &[1.0, 2.0]), None);
    }

    proptest! {
        #[test]
        fn turns_round_with_the_sides_and_ignores_the_scale(
            a in prop::collection::vec(0.1..10.0_f64, 2..9),
            b in prop::collection::vec(0.1..10.0_f64, 2..9),
            scale in 0.01..100.0_f64,
        ) {
            let scaled = |v: &[f64]| v.iter().map(|x| x * scale).collect::<Vec<_>>();
            let there = compare(&a, &b).unwrap().test();
            let back = compare(&b, &a).unwrap().test();
            let other = compare(&scaled(&a), &scaled(&b)).unwrap().test();
            if let (Some(there), Some(back), Some(other)) = (there, back, other) {
                prop_assert!((there.log_ratio + back.log_ratio).abs() < 1e-12);
                prop_assert!((there.p - back.p).abs() < 1e-12);
                prop_assert!((there.p - other.p).abs() < 1e-6);
                prop_assert!((there.log_ratio - other.log_ratio).abs() < 1e-9);
            }
        }
    }
}
