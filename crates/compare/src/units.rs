//! One unit for a row that the sides print in different ones, `1.58 s` and `665 ms`.

use std::collections::{BTreeMap, BTreeSet};

use whyslow_model::record::{Outcome, Planned, Process};
use whyslow_model::{Better, Point, Record};

use crate::Named;

/// Units of one quantity, each with how many of the quantity's first it is.
const QUANTITIES: &[&[(&str, f64)]] = &[
    &[
        ("ns", 1.0),
        ("nsec", 1.0),
        ("us", 1e3),
        ("µs", 1e3),
        ("μs", 1e3),
        ("usec", 1e3),
        ("ms", 1e6),
        ("msec", 1e6),
        ("s", 1e9),
        ("sec", 1e9),
        ("secs", 1e9),
        ("seconds", 1e9),
        ("nanoseconds", 1.0),
        ("microseconds", 1e3),
        ("milliseconds", 1e6),
        ("usecs", 1e3),
        ("msecs", 1e6),
        ("nsecs", 1.0),
        ("min", 6e10),
        ("minutes", 6e10),
        ("hours", 3.6e12),
    ],
    &[
        ("B", 1.0),
        ("bytes", 1.0),
        ("KB", 1e3),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
        // iperf and ab count in powers of two.
        ("Bytes", 1.0),
        ("KBytes", 1024.0),
        ("MBytes", 1_048_576.0),
        ("GBytes", 1_073_741_824.0),
    ],
    &[("iops", 1.0), ("k iops", 1e3), ("M iops", 1e6)],
    // Messages of qperf.
    &[("/sec", 1.0), ("K/sec", 1e3), ("M/sec", 1e6)],
    &[
        ("bit/s", 1.0),
        ("bits/sec", 1.0),
        ("Kbits/sec", 1e3),
        ("Mbits/sec", 1e6),
        ("Gbits/sec", 1e9),
        ("Kbit/s", 1e3),
        ("Mbit/s", 1e6),
        ("Kbit/sec", 1e3),
        ("Mbit/sec", 1e6),
        ("Gbit/sec", 1e9),
        ("Gb/sec", 1e9),
        ("Gbit/s", 1e9),
        ("kbps", 1e3),
        ("Mbps", 1e6),
        ("Gbps", 1e9),
    ],
    &[
        ("B/s", 1.0),
        ("bytes/sec", 1.0),
        ("KB/s", 1e3),
        ("kB/s", 1e3),
        ("KB/sec", 1e3),
        ("MB/s", 1e6),
        ("MB/sec", 1e6),
        ("GB/s", 1e9),
        ("GB/sec", 1e9),
        ("KiB/s", 1024.0),
        ("KiB/sec", 1024.0),
        ("MiB/s", 1_048_576.0),
        ("MiB/sec", 1_048_576.0),
        ("GiB/s", 1_073_741_824.0),
        ("GiB/sec", 1_073_741_824.0),
        ("Bytes/sec", 1.0),
        ("KBytes/sec", 1024.0),
        ("Kbytes/sec", 1024.0),
        ("MBytes/sec", 1_048_576.0),
        ("GBytes/sec", 1_073_741_824.0),
    ],
];

/// How many of `to` one of `from` is, where both are units of one quantity.
fn factor(from: &str, to: &str) -> Option<f64> {
    let of = |units: &[(&str, f64)], symbol: &str| {
        units.iter().find(|(unit, _)| *unit == symbol).map(|u| u.1)
    };
    let mut both = QUANTITIES
        .iter()
        .filter_map(|units| Some(of(units, from)? / of(units, to)?));
    both.next()
}

/// What the sides say of a row together: its unit by the first that prints one, its direction by the first that says it.
#[derive(Debug, Default)]
struct Said<'a> {
    symbol: Option<&'a str>,
    better: Option<Better>,
    /// One of them does not say which direction is good.
    unsaid: bool,
    /// The least and the most of its figures.
    ends: Option<(f64, f64)>,
}

/// Sides further apart than this factor may have units of their own, of which one alone prints none.
const NEAR: f64 = 10.0;

