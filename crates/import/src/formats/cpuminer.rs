//! cpuminer and its forks: hashes a second of each thread and of all, line by line of the log.

use whyslow_model::Better::Higher;
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::holds;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "cpuminer",
    what: "cpuminer's log ([time] CPU #0: 0.97 kH/s, Total: 3.86 kH/s)",
    repeats: "lines of the log",
    silent: "the processor, its clock, or the compiler",
    roles: &[("cpuminer.", "", Roles::All(Role::ScalingCompute))],
    looks,
    part: Some(|line| row(line).is_some()),
    known: &[
        "miner threads started",
        "cpuminer",
        "algorithm",
        "CPU Supports",
        "SSE2",
        "Total Scores:",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| row(line).is_some()) * 3
}

/// `[2018-07-29 13:40:26] CPU #0: 0.97 kH/s`, also with the count of hashes in front of the rate: the name and the rate.
fn row(line: &str) -> Option<(&str, f64, &str)> {
    let line = line.trim();
    let line = match line.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?.1.trim(),
        None => line,
    };
    let (name, rest) = line.split_once(": ")?;
    let named = name == "Total" || name.starts_with("CPU #") || name.starts_with("thread ");
    let words: Vec<&str> = rest.split([' ', ',']).filter(|w| !w.is_empty()).collect();
    let at = words.iter().position(|word| is_rate(word))?;
    let value = plain(words.get(at.checked_sub(1)?)?)?;
    named.then_some((name, value, words[at]))
}

/// `H/s`, `kH/s`, `khash/s`.
fn is_rate(word: &str) -> bool {
    let scale = word
        .strip_suffix("H/s")
        .or_else(|| word.strip_suffix("hash/s"));
    scale.is_some_and(|scale| matches!(scale, "" | "k" | "K" | "M" | "G"))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    for (number, line) in text.lines() {
        if let Some((name, value, unit)) = row(line) {
            let row = Row::new("cpuminer", name, unit, Higher);
            sheet.add("", row, value, number)?;
        } else if holds(line, "accepted:") {
            sheet.aside(number);
        }
    }
    Ok(())
}
