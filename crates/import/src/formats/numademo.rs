//! numademo: bandwidths of memory under each policy.

use whyslow_model::Better::Higher;
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "numademo",
    what: "numademo (memory under each NUMA policy: average, largest, smallest)",
    repeats: "numademo runs",
    silent: "machine, size of the memory, or CPU that it ran on",
    roles: &[("numademo.", "", Roles::All(Role::Numa))],
    looks,
    part: Some(|line| of_line(line).is_some()),
    known: &["nodes available", "setting preferred node"],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| of_line(line).is_some()) * 2
}

/// `local memory memset   Avg 9372.02 MB/s Max 9402.58 MB/s Min 9202.57 MB/s` in parts.
struct Line<'a> {
    name: &'a str,
    /// Average, largest, smallest, as printed.
    figures: [&'a str; 3],
    unit: &'a str,
}

fn of_line(line: &str) -> Option<Line<'_>> {
    let (name, rest) = line.rsplit_once("Avg ")?;
    let words: Vec<&str> = rest.split_whitespace().map(bare).collect();
    match words.as_slice() {
        [avg, unit, "Max", max, _, "Min", min, _] => Some(Line {
            name: bare(name),
            figures: [avg, max, min],
            unit,
        }),
        _ => None,
    }
}

/// Without the marks of Markdown for bold.
fn bare(text: &str) -> &str {
    text.trim().trim_matches('*').trim()
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut preferred = "";
    for (number, line) in text.lines() {
        if let Some((_, node)) = line.split_once("setting preferred node to") {
            preferred = node.trim();
        } else if let Some(line) = of_line(line) {
            add(&line, preferred, number, sheet)?;
        }
    }
    Ok(())
}

fn add(line: &Line, preferred: &str, number: usize, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut kept = false;
    for (what, printed) in ["Avg", "Max", "Min"].into_iter().zip(line.figures) {
        // Where the clock shows no time, the rate is printed as infinite.
        let Some(value) = plain(printed) else {
            continue;
        };
        let row = Row::new(
            "numademo",
            &format!("{} {what}", line.name),
            line.unit,
            Higher,
        );
        let own = line.name.contains("prefer") && !preferred.is_empty();
        let row = if own {
            row.with("preferred", preferred)
        } else {
            row
        };
        sheet.add("", row, value, number)?;
        kept = true;
    }
    if !kept {
        sheet.refuse(
            number,
            "no rate in it: the test took less time than the clock shows",
        );
    }
    Ok(())
}
