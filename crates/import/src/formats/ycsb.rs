//! YCSB: rates and latencies of each operation.

use whyslow_model::Better::{self, Higher, Lower, Unsaid};
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::holds;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "ycsb",
    what: "YCSB ([OVERALL], Throughput(ops/sec), 9878.49)",
    repeats: "runs of YCSB",
    silent: "the database, its settings, or the machine",
    roles: &[("ycsb.", "", Roles::All(Role::Application))],
    looks,
    part: Some(|line| row(line).is_some()),
    known: &["current ops/sec", "[TOTAL_GC", "[TOTAL_GCS", "YCSB Client"],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| row(line).is_some()) * 3
}

/// `[READ], 95thPercentileLatency(us), 1512`: the operation, what of it, and the figure.
fn row(line: &str) -> Option<(&str, &str, f64)> {
    let mut parts = line.trim().split(',').map(str::trim);
    let operation = parts.next()?.strip_prefix('[')?.strip_suffix(']')?;
    let (what, value) = (parts.next()?, parts.next()?);
    let upper = |c: char| c.is_ascii_uppercase() || "_-% ".contains(c);
    let is = !operation.is_empty() && operation.chars().all(upper) && parts.next().is_none();
    is.then_some(())?;
    Some((operation, what, plain(value)?))
}

/// The unit in brackets behind a name, and which direction is good.
fn kind(what: &str) -> (&str, Better) {
    let unit = what
        .split_once('(')
        .and_then(|(_, unit)| unit.strip_suffix(')'))
        .unwrap_or_default();
    match what {
        _ if holds(what, "Throughput") => (unit, Higher),
        _ if holds(what, "Latency") || holds(what, "RunTime") => (unit, Lower),
        _ => (unit, Unsaid),
    }
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    for (number, line) in text.lines() {
        let Some((operation, what, value)) = row(line) else {
            continue;
        };
        // Counts follow from what was asked for; buckets of times have numbers as names.
        let counted =
            holds(operation, "GC") || what.parse::<u64>().is_ok() || what.starts_with('>');
        let (unit, better) = kind(what);
        if counted || holds(what, "Return=") || better == Unsaid {
            sheet.aside(number);
            continue;
        }
        let row = Row::new("ycsb", &format!("{operation} {what}"), unit, better);
        sheet.add("", row, value, number)?;
    }
    Ok(())
}
