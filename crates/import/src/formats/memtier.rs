//! memtier_benchmark: its table of all statistics, in the columns of its versions.

use whyslow_model::Better::{self, Higher, Lower, Unsaid};
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::{after, holds, wide_cells};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "memtier",
    what: "memtier_benchmark (Type, Ops/sec, Hits/sec, Latency, KB/sec)",
    repeats: "runs of memtier_benchmark",
    silent: "the machine, the server, or what lies between them",
    roles: &[("memtier.", "", Roles::All(Role::Application))],
    looks,
    part: Some(|line| is_header(line) || row(line).is_some()),
    known: &[
        "Threads",
        "Connections per thread",
        "Requests per client",
        "Seconds",
        "[RUN #",
        "Running iteration",
        "BEST RUN",
        "WORST RUN",
        "AGGREGATED",
        "Writing results",
        "Request Latency Distribution",
        "<= msec",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, is_header) * 8
}

/// `Type         Ops/sec     Hits/sec   Misses/sec    Avg. Latency     p50 Latency ...`
fn is_header(line: &str) -> bool {
    after(line, "Type").is_some() && holds(line, "Ops/sec") && holds(line, "KB/sec")
}

/// `Gets       120595.50     120595.5         0.00 ...`: the kind and the figures.
fn row(line: &str) -> Option<(&str, Vec<&str>)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (kind, figures) = words.split_first()?;
    let known = ["Sets", "Gets", "Waits", "Totals"].contains(kind)
        || kind
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b == b'_' || b == b'.');
    let is = |word: &&str| plain(word).is_some() || word.bytes().all(|b| b == b'-');
    (known && figures.len() >= 3 && figures.iter().all(is)).then_some((kind, figures.to_vec()))
}

/// What a column is.
fn column(name: &str) -> (&str, Better) {
    match name {
        "Ops/sec" => ("ops/s", Higher),
        "Hits/sec" => ("hits/s", Higher),
        "Misses/sec" => ("misses/s", Unsaid),
        "KB/sec" => ("KB/sec", Higher),
        name if name.contains("Latency") => ("ms", Lower),
        _ => ("", Unsaid),
    }
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut columns: Vec<&str> = Vec::new();
    // Below the table shares of all requests stand by kind, `SET  0.5  12.0`.
    let mut shares = false;
    for (number, line) in text.lines() {
        if is_header(line) {
            sheet.aside(number);
            columns = wide_cells(line).into_iter().skip(1).collect();
            shares = false;
        } else if holds(line, "Request Latency Distribution") {
            shares = true;
        } else if shares && is_share(line) {
            sheet.aside(number);
        } else if let Some((kind, figures)) = row(line).filter(|_| !columns.is_empty() && !shares) {
            if figures.len() != columns.len() {
                let why = format!("{} figures under {} columns", figures.len(), columns.len());
                sheet.refuse(number, format!("{why}; the row is cut short or broken"));
                continue;
            }
            sheet.aside(number);
            for (name, figure) in columns.iter().zip(figures) {
                let (unit, better) = column(name);
                // None of a kind is no rate.
                if let Some(value) = plain(figure).filter(|value| *value > 0.0) {
                    let row = Row::new("memtier", &format!("{kind} {name}"), unit, better);
                    sheet.add("", row, value, number)?;
                }
            }
        }
    }
    Ok(())
}

/// `GET               0.127        12.345`
fn is_share(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    matches!(words[..], [kind, time, share]
        if kind.bytes().all(|b| b.is_ascii_uppercase())
            && plain(time).is_some() && plain(share).is_some())
}
