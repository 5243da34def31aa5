//! ucx_perftest: latency, bandwidth and rate of messages, by stage and at the end.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::holds;
use crate::reader::marks;
use crate::{Commands, Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "ucx-perftest",
    what: "ucx_perftest (Stage, # iterations, 50.0%ile, average, overall, Final:)",
    repeats: "runs of ucx_perftest",
    silent: "the machines, or what lies between them",
    roles: &[
        ("ucx.bandwidth", "", Roles::All(Role::LocalBandwidth)),
        ("ucx.", "", Roles::All(Role::LocalLatency)),
    ],
    looks,
    part: Some(|line| row(line).is_some()),
    known: &[
        "| API:",
        "| Test:",
        "| Data layout:",
        "| Send memory:",
        "| Recv memory:",
        "| Message size:",
        "| Window size:",
        "| AM header size:",
        "Stage",
        "latency (usec)",
        "[thread",
        "percentile",
    ],
    read,
};

/// Its columns: what each is called, the unit, and which direction is good.
const COLUMNS: [(&str, &str, Better); 7] = [
    ("latency, median", "usec", Lower),
    ("latency, average", "usec", Lower),
    ("latency, overall", "usec", Lower),
    ("bandwidth, average", "MB/s", Higher),
    ("bandwidth, overall", "MB/s", Higher),
    ("message rate, average", "msg/s", Higher),
    ("message rate, overall", "msg/s", Higher),
];

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        row(line).is_some() || (holds(line, "bandwidth (MB/s)") && holds(line, "message rate"))
    }) * 4
}

/// `Final:   100000   0.850   0.862   0.862   17.71   17.71   1160525   1160525`: the figures behind the iterations. Some
/// tests have no median and print a zero.
fn row(line: &str) -> Option<Vec<f64>> {
    let rest = line.trim().strip_prefix("Final:")?;
    let figures: Option<Vec<f64>> = rest.split_whitespace().map(plain).collect();
    let figures = figures.filter(|figures| figures.len() == COLUMNS.len() + 1)?;
    Some(figures[1..].to_vec())
}

/// What the test is, `| Test:         tag match latency`, and the size of its messages.
fn said<'a>(line: &'a str, label: &str) -> Option<&'a str> {
    let bare = line.trim().trim_matches('|').trim();
    Some(bare.strip_prefix(label)?.trim())
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut commands = Commands::of(text);
    let mut sizes: Vec<&str> = Vec::new();
    for (_, line) in text.lines() {
        sizes.extend(said(line, "Message size:"));
    }
    sizes.sort_unstable();
    sizes.dedup();
    let (mut test, mut size) = ("", "");
    for (number, line) in text.lines() {
        if let Some(name) = said(line, "Test:") {
            test = name;
        } else if let Some(found) = said(line, "Message size:") {
            size = found;
        } else if let Some(figures) = row(line) {
            for ((name, unit, better), value) in COLUMNS.iter().zip(figures) {
                let row = Row::new("ucx", name, unit, *better);
                let mut row = row.titled(&format!("{test} {name}"));
                if sizes.len() > 1 {
                    row = row.with("size", size);
                }
                if value > 0.0 {
                    sheet.add("", commands.on(row), value, number)?;
                }
            }
        } else if commands.at(line) {
            sheet.aside(number);
        }
    }
    Ok(())
}
