//! CoreMark, Dhrystone and Whetstone: one program's score each.

use whyslow_model::Better::{self, Higher, Lower, Unsaid};
use whyslow_model::role::{Role, Roles};

use crate::amount::{Cell, cell};
use crate::pattern::after;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "coremark",
    what: "CoreMark, Dhrystone and Whetstone as they print their scores",
    repeats: "runs of the program",
    silent: "machine, or placement on CPUs",
    roles: &[("coremark.", "", Roles::All(Role::Compute))],
    looks,
    part: Some(|line| row(line).is_some()),
    known: &[
        "CoreMark Size",
        "Total ticks",
        "Iterations  ",
        "Iterations   ",
        "seedcrc",
        "crc",
        "Correct operation",
        "Memory location",
        "Compiler",
        "should be",
        "Loops:",
        "Iterations:",
        "Dhrystone Benchmark",
        "number of runs",
        "Parallel",
    ],
    read,
};

/// Rows: how the line begins, the unit, which direction is good, and whether the name alone tells the program.
const ROWS: [(&str, &str, Better, bool); 13] = [
    ("Iterations/Sec", "iterations/s", Higher, true),
    ("Total time (secs)", "s", Lower, false),
    // How many it takes follows from how many it was told to do.
    ("Total ticks", "ticks", Unsaid, false),
    ("Iterations ", "iterations", Unsaid, false),
    ("CoreMark 1.0", "iterations/s", Higher, true),
    ("CoreMark/MHz", "iterations/s/MHz", Higher, true),
    ("Dhrystones per Second", "dhrystones/s", Higher, true),
    ("Dhrystones per second", "dhrystones/s", Higher, true),
    (
        "Microseconds for one run through Dhrystone",
        "us",
        Lower,
        true,
    ),
    ("VAX MIPS rating", "MIPS", Higher, true),
    ("DMIPS", "DMIPS", Higher, true),
    (
        "C Converted Double Precision Whetstones",
        "MIPS",
        Higher,
        true,
    ),
    ("MWIPS", "MWIPS", Higher, true),
];

fn looks(text: &Text) -> usize {
    let sure = marks(text, |line| row(line).is_some_and(|row| row.sure));
    if sure > 0 {
        (sure + marks(text, |line| row(line).is_some())) * 2
    } else {
        0
    }
}

/// A row in parts.
struct Score<'a> {
    name: &'static str,
    value: f64,
    unit: &'a str,
    better: Better,
    sure: bool,
}

fn row(line: &str) -> Option<Score<'_>> {
    ROWS.iter().find_map(|&(name, unit, better, sure)| {
        let rest = after(line, name)?;
        if rest.starts_with(char::is_alphanumeric) && name != "MWIPS" && name != "DMIPS" {
            return None;
        }
        let rest = rest.trim_start_matches([':', '=', ' ', '\t']);
        // Behind a stroke CoreMark prints the compiler.
        let figure = rest.split(" / ").next()?.trim();
        match cell(figure) {
            Cell::Amount(value, _) => Some(Score {
                name,
                value,
                unit,
                better,
                sure,
            }),
            _ => None,
        }
    })
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    // The last line repeats what `Iterations/Sec` says.
    let full = text
        .lines()
        .any(|(_, line)| row(line).is_some_and(|row| row.name == "Iterations/Sec"));
    for (number, line) in text.lines() {
        let Some(score) = row(line) else {
            continue;
        };
        if full && score.name == "CoreMark 1.0" {
            sheet.aside(number);
            continue;
        }
        let row = Row::new("coremark", score.name, score.unit, score.better);
        sheet.add("", row, score.value, number)?;
    }
    Ok(())
}
