//! Rows of sbc-bench's list of results: 7-zip, OpenSSL, memcpy and memset of tinymembench, cpuminer.

use whyslow_model::Better::Higher;
use whyslow_model::role::{Role, Roles};

use crate::grid::{self, Separator};
use crate::number::plain;
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "sbc-bench",
    what: "rows of sbc-bench's results (7-zip, AES, memcpy, memset, kH/s), and the clocks that it measures",
    repeats: "sbc-bench runs",
    silent: "memory, compiler, or how long each figure was measured",
    roles: &[
        ("sbc_bench.memcpy", "", Roles::All(Role::MemoryRoutines)),
        ("sbc_bench.memset", "", Roles::All(Role::MemoryRoutines)),
        ("sbc_bench.clock", "", Roles::All(Role::Clock)),
        ("sbc_bench.", "", Roles::All(Role::Compute)),
    ],
    looks,
    part: Some(|line| measured(line).is_some()),
    known: &["Checking cpufreq", "Testing maximum cpufreq"],
    read,
};

/// What its columns hold: a word of the name above, and the unit.
const FIGURES: [(&str, &str); 6] = [
    ("7-zip", "MIPS"),
    ("AES", "KB/s"),
    ("memcpy", "MB/s"),
    ("memset", "MB/s"),
    ("kH/s", "kH/s"),
    ("openssl", "KB/s"),
];

/// Facts of the machine among its columns: a word of the name above, and the fact.
const FACTS: [(&str, &str); 4] = [
    ("Clockspeed", "clockspeed"),
    ("Kernel", "kernel"),
    ("Distro", "system"),
    ("Device", "other"),
];

fn looks(text: &Text) -> usize {
    // Several of its columns in one line: more than its words appear in anywhere else.
    marks(text, is_header) * 5 + marks(text, |line| measured(line).is_some())
}

/// `Cpufreq OPP: 1400    Measured: 1386 (1386.989/1386.997/1386.924)     (-1.0%)`, and without what stands in front of the
/// bracket: the clock that was set, and those that were measured.
fn measured(line: &str) -> Option<(&str, Vec<f64>)> {
    let rest = after(line, "Cpufreq OPP:")?;
    let (set, rest) = rest.split_once("Measured:")?;
    let each = rest
        .split([' ', '(', ')'])
        .find(|word| word.contains('/'))?;
    let each: Option<Vec<f64>> = each.split('/').map(plain).collect();
    Some((set.trim(), each?))
}

/// Which CPUs the clocks below a line are of, `Checking cpufreq OPP for cpu4-cpu5 (Cortex-A72):`.
fn checked(line: &str) -> Option<&str> {
    let rest = after(line, "Checking cpufreq OPP")?;
    let rest = rest.strip_prefix("for ").unwrap_or("");
    Some(rest.split([' ', ':']).next().unwrap_or_default())
}

fn is_header(line: &str) -> bool {
    let named = FIGURES.iter().filter(|(word, _)| holds(line, word)).count();
    line.contains('|') && named >= 3 && holds(line, "7-zip")
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut columns: Vec<&str> = Vec::new();
    let mut cpus = "";
    let mut loaded = false;
    for (number, line) in text.lines() {
        if let Some(of) = checked(line) {
            cpus = of;
        } else if holds(line, "cpufreq again") {
            loaded = true;
        } else if let Some((set, clocks)) = measured(line) {
            let title = format!("{cpus} measured at {set} MHz");
            let mut row = Row::new("sbc_bench", &title, "MHz", Higher);
            row = row.id("sbc_bench", "clock").with("set", set);
            if !cpus.is_empty() {
                row = row.with("cpus", cpus);
            }
            if loaded {
                row = row.with("load", "full");
            }
            for (round, clock) in (1..).zip(clocks) {
                sheet.add_once("", row.clone(), clock, number, round)?;
            }
        } else if is_header(line) {
            sheet.aside(number);
            columns = grid::cells_at(line, Separator::Bar);
        } else if !columns.is_empty() && line.contains('|') {
            let read = row(line, &columns, number, sheet);
            sheet.judge(read)?;
        }
    }
    Ok(())
}

/// A row, which may have a number in front of its bar by which the page refers to it.
fn row(line: &str, columns: &[&str], number: usize, sheet: &mut Sheet) -> Result<(), Fault> {
    let cells = grid::cells_at(line, Separator::Bar);
    let drawn = |cell: &&str| cell.chars().all(|c| "-=:+ ".contains(c));
    if cells.iter().all(drawn) {
        return Ok(());
    }
    let extra = cells.len().saturating_sub(columns.len());
    if cells.len() < columns.len() || extra > 1 {
        let why = format!("{} cells under a header of {}", cells.len(), columns.len());
        return Err(Fault::at(
            number,
            format!("{why}; fill the table up or leave the row out"),
        ));
    }
    let (front, cells) = cells.split_at(extra);
    let system = [front, &cells[..1]].concat().join("|");
    for (name, cell) in columns.iter().zip(cells) {
        if let Some((_, fact)) = FACTS.iter().find(|(word, _)| holds(name, word)) {
            sheet.state(&system, fact, cell);
        } else if let Some((_, unit)) = FIGURES.iter().find(|(word, _)| holds(name, word)) {
            if matches!(*cell, "-" | "") {
                continue;
            }
            let value = plain(cell).ok_or_else(|| {
                let cell = crate::error::quote(cell);
                Fault::at(
                    number,
                    format!("'{cell}' is no number; correct it or take the row out"),
                )
            })?;
            sheet.add(
                &system,
                Row::new("sbc_bench", name, unit, Higher),
                value,
                number,
            )?;
        }
    }
    Ok(())
}
