//! From where on a difference is above zero: a zero of a curve that is known at some places, with its interval.
//!
//! Between neighboring places the difference and the ends of its interval are taken as straight. The places at which the
//! interval includes zero are then the interval of the zero: at the true one, the interval of the difference includes zero
//! as often as it should.

/// A difference at a place, with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The place.
    pub at: f64,
    /// The difference there.
    pub value: f64,
    /// Its interval.
    pub range: [f64; 2],
}

/// Where a difference passes zero upwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Crossing {
    /// It is above zero at all places.
    Above,
    /// It is below zero at all places.
    Below,
    /// It passes zero.
    At {
        /// Where.
        value: f64,
        /// From where it may, to where it must have.
        range: [f64; 2],
    },
    /// The intervals do not say.
    Open,
}

/// Where the difference passes zero, by `steps` in ascending order of their places.
#[must_use]
pub fn upwards(steps: &[Step]) -> Crossing {
    let whole = |s: &Step| [s.at, s.value, s.range[0], s.range[1]].map(f64::is_finite);
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else {
        return Crossing::Open;
    };
    if !steps.iter().all(|s| whole(s) == [true; 4]) {
        return Crossing::Open;
    }
    let all = |is: fn(&Step) -> bool| steps.iter().all(is);
    if all(|s| s.range[0] > 0.0) {
        return Crossing::Above;
    }
    if all(|s| s.range[1] < 0.0) {
        return Crossing::Below;
    }
    // Above for sure at the end, or nothing is known of where it came to be.
    if last.range[0] <= 0.0 {
        return Crossing::Open;
    }
    let lo = first_above(steps, |s| s.range[1]).unwrap_or(first.at);
    let hi = last_below(steps, |s| s.range[0]).unwrap_or(first.at);
    let value = last_below(steps, |s| s.value).unwrap_or(first.at);
    Crossing::At {
        value: value.clamp(lo.min(hi), hi.max(lo)),
        range: [lo.min(hi), hi.max(lo)],
    }
}

/// Where `of` first rises to zero; none where it begins there.
fn first_above(steps: &[Step], of: fn(&Step) -> f64) -> Option<f64> {
    let pair = steps.windows(2).find(|p| of(&p[1]) >= 0.0);
    pair.filter(|p| of(&p[0]) < 0.0).map(|p| zero(p, of))
}

/// Where `of` rises above zero for good; none where it always is.
fn last_below(steps: &[Step], of: fn(&Step) -> f64) -> Option<f64> {
    let mut pairs = steps.windows(2);
    pairs.rfind(|p| of(&p[0]) <= 0.0).map(|p| zero(p, of))
}

/// The zero between two places, the second of which is not below it.
fn zero(pair: &[Step], of: fn(&Step) -> f64) -> f64 {
    let (from, to) = (of(&pair[0]), of(&pair[1]));
    let share = if to > from { -from / (to - from) } else { 0.0 };
    pair[0].at + share * (pair[1].at - pair[0].at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn steps(all: &[(f64, f64, f64)]) -> Vec<Step> {
        let step = |&(at, value, half): &(f64, f64, f64)| Step {
            at,
            value,
            range: [value - half, value + half],
        };
        all.iter().map(step).collect()
    }

    #[test]
    fn by_hand() {
        // The difference is (at - 5) / 10, known to 0.1 at every place: 1 to either side.
        let found = upwards(&steps(&[
            (0.0, -0.5, 0.1),
            (10.0, 0.5, 0.1),
            (20.0, 1.5, 0.1),
        ]));
        let Crossing::At { value, range } = found else {
            panic!("{found:?}");
        };
        for (found, wanted) in [(value, 5.0), (range[0], 4.0), (range[1], 6.0)] {
            assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
        }
    }

    #[test]
    fn what_is_on_one_side_crosses_nowhere_and_what_is_not_known_is_open() {
        for (wanted, all) in [
            (Crossing::Above, vec![(0.0, 0.5, 0.1), (50.0, 9.0, 0.1)]),
            (Crossing::Below, vec![(0.0, -0.5, 0.1), (50.0, -0.2, 0.1)]),
            (Crossing::Open, vec![(0.0, -0.5, 0.1), (50.0, 0.2, 0.3)]),
            (Crossing::Open, vec![(0.0, -0.5, 9.0), (50.0, 0.2, 9.0)]),
            (Crossing::Open, vec![(0.0, f64::NAN, 0.1), (50.0, 2.0, 0.1)]),
            (Crossing::Open, vec![]),
        ] {
            assert_eq!(upwards(&steps(&all)), wanted, "{all:?}");
        }
        // Zero at the first place cannot be excluded: from there on.
        let found = upwards(&steps(&[(0.0, 0.05, 0.1), (10.0, 1.05, 0.1)]));
        let Crossing::At { value, range } = found else {
            panic!("{found:?}");
        };
        assert_eq!((value, range[0]), (0.0, 0.0));
        assert!((range[1] - 0.5).abs() < 1e-9, "{range:?}");
    }

    proptest! {
        #[test]
        fn the_value_lies_within_its_range(
            values in prop::collection::vec((-1.0..1.0_f64, 0.0..0.5_f64), 1..8),
        ) {
            let all: Vec<(f64, f64, f64)> =
                values.iter().enumerate().map(|(i, &(v, h))| (i as f64, v, h)).collect();
            if let Crossing::At { value, range: [lo, hi] } = upwards(&steps(&all)) {
                prop_assert!(lo <= value && value <= hi);
                prop_assert!(0.0 <= lo && hi <= (all.len() - 1) as f64);
            }
        }
    }
}
