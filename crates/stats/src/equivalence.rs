//! Equivalence within a margin: two one-sided tests (Schuirmann, 1987).

use crate::student;
use crate::welch::Welch;

/// The p-value of "the sides differ by the margin or more"; at or below 5 %, they are the same
/// within the margin, which is equivalent to the 90 % interval lying inside it. `margin` is a
/// share, 0.02 for 2 %, and is symmetric on the logarithms: from `1 / 1.02` to `1.02`.
///
/// NaN if the margin is not positive.
#[must_use]
pub fn outside(welch: &Welch, margin: f64) -> f64 {
    if margin.is_nan() || margin <= 0.0 {
        return f64::NAN;
    }
    let bound = margin.ln_1p();
    let above = student::cdf((welch.log_ratio - bound) / welch.se, welch.df);
    let below = student::cdf((-bound - welch.log_ratio) / welch.se, welch.df);
    above.max(below)
}

/// True if the difference is within the margin, at the 5 % level.
#[must_use]
pub fn same(welch: &Welch, margin: f64) -> bool {
    outside(welch, margin) <= 0.05
}

#[cfg(test)]
mod tests {
    use super::*;

    fn welch(log_ratio: f64, se: f64) -> Welch {
        Welch {
            log_ratio,
            se,
            df: 18.0,
            p: 1.0,
        }
    }

    #[test]
    fn is_the_ninety_percent_interval_inside_the_margin() {
        let mut both = [0, 0];
        for (ratio, se) in [
            (0.0, 0.011),
            (0.0, 0.0113),
            (0.0, 0.0115),
            (0.0, 0.012),
            (0.01, 0.005),
            (0.01, 0.006),
            (-0.01, 0.0055),
            (-0.01, 0.0058),
            (0.03, 0.001),
        ] {
            let welch = welch(ratio, se);
            let interval = welch.interval(0.90);
            let inside = interval.hi < 1.02 && interval.lo > 1.0 / 1.02;
            assert_eq!(same(&welch, 0.02), inside, "{ratio} {se}");
            both[usize::from(inside)] += 1;
        }
        assert!(both[0] > 0 && both[1] > 0);
    }

    #[test]
    fn a_margin_must_be_positive() {
        assert!(outside(&welch(0.0, 0.01), 0.0).is_nan());
        assert!(!same(&welch(0.0, 0.01), f64::NAN));
    }
}
