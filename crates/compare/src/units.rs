//! One unit for a row that the sides print in different ones, `1.58 s` and `665 ms`.

use std::collections::BTreeMap;

use whyslow_model::record::{Outcome, Process};
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
        for process in &named.record.processes {
            if let Some(own) = said.get_mut(&process.point) {
                for value in process.outcome.numbers() {
                    let (least, most) = own.ends.unwrap_or((value, value));
                    own.ends = Some((least.min(value), most.max(value)));
                }
            }
        }
    }
    let of = |side: &[Named<'_>]| -> Vec<Option<Record>> {
        let records = side.iter();
        records.map(|named| in_units(named.record, &said)).collect()
    };
    let changed = [of(a), of(b)];
    let any = changed.iter().flatten().any(Option::is_some);
    let whole = |(made, side): (Vec<Option<Record>>, &[Named<'_>])| -> Vec<Record> {
        let both = made.into_iter().zip(side);
        both.map(|(made, named)| made.unwrap_or_else(|| named.record.clone()))
            .collect()
    };
    let [of_a, of_b] = changed;
    any.then(|| [whole((of_a, a)), whole((of_b, b))])
}

/// The record with each row in the unit that the sides say, where it can be; nothing where that changes none.
fn in_units(record: &Record, said: &BTreeMap<&Point, Said>) -> Option<Record> {
    let mut changed = false;
    let mut record = record.clone();
    for planned in &mut record.plan.points {
        let Some(said) = said.get(&planned.point) else {
            continue;
        };
        let near = said
            .ends
            .is_some_and(|(least, most)| least > 0.0 && most < NEAR * least);
        // Without a unit the words of one page said it, and may be of something else.
        let better = match (said.better, said.symbol) {
            (Some(better), Some(_)) if near => better,
            (_, None) if said.unsaid => Better::Unsaid,
            _ => planned.better,
        };
        changed |= better != planned.better;
        planned.better = better;
        let Some(wanted) = said.symbol else { continue };
        let Some(symbol) = &planned.symbol else {
            if near {
                planned.symbol = Some(wanted.to_owned());
                changed = true;
            }
            continue;
        };
        let Some(times) = factor(symbol, wanted).filter(|_| symbol != wanted) else {
            continue;
        };
        let own = record.processes.iter_mut();
        own.filter(|p| p.point == planned.point)
            .for_each(|process| scale(process, times));
        planned.symbol = Some(wanted.to_owned());
        changed = true;
    }
    changed.then_some(record)
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
