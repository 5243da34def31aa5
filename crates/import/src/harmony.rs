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

/// Prefixes of units.
const PREFIXES: &[(&str, f64)] = &[
    ("thousand ", 1e3),
    ("million ", 1e6),
    ("billion ", 1e9),
    ("k", 1e3),
    ("K", 1e3),
    ("M", 1e6),
    ("G", 1e9),
    ("T", 1e12),
];

/// Prefixes of 1024, which only amounts of memory have: `Kiops` are thousands of `iops`.
const BINARY: &[(&str, f64)] = &[
    ("Ki", 1024.0),
    ("Mi", 1024.0 * 1024.0),
    ("Gi", 1024.0 * 1024.0 * 1024.0),
    ("Ti", 1024.0 * 1024.0 * 1024.0 * 1024.0),
];

/// Units in several spellings, by which a rate of networks is `Gbps` on one side and `Mbit/s` on the other.
const SPELLINGS: &[&[&str]] = &[
    &["B/s", "Bps", "Byte/s", "byte/s"],
    &["bit/s", "bps", "b/s"],
    &["packet/s", "pps", "pkt/s"],
    &["request/s", "req/s", "rps", "RPS"],
    &["op/s", "Op/s", "OP/s"],
    &["IOPS", "IOps", "iops", "IO/s", "io/s"],
    &["flop/s", "Flop/s", "FLOP/s", "flops", "Flops", "FLOPS"],
    &["transaction/s", "txn/s", "tps", "TPS"],
    &["query/s", "querie/s", "qps", "QPS"],
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
pub(crate) fn factor(from: &str, to: &str) -> Option<f64> {
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
    let [from, to] = [from, to].map(by_the_second);
    let ((from, of_from), (to, of_to)) = (prefixed(&from), prefixed(&to));
    // A prefix alone is one only where the other side has one alone as well.
    let scaled = !from.is_empty() || (of_from > 1.0 && of_to > 1.0);
    (from == to && scaled && time(from).is_none()).then_some(of_from / of_to)
}

/// A unit of a rate in the singular and by the second: `GFlop/s` of `GFlops/sec`.
fn by_the_second(unit: &str) -> Cow<'_, str> {
    let unit = unit.trim();
    let Some((what, per)) = unit.split_once('/').or_else(|| unit.split_once(" per ")) else {
        return Cow::Borrowed(unit);
    };
    let (what, per) = (what.trim_end(), per.trim_start());
    let one = what.strip_suffix('s').filter(|one| one.len() > 1);
    let per = match per {
        "sec" | "second" => "s",
        per => per,
    };
    Cow::Owned(format!("{}/{per}", one.unwrap_or(what)))
}

/// A unit without its prefix in one of its spellings, and what the prefix stands for. Both sides of a row have the same rest,
/// so that no word that begins with the letter of a prefix, `Gets/s`, is taken for another unit's thousands.
fn prefixed(unit: &str) -> (&str, f64) {
    let known = |unit: &str| SPELLINGS.iter().find(|names| names.contains(&unit));
    let spelled = |unit| known(unit).map_or(unit, |names| names[0]);
    // `MBps` has a prefix, `Bps` and `TPS` have none.
    if known(unit).is_some() {
        return (spelled(unit), 1.0);
    }
    let of = |prefixes: &'static [(&str, f64)]| {
        let mut found = prefixes.iter().filter_map(|(prefix, factor)| {
            let rest = unit.strip_prefix(prefix)?.trim_start();
            Some((rest, *factor))
        });
        found.next()
    };
    let binary = of(BINARY).filter(|(rest, _)| rest.starts_with(['B', 'b']));
    match binary.or_else(|| of(PREFIXES)) {
        Some((rest, factor)) => (spelled(rest), factor),
        None => (unit, 1.0),
    }
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
        assert_eq!(shown("Mpps", "Kpps"), Some(1000.0));
        assert_eq!(shown("Mpps", "pps"), Some(1_000_000.0));
        assert_eq!(shown("M pps", "million packets/sec"), Some(1.0));
        assert_eq!(shown("krps", "req/s"), Some(1000.0));
        assert_eq!(shown("Kiops", "IOPS"), Some(1000.0));
        assert_eq!(shown("Gbps", "Mbits/sec"), Some(1000.0));
        assert_eq!(shown("TFLOPS", "GFlop/s"), Some(1000.0));
        assert_eq!(shown("GHz", "MHz"), Some(1000.0));
        assert_eq!(shown("MiB/s", "MB/s"), Some(1.048576));
        assert_eq!(shown("Melem/s", "Kelem/s"), Some(1000.0));
        assert_eq!(shown("M", "K"), Some(1000.0));
        assert_eq!(shown("M", ""), None);
        assert_eq!(shown("Gets/s", "Sets/s"), None);
        assert_eq!(shown("Gbit/s", "GB/s"), None);
        assert_eq!(shown("Ms", "ms"), None);
        assert_eq!(shown("cycles(tsc)", "ns"), None);
    }
}
