//! netperf's classic output: streams and requests.

use whyslow_model::Better::{Higher, Lower};
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
    let units = ["10^6bits/s", "Elapsed  Trans.", "Elapsed Trans."];
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

/// What the options -c and -C add behind the result.
struct Extra {
    name: &'static str,
    unit: &'static str,
}

/// Such columns by the units of a header's last line: processor use and service demand of both ends.
fn extras(units: &str) -> Vec<Extra> {
    let demand = ["us/Tr", "us/KB"]
        .into_iter()
        .find(|unit| units.contains(unit));
    let both = demand.is_some_and(|unit| units.matches(unit).count() == 2);
    let shares = units.split_whitespace().filter(|word| *word == "%").count();
    match demand.filter(|_| both && shares == 2) {
        Some(demand) => {
            let of = |name, unit| Extra { name, unit };
            vec![
                of("CPU local", "% S"),
                of("CPU remote", "% S"),
                of("S.dem local", demand),
                of("S.dem remote", demand),
            ]
        }
        None => Vec::new(),
    }
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut name = String::new();
    let mut unit = "";
    let mut more: Vec<Extra> = Vec::new();
    for (number, line) in text.lines() {
        if let Some(next) = test(line) {
            sheet.aside(number);
            name = next;
            unit = "";
        } else if holds(line, "10^6bits/s") {
            sheet.aside(number);
            unit = "10^6bits/sec";
            more = extras(line);
        } else if holds(line, "per sec") && holds(line, "bytes") {
            sheet.aside(number);
            unit = "trans/sec";
            more = extras(line);
        } else if !unit.is_empty() {
            let values: Option<Vec<f64>> = line.split_whitespace().map(plain).collect();
            match values.as_deref() {
                // Sizes and the time stand in front; then the result, and what it cost.
                Some(all) if all.len() > 3 + more.len() => {
                    let (front, costs) = all.split_at(all.len() - more.len());
                    let title = if name.is_empty() { "Throughput" } else { &name };
                    let mut row = Row::new("netperf", title, unit, Higher);
                    if unit == "trans/sec" {
                        row = row.titled(&format!("{title} Trans. Rate"));
                    }
                    sheet.add("", row, front[front.len() - 1], number)?;
                    for (extra, cost) in more.iter().zip(costs) {
                        let what = format!("{title} {}", extra.name);
                        // What was not measured is a negative number.
                        if *cost >= 0.0 {
                            sheet.add(
                                "",
                                Row::new("netperf", &what, extra.unit, Lower),
                                *cost,
                                number,
                            )?;
                        }
                    }
                }
                // A line of two sizes belongs to the row above; of a UDP stream it has what arrived.
                Some([_, _]) => sheet.aside(number),
                _ => {}
            }
        }
    }
    Ok(())
}
