//! How many units it takes to see a difference, or to be sure that there is none.

use crate::student;

/// Chance that the difference is found, or that sameness is shown, with the units named here.
pub const POWER: f64 = 0.8;

/// More units than this are no advice but a polite no.
const MOST: u32 = 100_000;

/// Degrees of freedom with which t is nearly normal: its quantiles are above by at most 1 %.
const NEARLY_NORMAL: f64 = 1000.0;

/// Units a side with which a true difference of `log_ratio` is told from none at level `alpha`,
/// four times in five; `sd` is the spread of the units' logarithms. `None` where the arguments make
/// no sense or more than 100,000 would be needed.
#[must_use]
pub fn units_to_detect(sd: f64, log_ratio: f64, alpha: f64) -> Option<u32> {
    // Two-sided; the chance of finding the difference the wrong way round is nothing.
    least(sd, log_ratio.abs(), 1.0 - alpha / 2.0, POWER)
}

/// Units a side with which two sides that do not differ are shown to be the same within
/// `log_margin`, four times in five.
#[must_use]
pub fn units_to_equate(sd: f64, log_margin: f64) -> Option<u32> {
    // Both one-sided tests must succeed, so either may fail half as often.
    least(sd, log_margin, 0.95, 1.0 - (1.0 - POWER) / 2.0)
}

/// The least number a side for which `size` is as many standard errors as both quantiles together.
/// The shift of Student's t is taken for the noncentral one, which is off by less than one unit.
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
    // Nearly normal quantiles give about the count: a bracket about it saves most of the search.
    let normal = student::quantile(level, NEARLY_NORMAL) + student::quantile(power, NEARLY_NORMAL);
    let about = 2.0 * (normal * sd / size).powi(2);
    if about > f64::from(MOST) {
        return None;
    }
    // The true quantiles are lower by at most 1 %, of which the count is the square.
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
        // Two-sample t-tests at 5 %, power 80 %, by effect size (Cohen, 1988, table 2.4): 17 a side
        // for d = 1, 26 for 0.8, 64 for 0.5, 393 for 0.2.
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
            // The two are about the same effort.
            assert!((0.6..1.7).contains(&(f64::from(equate) / f64::from(detect))));
            before = detect;
        }
        assert_eq!(units_to_detect(1.0, 0.0, 0.05), None);
        assert_eq!(units_to_detect(1.0, 1e-6, 0.05), None);
        assert_eq!(units_to_detect(f64::NAN, 1.0, 0.05), None);
    }
}
