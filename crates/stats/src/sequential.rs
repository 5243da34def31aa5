//! Repeated looks at a comparison while one side is still measured: group-sequential bounds.
//!
//! A test at 5 % that is repeated while units are added, and that ends at the first p-value below, calls 10 % and
//! more of all equal sides different. The bounds of O'Brien and Fleming (1979) keep 5 % over all looks together: at a
//! share `t` of the units a difference must exceed `z / sqrt(t)` standard errors, so early looks are strict and the
//! last one costs hardly anything. Bounds of the normal distribution are applied to t tests as levels of
//! their p-values, and to intervals as their coverage: a repeated confidence interval (Jennison and Turnbull, 2000,
//! chapters 2 and 9). With [`LOOKS`] the bounds are 3.97, 2.81 and 1.985 standard errors.
//!
//! One side is complete from the start, so that the looks share more than these bounds assume, which makes them
//! conservative.

use crate::student;
use crate::welch::Welch;

/// Units of the growing side at each look: a quarter, a half, all.
pub const LOOKS: [u32; 3] = [5, 10, 20];

/// The bound of the last look in standard errors, for looks at a quarter, a half and all of the units at 5 %
/// (two-sided).
const LAST: f64 = 1.985;

/// A look at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InterimLook {
    /// Units of the growing side so far.
    pub units: u32,
    /// Units at the last look.
    pub most: u32,
}

/// What a look shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// The difference is beyond the bound.
    Real,
    /// The interval of the difference lies within the margin.
    Alike,
    /// Neither: more units may settle it.
    Open,
}

/// The level of a two-sided p-value in the comparison after the last look, at which all looks together keep 5 %.
#[must_use]
pub fn last_level() -> f64 {
    InterimLook { units: 1, most: 1 }.level()
}

impl InterimLook {
    /// The level of a two-sided p-value at this look; 0 without units.
    #[must_use]
    pub fn level(self) -> f64 {
        if self.units == 0 {
            return 0.0;
        }
        let share = (f64::from(self.units) / f64::from(self.most.max(1))).min(1.0);
        2.0 * student::cdf(-LAST / share.sqrt(), student::NORMAL)
    }

    /// What `welch` shows. `p` is its p-value, adjusted where several points are tested together; `margin` is a share,
    /// as in [`crate::equivalence`].
    #[must_use]
    pub fn finding(self, welch: &Welch, p: f64, margin: f64) -> Finding {
        let level = self.level();
        if p <= level {
            return Finding::Real;
        }
        let reach = welch.log_ratio.abs() + welch.half_width(1.0 - level);
        if reach < margin.ln_1p() {
            Finding::Alike
        } else {
            Finding::Open
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap::Resampler;
    use crate::welch::compare_logs;

    /// Points a simulation.
    const POINTS: u32 = 2000;

    const MARGIN: f64 = 0.02;

    /// What became of the points of a simulation.
    #[derive(Debug, Default)]
    struct Tally {
        real: u32,
        alike: u32,
        units: u32,
    }

    impl Tally {
        fn real(&self) -> f64 {
            f64::from(self.real) / f64::from(POINTS)
        }

        fn alike(&self) -> f64 {
            f64::from(self.alike) / f64::from(POINTS)
        }

        fn units(&self) -> f64 {
            f64::from(self.units) / f64::from(POINTS)
        }
    }

    /// Points that differ by `log_ratio`, with spread `sd` and `complete` units of the side that is there.
    fn simulate(log_ratio: f64, sd: f64, complete: u32, most: u32) -> Tally {
        let mut random = Resampler::new(7);
        // The sum of twelve uniform numbers is nearly normal with variance one.
        let mut normal = || {
            let sum: f64 = (0..12).map(|_| random.below(1 << 20) as f64).sum();
            sum / f64::from(1 << 20) - 6.0
        };
        let mut tally = Tally::default();
        for _ in 0..POINTS {
            let a: Vec<f64> = (0..complete).map(|_| sd * normal()).collect();
            let mut b = Vec::new();
            let looks = LOOKS.into_iter().filter(|&look| look < most);
            for units in looks.chain([most]) {
                b.extend((b.len() as u32..units).map(|_| log_ratio + sd * normal()));
                let welch = compare_logs(&a, &b).unwrap().test().unwrap();
                match (InterimLook { units, most }).finding(&welch, welch.p, MARGIN) {
                    Finding::Real => tally.real += 1,
                    Finding::Alike => tally.alike += 1,
                    Finding::Open => continue,
                }
                break;
            }
            tally.units += b.len() as u32;
        }
        tally
    }

    #[test]
    fn levels_are_those_of_the_bounds() {
        use statrs::distribution::{ContinuousCDF, Normal};
        let normal = Normal::new(0.0, 1.0).unwrap();
        for (units, z) in LOOKS.into_iter().zip([3.97, 2.807, 1.985]) {
            let level = InterimLook { units, most: 20 }.level();
            let wanted = 2.0 * normal.cdf(-z);
            assert!((level / wanted - 1.0).abs() < 3e-3, "{units}: {level}");
        }
        assert!(InterimLook { units: 0, most: 20 }.level().abs() < f64::EPSILON);
        let beyond = InterimLook { units: 9, most: 5 }.level();
        assert!((beyond - InterimLook { units: 5, most: 5 }.level()).abs() < f64::EPSILON);
    }

    #[test]
    fn equal_sides_are_called_different_as_often_as_by_one_test() {
        for (complete, most) in [(20, 20), (10, 10), (7, 7), (5, 5), (40, 20), (10, 20)] {
            let tally = simulate(0.0, 0.03, complete, most);
            assert!(tally.real() <= 0.06, "{complete} and {most}: {tally:?}");
        }
    }

    #[test]
    fn a_difference_is_found_with_half_of_the_units() {
        let tally = simulate(1.1_f64.ln(), 0.03, 20, 20);
        assert!(tally.real() >= 0.95, "{tally:?}");
        assert!(tally.units() < 12.0, "{tally:?}");
    }

    #[test]
    fn steady_points_are_alike_early_and_those_at_the_margin_seldom() {
        let steady = simulate(0.0, 0.003, 20, 20);
        assert!(
            steady.alike() >= 0.90 && steady.units() < 12.0,
            "{steady:?}"
        );
        let edge = simulate(MARGIN.ln_1p(), 0.03, 20, 20);
        assert!(edge.alike() <= 0.05, "{edge:?}");
    }
}
