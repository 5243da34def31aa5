//! redis-benchmark, of Redis, Valkey and others: in full, with -q, and as CSV.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::commands::typed;
use crate::grid::separated;
use crate::number::plain;
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Commands, Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "redis-benchmark",
    what: "redis-benchmark (requests per second, throughput summary, -q and --csv)",
    repeats: "runs of redis-benchmark",
    silent: "the machine, the server, or what lies between them",
    roles: &[("redis.", "", Roles::All(Role::Application))],
    looks,
    part: Some(|line| heading(line).is_some() || quiet(line).is_some() || is_csv_header(line)),
    known: &[
        "requests completed in",
        "parallel clients",
        "bytes payload",
        "keep alive",
        "host configuration",
        "multi-thread",
        " threads:",
        "threads: ",
        "cumulative count",
        "milliseconds",
        "cluster mode",
        "rps=",
        "WARNING",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    let own = marks(text, |line| {
        quiet(line).is_some()
            || is_csv_header(line)
            || holds(line, "requests completed in")
            || holds(line, "throughput summary:")
    });
    own * 3
}

/// `====== SET ======`, `====== LRANGE_100 (first 100 elements) ======`
fn heading(line: &str) -> Option<&str> {
    let inner = line
        .trim()
        .strip_prefix("====== ")?
        .strip_suffix(" ======")?;
    (!inner.trim().is_empty()).then(|| inner.trim())
}

/// `SET: 109890.11 requests per second, p50=0.231 msec`: the test, its rate, and the latency.
fn quiet(line: &str) -> Option<(&str, f64, Option<f64>)> {
    // What was printed before stands in front of a carriage return.
    let line = line.rsplit('\r').next().unwrap_or(line);
    let (front, rest) = line.split_once(" requests per second")?;
    let (name, value) = front.rsplit_once(':')?;
    let value = plain(value.trim())?;
    let latency = rest
        .split_once("p50=")
        .and_then(|(_, rest)| plain(rest.split_whitespace().next()?));
    let name = name.trim();
    let other = holds(name, "throughput summary") || name.is_empty();
    (!other).then_some((name, value, latency))
}

/// `113378.68 requests per second`
fn rate(line: &str) -> Option<f64> {
    let front = line.trim().strip_suffix("requests per second")?.trim();
    let front = after(front, "throughput summary:").unwrap_or(front);
    plain(front)
}

/// A command, also one without a prompt, which is cut off where it is quoted: `redis-benchmark -t set -q`.
fn command(line: &str) -> Option<&str> {
    let bare = || {
        let line = line.trim().trim_matches('`');
        let program = line.split_whitespace().next()?;
        let name = program.rsplit('/').next()?;
        let option = line.contains(" -");
        (name.ends_with("-benchmark") && option).then_some(line)
    };
    typed(line).or_else(bare)
}

fn is_csv_header(line: &str) -> bool {
    line.trim_start().starts_with("\"test\",\"rps\"")
}

/// The names of the columns of a latency summary.
fn columns(line: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let known = |word: &&str| matches!(*word, "avg" | "min" | "max") || word.starts_with('p');
    (words.len() >= 3 && words.iter().all(known) && words.contains(&"avg")).then_some(words)
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut commands = Commands::typed_as(text, command);
    let mut test = "";
    let mut summary: Option<Vec<&str>> = None;
    let mut csv: Option<Vec<&str>> = None;
    for (number, line) in text.lines() {
        let row = |test: &str, what: &str, unit: &str, better| {
            let row = Row::new("redis", &format!("{test} {what}"), unit, better);
            commands.on(row)
        };
        if let Some(name) = heading(line) {
            sheet.aside(number);
            test = name;
            summary = None;
        } else if is_csv_header(line) {
            sheet.aside(number);
            csv = Some(separated(line.trim(), ','));
        } else if let Some((name, value, latency)) = quiet(line) {
            sheet.add("", row(name, "", "requests/s", Higher), value, number)?;
            if let Some(value) = latency {
                sheet.add("", row(name, "p50", "ms", Lower), value, number)?;
            }
        } else if let Some(value) = rate(line) {
            sheet.add("", row(test, "", "requests/s", Higher), value, number)?;
        } else if let Some(found) = columns(line) {
            sheet.aside(number);
            summary = Some(found);
        } else if let Some(names) = summary.take() {
            let figures: Vec<&str> = line.split_whitespace().collect();
            let values: Option<Vec<f64>> = figures.iter().map(|word| plain(word)).collect();
            if let Some(values) = values.filter(|values| values.len() == names.len()) {
                for (name, value) in names.iter().zip(values) {
                    sheet.add("", row(test, name, "ms", Lower), value, number)?;
                }
            }
        } else if let Some(names) = csv.as_ref().filter(|_| line.trim_start().starts_with('"')) {
            let cells = separated(line.trim(), ',');
            if cells.len() != names.len() {
                let why = format!("{} cells under a header of {}", cells.len(), names.len());
                sheet.refuse(number, format!("{why}; the row is cut short or broken"));
                continue;
            }
            for (name, cell) in names.iter().zip(&cells).skip(1) {
                let Some(value) = plain(cell) else {
                    sheet.refuse(
                        number,
                        format!("'{}' is no number", crate::error::quote(cell)),
                    );
                    continue;
                };
                let row = match name.strip_suffix("_latency_ms") {
                    Some(what) => row(cells[0], what, "ms", Lower),
                    None => row(cells[0], "", "requests/s", Higher),
                };
                sheet.add("", row, value, number)?;
            }
        } else if commands.at(line) {
            sheet.aside(number);
        } else if holds(line, "cumulative count") || line.contains("% <= ") {
            // Shares of all requests by time, which the percentiles say too.
            sheet.aside(number);
        }
    }
    Ok(())
}
