//! RAMspeed and RAMspeed/SMP: what they print, and tables of block sizes by systems.

use whyslow_model::Better::Higher;
use whyslow_model::role::Roles;

use crate::grid;
use crate::number::plain;
use crate::pattern::{after, at_colon, holds, number_first, wide_cells};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "ramspeed",
    what: "RAMspeed and RAMspeed/SMP, as printed or as a table of block sizes",
    repeats: "RAMspeed runs",
    silent: "machine, compiler, page size, or placement on CPUs",
    roles: &[("ramspeed.", "", Roles::BandwidthBySize)],
    looks,
    part: Some(|line| figure(line).is_some() || is_header(line)),
    known: &["RAMspeed", "per pass mode"],
    read,
};

/// `Block Size   this box   that box` and `Block,1,2`, in all their dresses.
fn is_header(line: &str) -> bool {
    let line = line.trim_start_matches(['|', ' ', '*', '"']);
    // Other tools say `Block size: 1K`.
    let own = |rest: &str| rest.is_empty() || rest.starts_with(['|', ',', '*', '"']);
    after(line, "Block,").is_some()
        || after(line, "Block Size").is_some_and(|rest| own(rest) || wide_cells(line).len() > 1)
}

/// Most columns of a table: more systems are not compared on one page.
const MOST_COLUMNS: usize = 200;

const KERNELS: [&str; 5] = ["INTEGER", "FL-POINT", "FLOAT", "MMX", "SSE"];

fn looks(text: &Text) -> usize {
    marks(text, |line| figure(line).is_some()) * 3
        + marks(text, |line| holds(line, "ramspeed") || is_header(line))
}

/// `INTEGER & WRITING   1 Kb block: 1234.56 MB/s` and `SSE   Copy:   1234.56 MB/s` in parts: name, block,
/// value, unit.
fn figure(line: &str) -> Option<(String, Option<String>, f64, &str)> {
    let (name, rest) = at_colon(line)?;
    let first = name.split_whitespace().next()?;
    if !KERNELS.contains(&first) {
        return None;
    }
    let (value, unit) = number_first(rest)?;
    let words: Vec<&str> = name.split_whitespace().collect();
    match words.as_slice() {
        [name @ .., size, kb, "block"] if plain(size).is_some() => {
            Some((name.join(" "), Some(format!("{size}{kb}")), value, unit))
        }
        name => Some((name.join(" "), None, value, unit)),
    }
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    if !text.lines().any(|(_, line)| figure(line).is_some()) {
        return read_table(text, sheet);
    }
    // A batch prints each run, then their mean; the mean is no further run.
    let single = |line: &str| figure(line).is_some_and(|(name, ..)| !name.contains("BatchRun"));
    let has_runs = text.lines().any(|(_, line)| single(line));
    let mut processes = "";
    for (number, line) in text.lines() {
        if let Some((_, rest)) = line.split_once("per pass mode,") {
            processes = rest.split_whitespace().next().unwrap_or_default();
        } else if let Some((name, block, value, unit)) = figure(line) {
            if has_runs && name.contains("BatchRun") {
                sheet.aside(number);
                sheet.note(
                    "ramspeed",
                    "means over a batch are left out: the runs are here",
                );
                continue;
            }
            let row = Row::new("ramspeed", &name, unit, Higher);
            let row = match processes {
                "" | "1" => row,
                count => row.with("processes", count),
            };
            let row = match block {
                Some(block) => row.with("block", &block),
                None => row,
            };
            sheet.add("", row, value, number)?;
        }
    }
    Ok(())
}

/// A table with block sizes in the first column. A system that has several columns has that many
/// different figures, which only the page around the table may tell apart.
fn read_table(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let unit = ["KB/s", "MB/s", "GB/s"]
        .iter()
        .find(|u| text.lines().any(|(_, line)| holds(line, u)));
    let mut columns: Vec<(String, String)> = Vec::new();
    for row in grid::rows(text) {
        let (line, cells) = (row.line, row.cells);
        let first = cells.first().copied().unwrap_or_default();
        if after(first, "block").is_some() && (2..=MOST_COLUMNS).contains(&cells.len()) {
            sheet.aside(line);
            columns = grid::numbered(&cells[1..]);
            if columns.iter().any(|(_, which)| !which.is_empty()) {
                sheet.note(
                    "ramspeed",
                    "the table does not say what sets its columns of one system apart; they are \
                     numbered from the left",
                );
            }
            continue;
        }
        if columns.is_empty() || plain(first).is_none() {
            // A sentence may part two tables; what could be a row is refused.
            if !first.is_empty() {
                sheet.apart();
            }
            continue;
        }
        let read = table_row(line, &cells, &columns, unit.unwrap_or(&""), sheet);
        sheet.judge(read)?;
    }
    Ok(())
}

fn table_row(
    line: usize,
    cells: &[&str],
    columns: &[(String, String)],
    unit: &str,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    if cells.len() != columns.len() + 1 {
        let why = format!(
            "{} cells under a header of {}",
            cells.len(),
            columns.len() + 1
        );
        return Err(Fault::at(
            line,
            format!("{why}; fill the table up or leave the row out"),
        ));
    }
    let block = format!("{}Kb", cells[0]);
    for ((system, which), cell) in columns.iter().zip(&cells[1..]) {
        let value = plain(cell).ok_or_else(|| {
            let cell = crate::error::quote(cell);
            Fault::at(
                line,
                format!("'{cell}' is no number; correct it or take the row out"),
            )
        })?;
        let row = Row::new("ramspeed", "speed", unit, Higher);
        let row = if which.is_empty() {
            row
        } else {
            row.with("column", which)
        };
        sheet.add(system, row.with("block", &block), value, line)?;
    }
    Ok(())
}
