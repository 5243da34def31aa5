//! One unit for a row that the sides print in different ones, `1.58 s` and `665 ms`.

use std::collections::BTreeMap;

use whyslow_model::record::{Outcome, Process};
use whyslow_model::{Point, Record};

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

/// The records of two sides with one unit for each row that another tool printed in several: that of A's first record.
/// Nothing where they agree, which is the usual case.
pub(crate) fn aligned(a: &[Named<'_>], b: &[Named<'_>]) -> Option<[Vec<Record>; 2]> {
    let mut first: BTreeMap<&Point, &str> = BTreeMap::new();
    let mut differ = false;
    for named in a.iter().chain(b) {
        for planned in &named.record.plan.points {
            if let Some(symbol) = planned.symbol.as_deref() {
                let there = *first.entry(&planned.point).or_insert(symbol);
                differ |= there != symbol && factor(symbol, there).is_some();
            }
        }
    }
    let of = |side: &[Named<'_>]| {
        let records = side.iter();
        records
            .map(|named| in_units(named.record, &first))
            .collect()
    };
    differ.then(|| [of(a), of(b)])
}

/// The record with each row in the unit that `units` has for it, where it can be.
fn in_units(record: &Record, units: &BTreeMap<&Point, &str>) -> Record {
    let mut record = record.clone();
    for planned in &mut record.plan.points {
        let (Some(symbol), Some(wanted)) = (&planned.symbol, units.get(&planned.point)) else {
            continue;
        };
        let Some(times) = factor(symbol, wanted).filter(|_| symbol != wanted) else {
            continue;
        };
        let own = record.processes.iter_mut();
        own.filter(|p| p.point == planned.point)
            .for_each(|process| scale(process, times));
        planned.symbol = Some((*wanted).to_owned());
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
