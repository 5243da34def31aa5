//! likwid-bench: cycles, time and bandwidth of a kernel.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::pattern::{after, at_colon, number_first};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "likwid-bench",
    what: "likwid-bench (Cycles, Time, MByte/s, MFlops/s)",
    repeats: "likwid-bench runs",
    silent: "machine, page size, or node that the memory is on",
    roles: &[
        ("likwid_bench.mflops", "", Roles::All(Role::Compute)),
        ("likwid_bench.", "", Roles::All(Role::MemoryBandwidth)),
    ],
    looks,
    part: Some(|line| of_line(line).is_some_and(|row| row.0 == "MByte/s")),
    known: KNOWN,
    read,
};

/// What it prints of the run and of the code, which is no result.
const KNOWN: &[&str] = &[
    "LIKWID",
    "Test:",
    "Allocate:",
    "Initialization:",
    "Iterations:",
    "Iterations per thread",
    "Inner loop executions",
    "Size (Byte)",
    "Size per thread",
    "Number of Flops",
    "Data volume",
    "Loads per update",
    "Stores per update",
    "Load bytes per",
    "Store bytes per",
    "Load/store ratio",
    "Instructions:",
    "UOPs:",
    "CPU Clock",
    "Cycle Clock",
    "Using ",
    "running on hwthread",
];

/// Its results: label, unit where none is printed, which direction is good.
const RESULTS: [(&str, &str, Better); 7] = [
    ("MByte/s", "MByte/s", Higher),
    ("MFlops/s", "MFlops/s", Higher),
    ("Time", "s", Lower),
    ("Cycles", "cycles", Lower),
    ("Cycles per update", "cycles", Lower),
    ("Cycles per cacheline", "cycles", Lower),
    ("Cycles per loop update", "cycles", Lower),
];

fn looks(text: &Text) -> usize {
    let own = ["MByte/s", "Cycles per update", "Cycles per cacheline"];
    marks(text, |line| {
        of_line(line).is_some_and(|row| own.contains(&row.0))
    }) * 3
}

/// `MByte/s:   191140.47` in parts: label, value, unit, which direction is good.
fn of_line(line: &str) -> Option<(&'static str, f64, &'static str, Better)> {
    let (label, rest) = at_colon(line)?;
    let (label, unit, better) = RESULTS.iter().find(|(known, ..)| *known == label)?;
    let (value, behind) = number_first(rest)?;
    matches!(behind, "" | "sec").then_some((*label, value, *unit, *better))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut test = "";
    for (number, line) in text.lines() {
        if let Some(name) = after(line, "Test:") {
            test = name;
        } else if let Some((label, value, unit, better)) = of_line(line) {
            let row = Row::new("likwid_bench", label, unit, better);
            let row = if test.is_empty() {
                row
            } else {
                row.with("test", test)
            };
            sheet.add("", row, value, number)?;
        }
    }
    Ok(())
}
