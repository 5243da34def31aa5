//! A point's value in the unit that another suite's users know it in.

use whyslow_model::Unit;
use whyslow_model::summary::{Interval, PointSummary, Summary};

/// How a value becomes another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Turn {
    /// So many times the value.
    Times(f64),
    /// So much over the value: a rate from a time.
    Over(f64),
}

impl Turn {
    /// The interval in the other unit; without ends where one of them would be endless.
    pub(crate) fn apply(self, interval: &Interval) -> Interval {
        let one = |x: f64| match self {
            Turn::Times(factor) => x * factor,
            Turn::Over(whole) => whole / x,
        };
        let range = interval.range.map(|[lo, hi]| match self {
            Turn::Times(_) => [one(lo), one(hi)],
            Turn::Over(_) => [one(hi), one(lo)],
        });
        Interval {
            value: one(interval.value),
            range: range.filter(|ends| ends.iter().all(|x| x.is_finite()) && ends[0] <= ends[1]),
        }
    }
}

/// The point of `probe` that has exactly these parameters, and so many copies.
pub(crate) fn exact<'a>(
    summary: &'a Summary,
    probe: &str,
    params: &[(&str, &str)],
    copies: u32,
) -> Option<&'a PointSummary> {
    summary.points.iter().find(|p| {
        let others = || p.point.params.iter().filter(|(name, _)| name != COPIES);
        p.point.probe == probe
            && copies_of(p) == copies
            && others().count() == params.len()
            && others()
                .zip(params)
                .all(|((n, v), (name, value))| n == name && v == value)
    })
}

/// The parameter of a point that several workers measured at once.
pub(crate) const COPIES: &str = "copies";

/// How many workers measured it at once.
pub(crate) fn copies_of(point: &PointSummary) -> u32 {
    let copies = point.point.get(COPIES).and_then(|n| n.parse().ok());
    copies.unwrap_or(1)
}

/// Is it a figure as another tool published it, in that tool's own unit?
pub(crate) fn is_foreign(point: &PointSummary) -> bool {
    point.unit == Unit::Count && point.title.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_from_a_time_turns_its_ends_round() {
        let time = Interval {
            value: 10.0,
            range: Some([8.0, 20.0]),
        };
        let rate = Turn::Over(1e3).apply(&time);
        assert_eq!((rate.value, rate.range), (100.0, Some([50.0, 125.0])));
        let other = Turn::Times(0.5).apply(&time);
        assert_eq!((other.value, other.range), (5.0, Some([4.0, 10.0])));
    }

    #[test]
    fn an_endless_rate_has_no_interval() {
        let time = Interval {
            value: 10.0,
            range: Some([0.0, 20.0]),
        };
        assert_eq!(Turn::Over(1e3).apply(&time).range, None);
        let negative = Interval {
            value: 10.0,
            range: Some([-1.0, 20.0]),
        };
        assert_eq!(Turn::Over(1e3).apply(&negative).range, None);
    }
}
