//! wrk and wrk2: requests a second of a web server, and how long they took.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::{number_in_front, plain};
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "wrk",
    what: "wrk (Thread Stats, Latency Distribution, Requests/sec, Transfer/sec)",
    repeats: "runs of wrk",
    silent: "machines, the server, or what lies between them",
    roles: &[("wrk.", "", Roles::All(Role::Application))],
    looks,
    part: Some(|line| statistics(line).is_some() || rate(line).is_some()),
    known: &[
        "Running ",
        "threads and",
        "requests in",
        "Socket errors",
        "Non-2xx",
        "Thread calibration",
        "Thread Stats",
        "#[",
    ],
    read,
};

/// The columns of its statistics that are figures of the server; the share within one deviation is none.
const COLUMNS: [&str; 3] = ["avg", "stdev", "max"];

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        statistics(line).is_some() || rate(line).is_some()
    }) * 3
}

/// A time as printed, `77.42ms`, with its unit.
fn time(word: &str) -> Option<(f64, &str)> {
    let (value, unit) = number_in_front(word)?;
    match unit {
        "us" | "ms" | "s" => Some((value, unit)),
        "m" => Some((value, "min")),
        "h" => Some((value, "hours")),
        _ => None,
    }
}

/// A count as printed, `1.26k`.
fn count(word: &str) -> Option<f64> {
    let (value, unit) = number_in_front(word)?;
    match unit {
        "" => Some(value),
        "k" => Some(value * 1e3),
        "M" => Some(value * 1e6),
        "G" => Some(value * 1e9),
        _ => None,
    }
}

/// `Latency    77.42ms    9.42ms 338.57ms   85.77%`, and the same of `Req/Sec`: the name and the figures.
fn statistics(line: &str) -> Option<(&'static str, Vec<&str>)> {
    let name = ["Latency", "Req/Sec"]
        .into_iter()
        .find(|name| after(line, name).is_some())?;
    let words: Vec<&str> = after(line, name)?.split_whitespace().collect();
    let figure = |word: &&str| time(word).is_some() || count(word).is_some();
    let share = words.last()?.ends_with('%');
    (words.len() == 4 && share && words[..3].iter().all(figure)).then_some((name, words))
}

/// `Requests/sec:   8248.78` and `Transfer/sec:      1.74MB`: the name, the figure and its unit.
fn rate(line: &str) -> Option<(&'static str, f64, String)> {
    if let Some(rest) = after(line, "Requests/sec:") {
        return Some(("Requests/sec", plain(rest)?, "requests/s".to_owned()));
    }
    let (value, unit) = number_in_front(after(line, "Transfer/sec:")?)?;
    let known = ["B", "KB", "MB", "GB", "TB"].contains(&unit);
    known.then(|| ("Transfer/sec", value, format!("{unit}/s")))
}

/// `50%   75.09ms`: the share, without zeros behind the point, and the time.
fn percentile(line: &str) -> Option<(String, f64, &str)> {
    let mut words = line.split_whitespace();
    let share = plain(words.next()?.strip_suffix('%')?)?;
    let (value, unit) = time(words.next()?)?;
    let only = words.next().is_none();
    only.then(|| (format!("Latency {share}%"), value, unit))
}

/// `16 threads and 640 connections`: both numbers.
fn load(line: &str) -> Option<&str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        [_, "threads", "and", connections, "connections"] => Some(connections),
        _ => None,
    }
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut loads: Vec<&str> = text.lines().filter_map(|(_, line)| load(line)).collect();
    loads.sort_unstable();
    loads.dedup();
    let mut connections = "";
    // Percentiles are told from other lines by what stands above them.
    let mut distribution = false;
    for (number, line) in text.lines() {
        let row = |title: &str, unit: &str, better| {
            let row = Row::new("wrk", title, unit, better);
            match loads.len() > 1 && !connections.is_empty() {
                true => row.with("connections", connections),
                false => row,
            }
        };
        if let Some(next) = load(line) {
            connections = next;
        } else if holds(line, "Latency Distribution") {
            distribution = true;
        } else if let Some((name, words)) = statistics(line) {
            for (column, word) in COLUMNS.iter().zip(words) {
                let title = format!("{name} {column}");
                let better = match name == "Latency" || *column == "stdev" {
                    true => Lower,
                    false => Higher,
                };
                let figure = match name {
                    "Latency" => time(word),
                    _ => count(word).map(|value| (value, "requests/s")),
                };
                if let Some((value, unit)) = figure {
                    sheet.add("", row(&title, unit, better), value, number)?;
                }
            }
        } else if let Some((name, value, unit)) = rate(line) {
            sheet.add("", row(name, &unit, Higher), value, number)?;
            distribution = false;
        } else if let Some((title, value, unit)) = percentile(line).filter(|_| distribution) {
            sheet.add("", row(&title, unit, Lower), value, number)?;
        }
    }
    if let [one] = loads.as_slice() {
        sheet.state("", "copies", one);
    }
    Ok(())
}
