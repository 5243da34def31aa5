//! sockperf: latency of messages with its percentiles, and their rate.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::{number_in_front, plain};
use crate::pattern::after;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "sockperf",
    what: "sockperf (Summary: Latency is 56.765 usec, percentile 99.000 =)",
    repeats: "runs of sockperf",
    silent: "the machines, or what lies between them",
    roles: &[
        ("sockperf.", "rate", Roles::All(Role::LocalBandwidth)),
        ("sockperf.", "bandwidth", Roles::All(Role::LocalBandwidth)),
        ("sockperf.", "", Roles::All(Role::LocalLatency)),
    ],
    looks,
    part: Some(|line| !figures(line).is_empty()),
    known: &["sockperf:"],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| !figures(line).is_empty()) * 4
}

/// A figure of a line: title, value, unit, and which way is good.
type Figure<'a> = (String, f64, &'a str, Better);

/// What stands behind `sockperf:`, which logs may have lost; colors were removed with them.
fn figures(line: &str) -> Vec<Figure<'_>> {
    let line = line.trim();
    let (own, line) = match after(line, "sockperf:") {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    if let Some(rest) = after(line, "--->") {
        return percentile(rest).into_iter().collect();
    }
    if let Some(rest) = after(line, "====> avg-").filter(|rest| rest.contains("std-dev=")) {
        return average(rest);
    }
    if let Some(rest) = after(line, "Summary:").filter(|_| own) {
        return summary(rest).into_iter().collect();
    }
    Vec::new()
}

/// `percentile 99.999 = 1913.571`, `<MAX> observation = 1917.502`
fn percentile(rest: &str) -> Option<Figure<'static>> {
    let (name, value) = rest.split_once('=')?;
    let name = name.trim();
    let is = name.starts_with("percentile ") || name.ends_with(" observation");
    Some((name.to_owned(), plain(value.trim())?, "usec", Lower)).filter(|_| is)
}

/// `latency=56.765 (std-dev=46.806, mean-ad=31.750, ...)`: the spread, as the mean is in the summary.
fn average(rest: &str) -> Vec<Figure<'static>> {
    let inner = rest.split_once('(').map_or("", |(_, inner)| inner);
    let mut found = Vec::new();
    for part in inner.trim_end_matches(')').split(", ") {
        let Some((name, value)) = part.split_once('=') else {
            continue;
        };
        let Some(value) = plain(value).filter(|_| name == "std-dev") else {
            continue;
        };
        found.push((name.to_owned(), value, "usec", Lower));
    }
    found
}

/// `Latency is 56.765 usec`, `Message Rate is 461338 [msg/sec]`, `BandWidth is 6.160 MBps (49.279 Mbps)`
fn summary(rest: &str) -> Option<Figure<'_>> {
    let (name, rest) = rest.split_once(" is ")?;
    let (value, unit) = number_in_front(rest)?;
    let unit = unit
        .split_whitespace()
        .next()?
        .trim_matches(['[', ']', ',']);
    let better = if name == "Latency" { Lower } else { Higher };
    Some((format!("Summary: {name} is"), value, unit, better))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    for (number, line) in text.lines() {
        for (title, value, unit, better) in figures(line) {
            let row = Row::new("sockperf", &title, unit, better);
            sheet.add("", row, value, number)?;
        }
    }
    Ok(())
}