/// The records of two sides with one unit for each row that another tool printed in several, that of A's first record; and
/// with the unit or the direction that one side alone says. Nothing where they agree, which is the usual case.
pub(crate) fn aligned(a: &[Named<'_>], b: &[Named<'_>]) -> Option<[Vec<Record>; 2]> {
    let mut said: BTreeMap<&Point, Said> = BTreeMap::new();
    for named in a.iter().chain(b) {
        for planned in &named.record.plan.points {
            let own = said.entry(&planned.point).or_default();
            let symbol = planned.symbol.as_deref();
            let better = Some(planned.better).filter(|better| *better != Better::Unsaid);
            own.symbol = own.symbol.or(symbol);
            own.better = own.better.or(better);
            own.unsaid |= better.is_none();
        }
    }
    // Only what the sides say differently is looked at further.
    let sides = || a.iter().chain(b);
    let planned = || sides().flat_map(|named| &named.record.plan.points);
    let apart: BTreeSet<&Point> = planned()
        .filter(|planned| said[&planned.point].is_apart(planned))
        .map(|planned| &planned.point)
        .collect();
    if apart.is_empty() {
        return None;
    }
    said.retain(|point, _| apart.contains(point));
    for process in sides().flat_map(|named| &named.record.processes) {
        if let Some(own) = said.get_mut(&process.point) {
            for value in process.outcome.numbers() {
                let (least, most) = own.ends.unwrap_or((value, value));
                own.ends = Some((least.min(value), most.max(value)));
            }
        }
    }
    if !planned().any(|planned| said.get(&planned.point).is_some_and(|s| s.changes(planned))) {
        return None;
    }
    let of = |side: &[Named<'_>]| {
        let records = side.iter();
        records.map(|named| in_units(named.record, &said)).collect()
    };
    Some([of(a), of(b)])
}

impl<'a> Said<'a> {
    /// Does a side say something else, or nothing?
    fn is_apart(&self, planned: &Planned) -> bool {
        let better = Some(planned.better).filter(|better| *better != Better::Unsaid);
        self.symbol != planned.symbol.as_deref()
            || self.better != better
            || self.unsaid && better.is_some()
    }

    /// Are the figures so near to each other that one unit is of both?
    fn is_near(&self) -> bool {
        self.ends
            .is_some_and(|(least, most)| least > 0.0 && most < NEAR * least)
    }

    /// The direction of the row. Without a unit the words of one page said it, and may be of something else.
    fn direction(&self, planned: &Planned) -> Better {
        match (self.better, self.symbol) {
            (Some(better), Some(_)) if planned.better == Better::Unsaid && self.is_near() => better,
            (_, None) if self.unsaid => Better::Unsaid,
            _ => planned.better,
        }
    }

    /// The unit that the row gets, with what its figures are multiplied by; none where it keeps its own.
    fn unit(&self, planned: &Planned) -> Option<(&'a str, f64)> {
        let wanted = self.symbol?;
        match planned.symbol.as_deref() {
            None => self.is_near().then_some((wanted, 1.0)),
            Some(symbol) if symbol == wanted => None,
            Some(symbol) => factor(symbol, wanted).map(|times| (wanted, times)),
        }
    }

    fn changes(&self, planned: &Planned) -> bool {
        self.direction(planned) != planned.better || self.unit(planned).is_some()
    }
}

/// The record with each row in the unit and the direction that the sides say, where it can be.
fn in_units(record: &Record, said: &BTreeMap<&Point, Said>) -> Record {
    let mut record = record.clone();
    for planned in &mut record.plan.points {
        let Some(said) = said.get(&planned.point) else {
            continue;
        };
        let unit = said.unit(planned);
        planned.better = said.direction(planned);
        let Some((symbol, times)) = unit else {
            continue;
        };
        planned.symbol = Some(symbol.to_owned());
        if times != 1.0 {
            let own = record.processes.iter_mut();
            own.filter(|p| p.point == planned.point)
                .for_each(|process| scale(process, times));
        }
    }
    record
}

fn scale(process: &mut Process, times: f64) {
    let Outcome::Draws(draws) = &mut process.outcome else {
        return;
    };
    let series = draws.iter_mut().flat_map(|draw| &mut draw.series);
    let values = series.flat_map(|series| &mut series.ns);
    values.for_each(|value| *value *= times);
}

#[cfg(test)]
mod tests {
    use super::factor;

    #[test]
    fn units_of_one_quantity_alone_are_made_one() {
        assert_eq!(factor("s", "ms"), Some(1e3));
        assert_eq!(factor("MB/s", "GB/s"), Some(1e-3));
        assert_eq!(factor("MiB/sec", "MB/sec"), Some(1.048_576));
        assert_eq!(factor("s", "MB/s"), None);
        assert_eq!(factor("lps", "s"), None);
    }
}
