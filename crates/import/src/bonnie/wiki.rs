//! bonnie++'s table as people draw it in a wiki or in Markdown: a line of groups, a line of units, a row for each machine.

use super::{busy, figure, rate};
use crate::pattern::holds;
use crate::{Fault, Sheet};

/// What is known of such a table so far.
#[derive(Default)]
pub(crate) struct Table {
    /// The heading above it, `Sequential Output`.
    section: String,
    /// The groups of its columns.
    groups: Vec<String>,
    /// Whether a column is of the use of the CPUs.
    busy: Vec<bool>,
}

/// A cell without what marks it up.
fn bare(cell: &str) -> &str {
    cell.trim().trim_matches(['\'', '*', '`', '_']).trim()
}

/// The cells of a line, at double bars or at single ones; those that only continue the one before are empty.
fn cells(line: &str) -> Vec<&str> {
    let line = line.trim();
    let by = if line.contains("||") { "||" } else { "|" };
    let inner = line.strip_prefix(by).unwrap_or(line);
    let inner = inner.strip_suffix(by).unwrap_or(inner);
    inner.split(by).map(bare).collect()
}

/// `|| |||| '''Per Chr''' |||| '''Block''' |||| '''Rewrite''' ||`
pub(crate) fn is_header(line: &str) -> bool {
    line.contains('|') && groups(line).is_some()
}

fn groups(line: &str) -> Option<Vec<String>> {
    let known = [
        "Per Chr", "Per Char", "Block", "Rewrite", "Seeks", "Create", "Read", "Delete",
    ];
    let cells = cells(line);
    let named: Vec<&str> = cells.into_iter().filter(|cell| !cell.is_empty()).collect();
    let is = |cell: &&str| known.iter().any(|name| name.eq_ignore_ascii_case(cell));
    (named.len() >= 2 && named.iter().all(is))
        .then(|| named.into_iter().map(str::to_owned).collect())
}

/// A heading of a part of it, `Sequential Output (Size is 6GB)`.
fn section(line: &str) -> Option<&'static str> {
    let names = [
        "Sequential Output",
        "Sequential Input",
        "Sequential Create",
        "Random Create",
    ];
    let found = names.into_iter().find(|name| holds(line, name));
    found.filter(|_| !line.contains('|'))
}

impl Table {
    /// Takes in a line; says whether it was one of such a table.
    pub(crate) fn take(
        &mut self,
        line: &str,
        number: usize,
        sheet: &mut Sheet,
    ) -> Result<bool, Fault> {
        if let Some(name) = section(line) {
            name.clone_into(&mut self.section);
            sheet.aside(number);
            return Ok(true);
        }
        if !line.contains('|') {
            return Ok(false);
        }
        if let Some(found) = groups(line) {
            self.groups = found;
            self.busy.clear();
            sheet.aside(number);
            return Ok(true);
        }
        let cells = cells(line);
        let units: Vec<bool> = cells
            .iter()
            .filter(|cell| cell.contains("/sec") || cell.contains("%CP"))
            .map(|cell| cell.contains("%CP"))
            .collect();
        if !self.groups.is_empty() && units.len() >= 2 {
            self.busy = units;
            sheet.aside(number);
            return Ok(true);
        }
        if self.groups.is_empty() || self.busy.is_empty() {
            return Ok(false);
        }
        let read = self.row(&cells, number, sheet);
        sheet.judge(read)?;
        Ok(true)
    }

    fn row(&self, cells: &[&str], number: usize, sheet: &mut Sheet) -> Result<(), Fault> {
        let drawn = |cell: &&str| cell.chars().all(|c| "-=: ".contains(c));
        if cells.iter().all(drawn) {
            return Ok(());
        }
        let (machine, figures) = match cells.split_first() {
            Some((machine, figures)) if figures.len() == self.busy.len() => (machine, figures),
            _ => {
                let why = format!(
                    "{} cells under a header of {}",
                    cells.len(),
                    self.busy.len() + 1
                );
                return Err(Fault::at(
                    number,
                    format!("{why}; fill the table up or leave the row out"),
                ));
            }
        };
        let each = self.busy.len().div_ceil(self.groups.len()).max(1);
        let mut made = Vec::new();
        for (at, cell) in figures.iter().enumerate() {
            let group = self.groups.get(at / each).map_or("", String::as_str);
            let name = format!("{} {group}", self.section);
            let name = name.trim();
            match figure(cell) {
                Some(Some((value, unit))) => made.push((
                    match self.busy[at] {
                        true => busy(name),
                        false => rate(name, unit),
                    },
                    value,
                )),
                Some(None) => {}
                None if cell.is_empty() || *cell == "-" => {}
                None => {
                    let cell = crate::error::quote(cell);
                    return Err(Fault::at(
                        number,
                        format!("'{cell}' is no number; correct it or take the row out"),
                    ));
                }
            }
        }
        for (row, value) in made {
            sheet.add(machine, row, value, number)?;
        }
        Ok(())
    }
}
