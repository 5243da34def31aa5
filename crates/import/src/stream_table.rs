//! Tables of STREAM's rates as people post them: a column a kernel, a row a number of threads or a machine.

use whyslow_model::Better::Higher;

use crate::grid;
use crate::number::grouped;
use crate::pattern::holds;
use crate::{Fault, Row, Sheet};

/// What a column of rates is called: a kernel, and the unit where it has one.
const KERNELS: [&str; 4] = ["Copy", "Scale", "Add", "Triad"];

/// Units of rates.
const UNITS: [&str; 6] = ["MB/s", "GB/s", "MiB/s", "GiB/s", "MB/sec", "GB/sec"];

/// The header of a table.
pub(crate) struct Header {
    /// The name above the rows' names.
    label: String,
    /// The kernel of each column; none where it is not of one.
    columns: Vec<Option<&'static str>>,
    unit: &'static str,
    /// Do its cells have nothing but a space between them?
    narrow: bool,
}

impl Header {
    /// `| Threads | Copy | Scale | Add | Triad |`, in all its dresses.
    pub(crate) fn of(line: &str) -> Option<Header> {
        let wide = grid::cells(line);
        let narrow = wide.len() < KERNELS.len();
        let cells = if narrow {
            line.split_whitespace().collect()
        } else {
            wide
        };
        let columns: Vec<Option<&str>> = cells.iter().map(|cell| kernel_of(cell)).collect();
        // Three kernels in one line are no sentence; all of STREAM's have one column each.
        let of = |kernel: &str| columns.iter().filter(|c| **c == Some(kernel)).count();
        let found = KERNELS.iter().filter(|kernel| of(kernel) == 1).count();
        let twice = KERNELS.iter().any(|kernel| of(kernel) > 1);
        if found < 3 || twice || columns.first()?.is_some() {
            return None;
        }
        let unit = UNITS.iter().find(|unit| holds(line, unit));
        Some(Header {
            label: (*cells.first()?).to_owned(),
            columns,
            unit: unit.copied().unwrap_or("MB/s"),
            narrow,
        })
    }

    /// Reads the row in `line` where it is one.
    pub(crate) fn row(&self, line: &str, number: usize, sheet: &mut Sheet) -> Result<(), Fault> {
        let cells: Vec<&str> = match self.narrow {
            true => line.split_whitespace().collect(),
            false => grid::cells(line),
        };
        let rates: Vec<(&str, Option<f64>)> = self
            .columns
            .iter()
            .zip(&cells)
            .filter_map(|(kernel, cell)| Some(((*kernel)?, grouped(cell))))
            .collect();
        if cells.len() != self.columns.len() || rates.iter().all(|(_, rate)| rate.is_none()) {
            // Words, or what could be a row and is refused.
            return Ok(());
        }
        if rates.iter().any(|(_, rate)| rate.is_none()) {
            return Err(Fault::at(
                number,
                "a rate in it is no number; correct it or take the row out",
            ));
        }
        let name = cells[0];
        let counted = name.bytes().all(|b| b.is_ascii_digit()) && !name.is_empty();
        for (kernel, rate) in rates {
            let row = Row::new("stream", kernel, self.unit, Higher);
            let rate = rate.unwrap_or_default();
            if counted {
                let threads = holds(&self.label, "thread");
                let by = if threads { "threads" } else { "row" };
                sheet.add("", row.with(by, name), rate, number)?;
            } else {
                sheet.add(name, row, rate, number)?;
            }
        }
        Ok(())
    }
}

/// The kernel that a cell of the header names.
fn kernel_of(cell: &str) -> Option<&'static str> {
    let mut words = cell.split_whitespace();
    let first = words.next()?.trim_end_matches([':', ',']);
    let kernel = KERNELS
        .iter()
        .find(|kernel| kernel.eq_ignore_ascii_case(first))?;
    let unit = |word: &str| UNITS.contains(&word.trim_matches(['(', ')', '[', ']']));
    words.all(unit).then_some(*kernel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_and_others() {
        for line in [
            "| Threads | Copy | Scale | Add | Triad |",
            "threads,copy,scale,add,triad",
            "Threads Copy Scale Add Triad",
            "System     Copy (GB/s)   Add (GB/s)   Triad (GB/s)",
        ] {
            assert!(Header::of(line).is_some(), "{line}");
        }
        for line in [
            "Copy, Scale, Add and Triad",
            "Function  Rate (MB/s)  Avg time",
            "Copy: 1 2 3 4",
        ] {
            assert!(Header::of(line).is_none(), "{line}");
        }
    }
}
