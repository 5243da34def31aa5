//! `sysbench memory`, of versions 0.4 to 1.1.

use whyslow_model::Better::Higher;

use crate::pattern::{holds, labelled, number_first};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "sysbench",
    what: "sysbench memory",
    repeats: "sysbench runs",
    silent: "machine, compiler, or placement of the threads",
    roles: &[],
    looks,
    part: Some(|line| rate(line).is_some() || operations(line).is_some()),
    known: &[
        "sysbench ",
        "Number of threads",
        "Total operations",
        "Operations performed",
        "block size",
        "transfer size",
        "total size",
        "total time",
        "total number of events",
        "min:",
        "avg:",
        "max:",
        "sum:",
        "percentile",
        "avg/stddev",
        "random number",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        holds(line, "sysbench") || rate(line).is_some() || operations(line).is_some()
    }) * 2
}

/// `100.00 MiB transferred (2109.38 MiB/sec)` as rate and unit.
fn rate(line: &str) -> Option<(f64, &str)> {
    let (_, rest) = line.split_once("transferred (")?;
    let (value, unit) = number_first(rest)?;
    let unit = unit.strip_suffix(')')?;
    unit.ends_with("/sec").then_some((value, unit))
}

/// `Total operations: 102400 (2160007.86 per second)` as its rate.
fn operations(line: &str) -> Option<f64> {
    let (label, rest) = line.split_once('(')?;
    let (value, unit) = number_first(rest)?;
    let named = holds(label, "operations");
    (named && (unit.starts_with("per second") || unit.starts_with("ops/sec"))).then_some(value)
}

/// What the run was asked for, by parameter: the labels of all versions.
const OPTIONS: [(&str, &[&str]); 4] = [
    ("operation", &["operation:", "Memory operations type:"]),
    ("block", &["block size:", "Memory block size:"]),
    ("scope", &["scope:", "Memory scope type:"]),
    ("threads", &["Number of threads:"]),
];

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut options: [Option<&str>; OPTIONS.len()] = [None; OPTIONS.len()];
    let row = |name: &str, unit: &str, options: &[Option<&str>]| {
        let row = Row::new("sysbench", name, unit, Higher);
        let said = OPTIONS.iter().zip(options);
        said.fold(row, |row, ((name, _), value)| match value {
            Some(value) => row.with(name, value),
            None => row,
        })
    };
    // Operations a second are the same figure over the size of a block.
    let has_rates = text.lines().any(|(_, line)| rate(line).is_some());
    for (number, line) in text.lines() {
        if line.starts_with("sysbench ") || line.starts_with("Running the test") {
            options = [None; OPTIONS.len()];
        }
        for ((_, labels), value) in OPTIONS.iter().zip(&mut options) {
            if let Some(said) = labels.iter().find_map(|label| labelled(line, label)) {
                *value = Some(said);
            }
        }
        if let Some((value, unit)) = rate(line) {
            sheet.add("", row("memory transferred", unit, &options), value, number)?;
        } else if let Some(value) = operations(line).filter(|_| !has_rates) {
            sheet.add(
                "",
                row("memory operations", "ops/sec", &options),
                value,
                number,
            )?;
        }
    }
    Ok(())
}
