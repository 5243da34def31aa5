//! netperf's OMNI tests, whose columns are those that the user asks for.

use whyslow_model::Better;
use whyslow_model::role::{Role, Roles};

use crate::direction::{of_unit, of_words};
use crate::number::plain;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "netperf-omni",
    what: "netperf -t omni, with the columns of -O",
    repeats: "netperf runs",
    silent: "machines, kernels, or the network between them",
    roles: &[
        (
            "netperf_omni.throughput",
            "",
            Roles::All(Role::LocalBandwidth),
        ),
        ("netperf_omni.", "Latency", Roles::All(Role::LocalLatency)),
        ("netperf_omni.", "", Roles::All(Role::Other)),
    ],
    looks,
    part: Some(is_test),
    known: &["OMNI", "netperf"],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, is_test) * 4
}

/// `OMNI Send TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 127.0.0.1 () port 0 AF_INET`.
fn is_test(line: &str) -> bool {
    let line = line.trim_start_matches("MIGRATED ");
    line.starts_with("OMNI ") && line.contains(" TEST ")
}

/// Most lines of a header: `Local / CPU / Util / %`.
const HEADER: usize = 8;

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut header: Vec<&str> = Vec::new();
    let (mut within, mut begun) = (false, false);
    for (number, line) in text.lines() {
        let words = !line.trim().is_empty() && !line.split_whitespace().any(|w| plain(w).is_some());
        if is_test(line) {
            sheet.aside(number);
            header.clear();
            (within, begun) = (true, false);
        } else if within && starts_with_figure(line) {
            let read = row(&header, line, number, sheet);
            sheet.judge(read)?;
            begun = true;
        } else if within && !begun && words && header.len() < HEADER {
            sheet.aside(number);
            header.push(line);
        } else {
            within = false;
        }
    }
    Ok(())
}

fn starts_with_figure(line: &str) -> bool {
    let first = line.split_whitespace().next();
    first.and_then(plain).is_some()
}

/// The words of a line with the places of their first characters.
fn words(line: &str) -> Vec<(usize, &str)> {
    let of = |word: &str| {
        let at = word.as_ptr() as usize - line.as_ptr() as usize;
        line[..at].chars().count()
    };
    line.split_whitespace()
        .map(|word| (of(word), word))
        .collect()
}

/// What stands above the place in all lines of the header: columns begin at the same place in each.
fn name(header: &[&str], start: usize, end: Option<usize>) -> String {
    let parts = header.iter().flat_map(|line| {
        let inside = words(line).into_iter();
        let inside = inside.filter(|(at, _)| *at >= start && end.is_none_or(|end| *at < end));
        inside.map(|(_, word)| word).collect::<Vec<_>>()
    });
    parts.collect::<Vec<_>>().join(" ")
}

fn row(header: &[&str], line: &str, number: usize, sheet: &mut Sheet) -> Result<(), Fault> {
    let words = words(line);
    let names: Vec<String> = (0..words.len())
        .map(|at| {
            name(
                header,
                words[at].0,
                words.get(at + 1).map(|(next, _)| *next),
            )
        })
        .collect();
    if names.iter().any(String::is_empty) {
        return Err(Fault::at(number, "a figure without a name above it"));
    }
    for ((_, word), name) in words.iter().zip(&names) {
        let Some(value) = plain(word) else {
            continue;
        };
        // The unit has a column of its own, or is the last line of the name.
        let of_column = names
            .iter()
            .position(|other| *other == format!("{name} Units"));
        let last = name.rsplit_once(' ');
        let (title, unit) = match (of_column, last) {
            (Some(at), _) => (name.as_str(), words[at].1),
            (None, Some((front, "Microseconds"))) => (front, "us"),
            (None, Some((front, "%"))) => (front, "%"),
            (None, Some((front, unit))) if of_unit(unit).is_some() => (front, unit),
            _ => (name.as_str(), ""),
        };
        // What was not asked for, or cannot be had, is a negative number.
        if value < 0.0 {
            continue;
        }
        let better = of_words(title).or_else(|| of_unit(unit));
        let row = Row::new(
            "netperf_omni",
            title,
            unit,
            better.unwrap_or(Better::Unsaid),
        );
        sheet.add("", row, value, number)?;
    }
    Ok(())
}
