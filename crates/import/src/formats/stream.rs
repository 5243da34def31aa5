//! STREAM, as its C and Fortran versions print it.

use whyslow_model::Better::Higher;
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "stream",
    what: "STREAM (Copy, Scale, Add, Triad)",
    repeats: "STREAM runs",
    silent: "machine, compiler and its flags, kind of stores, or placement of the threads",
    roles: &[("stream.", "", Roles::All(Role::MemoryBandwidth))],
    looks,
    part: Some(is_part),
    known: &[
        "Array size",
        "Offset",
        "Total memory required",
        "Memory per array",
        "Each kernel",
        "Each test",
        "granularity",
        "clock ticks",
        "Number of Threads",
        "STREAM version",
        "Failed Validation",
        "Validates",
        "bytes per",
        "Function",
        "times",
    ],
    read,
};

const KERNELS: [&str; 4] = ["Copy", "Scale", "Add", "Triad"];

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        is_header(line) || holds(line, "STREAM version")
    }) * 3
        + bare(text)
}

/// Rows of all four kernels, for a text without the header.
fn bare(text: &Text) -> usize {
    let has = |kernel: &str| {
        marks(text, |line| {
            rate(line).is_some_and(|(name, _)| name == kernel)
        })
    };
    let counts = KERNELS.map(has);
    if counts.contains(&0) {
        0
    } else {
        counts.iter().sum()
    }
}

/// A line that begins or is a STREAM run.
fn is_part(line: &str) -> bool {
    is_header(line) || holds(line, "STREAM version") || after(line, "Array size =").is_some()
}

/// `Function    Best Rate MB/s  Avg time     Min time     Max time`, in all its spellings.
fn is_header(line: &str) -> bool {
    after(line, "Function").is_some_and(|rest| holds(rest, "Rate") && holds(rest, "time"))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let headed = text.lines().any(|(_, line)| is_header(line));
    // Rows that were pasted without their header are known by being all there.
    let (mut array, mut threads, mut in_table) = ("", "", !headed);
    for (number, line) in text.lines() {
        if let Some(rest) = after(line, "Array size =") {
            array = rest.split([' ', ',']).next().unwrap_or_default();
            in_table = !headed;
        } else if let Some(rest) = threads_of(line) {
            threads = rest;
        } else if is_header(line) {
            in_table = true;
        } else if let Some((kernel, rate)) = rate(line).filter(|_| in_table) {
            let row = Row::new("stream", kernel, "MB/s", Higher);
            let row = if array.is_empty() {
                row
            } else {
                row.with("array", array)
            };
            let row = if threads.is_empty() {
                row
            } else {
                row.with("threads", threads)
            };
            sheet.add("", row, rate, number)?;
        }
    }
    if sheet.figures() > 0 {
        let text = "the average, shortest and longest times beside each rate come from the same \
                    passes and are not kept apart";
        sheet.note("stream", text);
    }
    Ok(())
}

/// `Number of Threads counted = 2`, which counts, over `requested`.
fn threads_of(line: &str) -> Option<&str> {
    let rest = after(line, "Number of Threads counted")?;
    rest.trim_start_matches([' ', '='])
        .split_whitespace()
        .next()
}

/// `Copy:   12345.6   0.01   0.01   0.01` in parts.
fn rate(line: &str) -> Option<(&str, f64)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (name, rest) = words.split_first()?;
    let name = name.strip_suffix(':')?;
    let known = KERNELS.iter().find(|k| k.eq_ignore_ascii_case(name))?;
    let values: Option<Vec<f64>> = rest.iter().map(|w| plain(w)).collect();
    match values?.as_slice() {
        [rate, _, _, _] | [rate] => Some((*known, *rate)),
        _ => None,
    }
}
