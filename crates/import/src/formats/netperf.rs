//! netperf's classic output: streams and requests.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::after;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "netperf",
    what: "netperf (TCP_STREAM, UDP_STREAM, TCP_RR and others)",
    repeats: "netperf runs",
    silent: "machine, whether another machine was at the end of the line, or its CPU load",
    roles: &[
        ("netperf.", "cpu_", Roles::All(Role::Other)),
        ("netperf.", "s_dem", Roles::All(Role::Other)),
        ("netperf.", "stream", Roles::All(Role::LocalBandwidth)),
        ("netperf.", "", Roles::All(Role::LocalLatency)),
    ],
    looks,
    part: Some(|line| test(line).is_some()),
    known: &[
        "MIGRATED",
        "Local /Remote",
        "Recv   Send",
        "Socket",
        "bytes",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    let named = marks(text, |line| test(line).is_some());
    let columned = marks(text, |line| {
        columns(line).is_some()
            || line.contains("Elapsed  Trans.")
            || line.contains("Elapsed Trans.")
    });
    if columned > 0 {
        (named + columned) * 2
    } else {
        0
    }
}

/// The test that a heading names: `MIGRATED TCP STREAM TEST from 0.0.0.0 ...`.
fn test(line: &str) -> Option<String> {
    let (front, _) = line.split_once(" TEST")?;
    let front = after(front, "MIGRATED").unwrap_or(front).trim();
    let known = ["TCP", "UDP", "SCTP", "UNIX", "STREAM"]
        .iter()
        .any(|w| front.starts_with(w));
    known.then(|| front.replace([' ', '/'], "_"))
}

/// The columns of a result, by the last line of its header.
struct Columns {
    /// Which one is the result, and its unit.
    result: usize,
    unit: &'static str,
    /// Those behind it, which the options -c and -C add: use of the processor and service demand, of this end first.
    costs: Vec<&'static str>,
    /// A datagram may be lost, so that a second line says what arrived.
    lossy: bool,
}

/// Units of a result as printed, their words joined, and as they are called.
const UNITS: [(&str, &str); 9] = [
    ("10^6bits/sec", "10^6bits/sec"),
    ("10^6bits/s", "10^6bits/sec"),
    ("10^3bits/sec", "10^3bits/sec"),
    ("10^3bits/s", "10^3bits/sec"),
    ("MBytes/sec", "MBytes/sec"),
    ("MBytes/s", "MBytes/sec"),
    ("KBytes/sec", "KBytes/sec"),
    ("KBytes/s", "KBytes/sec"),
    ("per sec", "trans/sec"),
];

/// Units of costs.
const COSTS: [(&str, &str); 6] = [
    ("us/KB", "us/KB"),
    ("us/Tr", "us/Tr"),
    ("us/MB", "us/MB"),
    ("% S", "% S"),
    ("% SS", "% S"),
    ("% U", "% S"),
];

/// `bytes  bytes   bytes    secs.    10^6bits/s  % S      % S      us/KB   us/KB`
fn columns(line: &str) -> Option<Columns> {
    let mut units: Vec<String> = Vec::new();
    for word in line.split_whitespace() {
        // Some units have a gap within: `MBytes  /s`, `per sec`, `% SS`.
        match units.last_mut() {
            Some(last) if word.starts_with('/') => last.push_str(word),
            Some(last) if matches!(last.as_str(), "per" | "%") && word.len() < 4 => {
                last.push(' ');
                last.push_str(word);
            }
            _ => units.push(word.to_owned()),
        }
    }
    let known = |list: &[(&str, &'static str)], unit: &str| {
        let same = list.iter().find(|(name, _)| *name == unit);
        same.map(|(_, called)| *called)
    };
    let (result, unit) = units
        .iter()
        .enumerate()
        .find_map(|(at, unit)| Some((at, known(&UNITS, unit)?)))?;
    let bytes = units.first().is_some_and(|unit| unit == "bytes");
    let costs: Option<Vec<&'static str>> = units[result + 1..]
        .iter()
        .map(|unit| known(&COSTS, unit).or((unit == "%").then_some("% S")))
        .collect();
    Some(Columns {
        result,
        unit,
        costs: costs.unwrap_or_default(),
        lossy: units[..result].iter().any(|unit| unit == "#"),
    })
    .filter(|_| bytes)
}

/// What a cost is called: a unit that stands twice is of this end and of the other.
fn cost(costs: &[&str], at: usize) -> String {
    let unit = costs[at];
    let name = if unit == "% S" { "CPU" } else { "S.dem" };
    let twice = costs.iter().filter(|other| **other == unit).count() > 1;
    match (twice, costs[..at].contains(&unit)) {
        (false, _) => name.to_owned(),
        (true, false) => format!("{name} local"),
        (true, true) => format!("{name} remote"),
    }
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut name = String::new();
    let mut now: Option<Columns> = None;
    for (number, line) in text.lines() {
        if let Some(next) = test(line) {
            sheet.aside(number);
            name = next;
            now = None;
            continue;
        }
        if let Some(found) = columns(line) {
            sheet.aside(number);
            now = Some(found);
            continue;
        }
        let values: Option<Vec<f64>> = line.split_whitespace().map(plain).collect();
        let (Some(columns), Some(values)) = (&now, values.filter(|v| v.len() > 1)) else {
            continue;
        };
        // What arrived has no size of a message and no errors.
        let arrived = columns.lossy && values.len() + 2 == columns.result + 1 + columns.costs.len();
        let at = columns.result - if arrived { 2 } else { 0 };
        let whole = values.len() == at + 1 + columns.costs.len();
        if !whole {
            // A line of two sizes belongs to the row above.
            if values.len() == 2 {
                sheet.aside(number);
            }
            continue;
        }
        let mut title = if name.is_empty() { "Throughput" } else { &name }.to_owned();
        if arrived {
            title.push_str(" received");
        }
        let mut row = Row::new("netperf", &title, columns.unit, Higher);
        if columns.unit == "trans/sec" {
            row = row.titled(&format!("{title} Trans. Rate"));
        }
        sheet.add("", row, values[at], number)?;
        for (which, value) in values[at + 1..].iter().enumerate() {
            // What was not measured, or cannot be, is a negative number.
            if *value >= 0.0 {
                let what = format!("{title} {}", cost(&columns.costs, which));
                let row = Row::new("netperf", &what, columns.costs[which], Lower);
                sheet.add("", row, *value, number)?;
            }
        }
    }
    Ok(())
}
