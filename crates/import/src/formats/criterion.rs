//! What Criterion prints on a terminal: the name of a benchmark and the interval of its time.

use whyslow_model::Better::Lower;

use crate::amount::{Cell, cell};
use crate::posted::ROLES;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "criterion",
    what: "what Criterion prints (NAME   time: [1.1 us 1.2 us 1.3 us])",
    repeats: "blocks of one benchmark",
    silent: "machine, compiler, or the single measurements",
    roles: ROLES,
    looks,
    part: Some(|line| times(line).is_some()),
    known: &[
        "Benchmarking",
        "change:",
        "thrpt:",
        "Performance has",
        "No change in performance",
        "Change within noise",
        "Found",
        "(p = ",
        "high mild",
        "high severe",
        "low mild",
        "low severe",
        "Warning",
        "Gnuplot",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| times(line).is_some()) * 4
}

/// `parse     time:   [88.789 us 88.850 us 88.919 us]`: what stands in front, and the middle one.
fn times(line: &str) -> Option<(&str, f64, &str)> {
    let (name, rest) = line.split_once("time:")?;
    let inner = rest.trim().strip_prefix('[')?.split(']').next()?;
    let words: Vec<&str> = inner.split_whitespace().collect();
    let [_, _, value, unit, _, _] = words.as_slice() else {
        return None;
    };
    match cell(value) {
        Cell::Amount(value, "") => Some((name.trim(), value, unit)),
        _ => None,
    }
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut above = "";
    for (number, line) in text.lines() {
        match times(line) {
            Some((name, value, unit)) => {
                // A long name has a line of its own.
                let name = if name.is_empty() { above } else { name };
                let name = if name.is_empty() { "time" } else { name };
                sheet.add("", Row::new("columns", name, unit, Lower), value, number)?;
            }
            None if line.starts_with(['#', '=']) => sheet.apart(),
            None if !line.trim().is_empty() => above = line.trim(),
            None => {}
        }
    }
    Ok(())
}
