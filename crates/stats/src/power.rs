//! The number of units needed to detect a difference, or to show equivalence.

use crate::student;

/// Probability of detection, or of showing equivalence, with the returned number of units.
pub const POWER: f64 = 0.8;

/// Above this number of units there is no useful advice.
const MOST: u32 = 100_000;

/// Degrees of freedom from which t is nearly normal: its quantiles are at most 1 % larger.
const NEARLY_NORMAL: f64 = 1000.0;

/// Units per side to detect a true difference of `log_ratio` at level `alpha` with 80 % power; `sd`
/// is the spread of the units' logarithms. `None` for invalid arguments or if more than 100,000 are
/// needed.
#[must_use]
pub fn units_to_detect(sd: f64, log_ratio: f64, alpha: f64) -> Option<u32> {
    // Two-sided; the probability of the wrong sign is negligible.
    least(sd, log_ratio.abs(), 1.0 - alpha / 2.0, POWER)
}

/// Units per side to show that two equal sides are the same within `log_margin`, with 80 % power.
#[must_use]
pub fn units_to_equate(sd: f64, log_margin: f64) -> Option<u32> {
    // Both one-sided tests must succeed, so each may fail half as often.
    least(sd, log_margin, 0.95, 1.0 - (1.0 - POWER) / 2.0)
}

/// The least number per side for which `size` is the sum of both quantiles in standard errors. A
/// shifted Student's t replaces the noncentral one, with an error of less than one unit.
fn least(sd: f64, size: f64, level: f64, power: f64) -> Option<u32> {
    let valid = sd >= 0.0 && sd.is_finite() && size > 0.0 && (0.5..1.0).contains(&level);
    if !valid {
        return None;
    }
    let enough = |n: u32| {
        let df = f64::from(2 * (n - 1));
        let needed = student::quantile(level, df) + student::quantile(power, df);
        size >= needed * sd * (2.0 / f64::from(n)).sqrt()
    };
    // Normal quantiles give approximately the count: a bracket around it saves most of the search.
    let normal = student::quantile(level, NEARLY_NORMAL) + student::quantile(power, NEARLY_NORMAL);
    let about = 2.0 * (normal * sd / size).powi(2);
    if about > f64::from(MOST) {
        return None;
    }
    // The true quantiles are lower by at most 1 %, and the count is quadratic in them.
    let mut low = ((about * 0.98) as u32).max(2) - 1;
    let (mut high, mut step) = (low + 1, 1);
    while !enough(high) {
        low = high;
        high += step;
        step *= 2;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if enough(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textbook_counts() {
        // Two-sample t-tests at 5 %, power 80 %, by effect size (Cohen, 1988, table 2.4): 17 per
        // side for d = 1, 26 for 0.8, 64 for 0.5, 393 for 0.2.
        for (d, wanted) in [(1.0, 17), (0.8, 26), (0.5, 64), (0.2, 393)] {
            let found = units_to_detect(1.0, d, 0.05).unwrap();
            assert!(found.abs_diff(wanted) <= 1, "{d}: {found}");
        }
    }

    #[test]
    fn noisier_points_need_more() {
        let two = 1.02_f64.ln();
        let mut before = 0;
        for sd in [0.005, 0.01, 0.02, 0.05] {
            let detect = units_to_detect(sd, two, 0.05).unwrap();
            let equate = units_to_equate(sd, two).unwrap();
            assert!(detect > before);
            // Both take about the same number.
            assert!((0.6..1.7).contains(&(f64::from(equate) / f64::from(detect))));
            before = detect;
        }
        assert_eq!(units_to_detect(1.0, 0.0, 0.05), None);
        assert_eq!(units_to_detect(1.0, 1e-6, 0.05), None);
        assert_eq!(units_to_detect(f64::NAN, 1.0, 0.05), None);
    }
}
