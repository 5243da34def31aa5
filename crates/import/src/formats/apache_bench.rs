//! ab, the load generator of Apache's HTTP server.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::{number_in_front, plain};
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Commands, Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "apache-bench",
    what: "ab (Requests per second, Time per request, Connection Times, Percentage of the requests)",
    repeats: "runs of ab",
    silent: "machines, the server, or what lies between them",
    roles: &[("ab.", "", Roles::All(Role::Application))],
    looks,
    part: Some(|line| figure(line).is_some() || connection(line).is_some()),
    known: &[
        "Completed ",
        "Finished ",
        "This is ApacheBench",
        "Copyright",
        "Licensed to",
        "Benchmarking ",
        "Server ",
        "Document ",
        "SSL/TLS",
        "TLS Server",
        "Server Temp Key",
        "Concurrency Level",
        "(Connect:",
        "Keep-Alive requests",
        "min  mean",
        "Connection Times",
        "Percentage of the requests",
        "WARNING",
        "Total of ",
    ],
    read,
};

/// Lines of one figure: how they begin, the unit, and which direction is good.
const FIGURES: [(&str, &str, Better); 11] = [
    ("Time taken for tests:", "s", Lower),
    ("Complete requests:", "requests", Higher),
    ("Failed requests:", "requests", Lower),
    ("Write errors:", "errors", Lower),
    ("Non-2xx responses:", "responses", Lower),
    ("Total transferred:", "bytes", Higher),
    ("Total body sent:", "bytes", Higher),
    ("HTML transferred:", "bytes", Higher),
    ("Requests per second:", "requests/s", Higher),
    ("Time per request:", "ms", Lower),
    ("Transfer rate:", "Kbytes/sec", Higher),
];

/// Columns of its table of times, when all are there, and without the deviation of older versions.
const COLUMNS: [&str; 5] = ["min", "mean", "sd", "median", "max"];

fn looks(text: &Text) -> usize {
    let own = marks(text, |line| {
        holds(line, "[#/sec]")
            || holds(line, "mean, across all concurrent")
            || holds(line, "Percentage of the requests served")
            || holds(line, "[+/-sd]")
    });
    own * 4
}

fn figure(line: &str) -> Option<(String, f64, &'static str, Better)> {
    let of = |(begin, unit, better): &(&str, &'static str, Better)| {
        let (value, rest) = number_in_front(after(line, begin)?)?;
        let name = begin.trim_end_matches(':');
        // The same name is that of one request and of all at once.
        let behind = rest
            .rsplit_once('(')
            .filter(|(_, behind)| behind.starts_with("mean"));
        let title = match behind {
            Some((_, behind)) => format!("{name} ({behind}"),
            None => name.to_owned(),
        };
        Some((title, value, *unit, *better))
    };
    FIGURES.iter().find_map(of)
}

/// `Processing:   933 2569 362.0   2624    3522`
fn connection(line: &str) -> Option<(&str, Vec<f64>)> {
    let (name, rest) = line.trim().split_once(':')?;
    if !matches!(name, "Connect" | "Processing" | "Waiting" | "Total") {
        return None;
    }
    let figures: Option<Vec<f64>> = rest.split_whitespace().map(plain).collect();
    let figures = figures.filter(|f| (3..=5).contains(&f.len()))?;
    Some((name, figures))
}

/// `  99%     20`, ` 100%     26 (longest request)`
fn percentile(line: &str) -> Option<(&str, f64)> {
    let mut words = line.split_whitespace();
    let share = words.next()?;
    let is = share
        .strip_suffix('%')
        .is_some_and(|digits| plain(digits).is_some());
    let value = plain(words.next()?)?;
    let rest = words.next();
    (is && rest.is_none_or(|word| word.starts_with('('))).then_some((share, value))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut commands = Commands::of(text);
    let mut levels: Vec<&str> = Vec::new();
    for (_, line) in text.lines() {
        levels.extend(after(line, "Concurrency Level:").filter(|level| !level.is_empty()));
    }
    levels.sort_unstable();
    levels.dedup();
    let mut level = "";
    // Shares are told from other lines by what stands above them.
    let mut shares = false;
    for (number, line) in text.lines() {
        let row = |title: &str, unit: &str, better| {
            let row = commands.on(Row::new("ab", title, unit, better));
            match levels.len() > 1 && !level.is_empty() {
                true => row.with("concurrency", level),
                false => row,
            }
        };
        if let Some(next) = after(line, "Concurrency Level:") {
            level = next;
            shares = false;
        } else if holds(line, "Percentage of the requests") {
            shares = true;
        } else if let Some((title, value, unit, better)) = figure(line) {
            // None failed, as it should be.
            match value == 0.0 {
                true => sheet.aside(number),
                false => sheet.add("", row(&title, unit, better), value, number)?,
            }
        } else if let Some((name, figures)) = connection(line) {
            sheet.aside(number);
            let columns: Vec<&str> = match figures.len() {
                3 => vec!["min", "mean", "max"],
                4 => vec!["min", "mean", "median", "max"],
                _ => COLUMNS.to_vec(),
            };
            for (column, value) in columns.into_iter().zip(figures) {
                sheet.add(
                    "",
                    row(&format!("{name} {column}"), "ms", Lower),
                    value,
                    number,
                )?;
            }
        } else if let Some((share, value)) = percentile(line).filter(|_| shares) {
            let title = format!("{share} of the requests");
            sheet.add("", row(&title, "ms", Lower), value, number)?;
        } else if commands.at(line) {
            sheet.aside(number);
        }
    }
    if let [one] = levels.as_slice() {
        sheet.state("", "copies", one);
    }
    Ok(())
}
