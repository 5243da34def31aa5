//! Verbs between two hosts: perftest (`ib_send_bw`, `ib_write_lat` and others) and the pingpongs of libibverbs.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::{number_in_front, plain};
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "rdma",
    what: "perftest and ibv pingpongs (#bytes #iterations BW average, usec/iter)",
    repeats: "runs of perftest",
    silent: "cards, drivers, or what lies between the hosts",
    roles: &[
        ("rdma.bw", "", Roles::All(Role::LocalBandwidth)),
        ("rdma.msgrate", "", Roles::All(Role::LocalBandwidth)),
        ("rdma.", "mbit", Roles::All(Role::LocalBandwidth)),
        ("rdma.", "", Roles::All(Role::LocalLatency)),
    ],
    looks,
    part: Some(|line| header(line).is_some() || figure(line).is_some()),
    known: &[
        "Dual-port",
        "Number of qps",
        "Connection type",
        "TX depth",
        "CQ Moderation",
        "Mtu ",
        "Link type",
        "GID",
        "Max inline data",
        "Data ex. method",
        "local address",
        "remote address",
        "CPU frequency",
        "CPU Frequency",
        "BW Test",
        "Latency Test",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        header(line).is_some() || figure(line).is_some() || pingpong(line).is_some()
    }) * 5
}

/// A column of a table, `BW average[MB/sec]`: its name, unit, and which way is good. Sizes and counts have no unit.
type Column<'a> = Option<(&'a str, &'a str, Better)>;

/// `#bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]`
fn header(line: &str) -> Option<Vec<Column<'_>>> {
    let rest = after(line, "#bytes")?.strip_prefix("#iterations")?;
    let mut columns = vec![None, None];
    let mut rest = rest.trim();
    while let Some((name, behind)) = rest.split_once('[') {
        let (unit, behind) = behind.split_once(']')?;
        let better = if holds(unit, "sec") && !unit.contains('/') {
            Lower
        } else {
            Higher
        };
        columns.push(Some((name.trim(), unit, better)));
        rest = behind.trim();
    }
    (columns.len() > 2 && rest.is_empty()).then_some(columns)
}

/// What a pingpong prints at its end: `8192000 bytes in 0.01 seconds = 7121.93 Mbit/sec`, `1000 iters in 0.01 seconds = 9.20
/// usec/iter`.
fn figure(line: &str) -> Option<(f64, &'static str, Better)> {
    let (front, rest) = line.split_once(" seconds = ")?;
    let (count, _) = front.split_once(" in ")?;
    let (value, unit) = number_in_front(rest)?;
    match (count.split_whitespace().nth(1)?, unit.trim()) {
        ("bytes", "Mbit/sec") => Some((value, "Mbit/sec", Higher)),
        ("iters", "usec/iter") => Some((value, "usec/iter", Lower)),
        _ => None,
    }
}

/// The program that was started, `ibv_rc_pingpong n5`.
fn pingpong(line: &str) -> Option<&str> {
    let word = |word: &&str| word.starts_with("ibv_") && word.contains("_pingpong");
    line.split_whitespace()
        .map(|w| w.trim_matches(|c: char| !c.is_alphanumeric()))
        .find(word)
}

/// What a table is of: `RDMA_Write BW Test`.
fn test(line: &str) -> Option<&str> {
    let line = line.trim();
    let front = line.strip_suffix(" Test")?;
    (front.ends_with("BW") || front.ends_with("Latency")).then_some(front)
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    // A size tells rows apart where there are several of it in one file; alone it is what the side was run with.
    let mut sizes: Vec<&str> = Vec::new();
    let mut tests: Vec<&str> = Vec::new();
    let mut columns: Vec<Column> = Vec::new();
    for (_, line) in text.lines() {
        if header(line).is_some() {
            columns = vec![None];
        } else if !columns.is_empty() && line.split_whitespace().all(|w| plain(w).is_some()) {
            sizes.extend(line.split_whitespace().next());
        }
        tests.extend(test(line).or_else(|| pingpong(line)));
    }
    sizes.sort_unstable();
    sizes.dedup();
    tests.sort_unstable();
    tests.dedup();
    columns.clear();
    let mut of = "";
    for (number, line) in text.lines() {
        if let Some(found) = header(line) {
            sheet.aside(number);
            columns = found;
        } else if let Some(name) = test(line).or_else(|| pingpong(line)) {
            sheet.aside(number);
            of = name;
        } else if let Some((value, unit, better)) = figure(line) {
            let program = if of.is_empty() { "pingpong" } else { of };
            let title = format!("{program} {unit}");
            sheet.add("", Row::new("rdma", &title, unit, better), value, number)?;
        } else if let Some(values) = values(line).filter(|values| values.len() == columns.len()) {
            sheet.aside(number);
            for (column, value) in columns.iter().zip(&values) {
                // The peak of a long run is not measured, which is printed as zero.
                let Some((name, unit, better)) = column.filter(|_| *value > 0.0) else {
                    continue;
                };
                let size = line.split_whitespace().next().unwrap_or_default();
                let mut row = Row::new("rdma", name, unit, better);
                let mut title = name.to_owned();
                if sizes.len() > 1 {
                    row = row.with("bytes", size);
                    title = format!("{size} {title}");
                }
                if tests.len() > 1 && !of.is_empty() {
                    row = row.with("test", of);
                    title = format!("{of} {title}");
                }
                sheet.add("", row.titled(&title), *value, number)?;
            }
        }
    }
    Ok(())
}

/// The figures of a row.
fn values(line: &str) -> Option<Vec<f64>> {
    line.split_whitespace().map(plain).collect()
}
