//! netperf's classic output: streams and requests.

use whyslow_model::Better::Higher;
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "netperf",
    what: "netperf (TCP_STREAM, UDP_STREAM, TCP_RR and others)",
    repeats: "netperf runs",
    silent: "machine, whether another machine was at the end of the line, or its CPU load",
    roles: &[
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
    let units = ["10^6bits/sec", "Elapsed  Trans."];
    let named = marks(text, |line| test(line).is_some());
    let columned = marks(text, |line| units.iter().any(|unit| line.contains(unit)));
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

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut name = String::new();
    let mut unit = "";
    for (number, line) in text.lines() {
        if let Some(next) = test(line) {
            sheet.aside(number);
            name = next;
            unit = "";
        } else if holds(line, "10^6bits/sec") {
            sheet.aside(number);
            unit = "10^6bits/sec";
        } else if holds(line, "per sec") && holds(line, "bytes") {
            sheet.aside(number);
            unit = "trans/sec";
        } else if !unit.is_empty() {
            let values: Option<Vec<f64>> = line.split_whitespace().map(plain).collect();
            match values.as_deref() {
                // Sizes and the time stand in front; the last is the result.
                Some([_, _, _, .., result]) => {
                    let title = if name.is_empty() { "Throughput" } else { &name };
                    sheet.add(
                        "",
                        Row::new("netperf", title, unit, Higher),
                        *result,
                        number,
                    )?;
                }
                // A line of two sizes belongs to the row above; of a UDP stream it has what arrived.
                Some([_, _]) => sheet.aside(number),
                _ => {}
            }
        }
    }
    Ok(())
}
