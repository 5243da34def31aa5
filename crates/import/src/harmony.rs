//! The units of two records of other tools: a tool prints 0.98 s as 980 ms, and what differs in its unit alone is compared.

use std::borrow::Cow;
use std::collections::BTreeMap;

use whyslow_model::record::{Note, Outcome};
use whyslow_model::{Point, Record};

/// What the note of converted rows is about.
const ABOUT: &str = "units";

/// Names of units of time, and how many seconds they are.
const TIMES: &[(&[&str], f64)] = &[
    (&["ns", "nsec", "nsecs", "nanoseconds"], 1e-9),
    (&["us", "µs", "μs", "usec", "usecs", "microseconds"], 1e-6),
    (&["ms", "msec", "msecs", "milliseconds"], 1e-3),
    (&["s", "sec", "secs", "second", "seconds"], 1.0),
    (&["min", "mins", "minute", "minutes"], 60.0),
    (&["h", "hr", "hrs", "hour", "hours"], 3600.0),
];

/// Prefixes of units of thousands and of 1024.
const PREFIXES: &[(&str, f64)] = &[
    ("Ki", 1024.0),
    ("Mi", 1024.0 * 1024.0),
    ("Gi", 1024.0 * 1024.0 * 1024.0),
    ("k", 1e3),
    ("K", 1e3),
    ("M", 1e6),
    ("G", 1e9),
];

/// Gives the rows of `b` that `a` has in another unit of the same kind that of `a`, with a note that says so.
pub fn harmonize(a: &Record, b: &mut Record) {
    let of: BTreeMap<&Point, &str> = a
        .plan
        .points
        .iter()
        .filter_map(|planned| Some((&planned.point, planned.symbol.as_deref()?)))
        .collect();
    let mut factors: BTreeMap<Point, f64> = BTreeMap::new();
    for planned in &mut b.plan.points {
        let (Some(wanted), Some(own)) = (of.get(&planned.point), planned.symbol.as_deref()) else {
            continue;
        };
        if let Some(factor) = factor(own, wanted).filter(|_| own != *wanted) {
            factors.insert(planned.point.clone(), factor);
            planned.symbol = Some((*wanted).to_owned());
        }
    }
    if factors.is_empty() {
        return;
    }
    for process in &mut b.processes {
        let Some(factor) = factors.get(&process.point) else {
            continue;
        };
        if let Outcome::Draws(draws) = &mut process.outcome {
            let series = draws.iter_mut().flat_map(|draw| &mut draw.series);
            series
                .flat_map(|series| &mut series.ns)
                .for_each(|value| *value = plain(*value * factor));
        }
    }
    let rows = if factors.len() == 1 { "row" } else { "rows" };
    b.notes.push(Note {
        about: ABOUT.into(),
        text: format!(
            "{} {rows} converted to the unit that the other side has",
            factors.len()
        ),
    });
}

/// The number without what converting added behind its digits.
fn plain(value: f64) -> f64 {
    format!("{value:.14e}").parse().unwrap_or(value)
}

/// By what a figure in `from` is multiplied to be one in `to`; none where they are of different kinds.
fn factor(from: &str, to: &str) -> Option<f64> {
    let time = |unit: &str| {
        let mut known = TIMES.iter().filter(|(names, _)| names.contains(&unit));
        known.next().map(|(_, seconds)| *seconds)
    };
    if let (Some(from), Some(to)) = (time(from), time(to)) {
        return Some(from / to);
    }
    // `us/op` and `ms/op`
    if let (Some((from, of_from)), Some((to, of_to))) = (from.split_once('/'), to.split_once('/'))
        && of_from == of_to
        && let (Some(from), Some(to)) = (time(from), time(to))
    {
        return Some(from / to);
    }
    let [from, to] = [from, to].map(singular);
    let (from, of_from) = prefixed(&from);
    let (to, of_to) = prefixed(&to);
    (!from.is_empty() && from == to && time(from).is_none()).then_some(of_from / of_to)
}

/// A unit of a rate in the singular: `GFlop/s` of `GFlops/s`.
fn singular(unit: &str) -> Cow<'_, str> {
    let of = unit.split_once('/');
    match of.and_then(|(what, per)| Some((what.strip_suffix('s')?, per))) {
        Some((what, per)) if what.len() > 1 => Cow::Owned(format!("{what}/{per}")),
        _ => Cow::Borrowed(unit),
    }
}

/// A unit without its prefix, and what the prefix stands for.
fn prefixed(unit: &str) -> (&str, f64) {
    let mut known = PREFIXES.iter().filter_map(|(prefix, factor)| {
        let rest = unit.strip_prefix(prefix)?;
        // `Kops` has one, `M` and `Mean` have none.
        let is = rest.starts_with(['B', 'b', 'i', 'o', 'H', '/', 'e', 'r', 'F'])
            && rest.len() < unit.len();
        is.then_some((rest, *factor))
    });
    known.next().unwrap_or((unit, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_one_kind() {
        let shown = |from, to| factor(from, to).map(|f| (f * 1e6).round() / 1e6);
        assert_eq!(shown("ms", "s"), Some(0.001));
        assert_eq!(shown("ms/op", "us/op"), Some(1000.0));
        assert_eq!(shown("ms/op", "us/call"), None);
        assert_eq!(shown("seconds", "ms"), Some(1000.0));
        assert_eq!(shown("GB/s", "MB/s"), Some(1000.0));
        assert_eq!(shown("GiB/s", "MiB/s"), Some(1024.0));
        assert_eq!(shown("Mbit/s", "Gbits/s"), Some(0.001));
        assert_eq!(shown("GFlops/s", "GFlop/s"), Some(1.0));
        assert_eq!(shown("kops/s", "ops/s"), Some(1000.0));
        assert_eq!(shown("s", "MB/s"), None);
        assert_eq!(shown("MB/s", "MB"), None);
        assert_eq!(shown("op/s", "op"), None);
    }
}
