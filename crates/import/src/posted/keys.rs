//! What rows of one label differ in: columns beside it that say what the row was measured at.

use std::collections::BTreeSet;

use crate::amount::{Cell, cell};

use super::header::Header;
use super::names::{Kind, is_size};
use super::row::PostedRow;

/// The columns that tell rows of one label apart.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    /// Those that are part of the side's name.
    sides: Vec<usize>,
    /// Those of sizes, which sides have in common, with their names.
    sizes: Vec<(usize, String)>,
}

impl Keys {
    /// As few of the columns, from the left, as tell all rows apart.
    /// Where there are several tables, the size that all rows of one have tells it from the others.
    pub(crate) fn of(header: &Header, rows: &[(usize, PostedRow)], several: bool) -> Keys {
        let whole = || {
            rows.iter()
                .filter(|(_, r)| r.cells.len() == header.columns.len())
        };
        let names = |chosen: &[usize]| {
            let names = whole().map(|(_, row)| {
                let keys: Vec<&str> = chosen.iter().map(|at| row.cells[*at]).collect();
                (row.label.as_str(), keys)
            });
            names.collect::<BTreeSet<_>>().len()
        };
        let words = |at: usize| {
            let mut cells = whole().map(|(_, row)| cell(row.cells[at]));
            cells.all(|cell| matches!(cell, Cell::Words(_)))
        };
        // Words in front of the first figures say what the row is about, also where no name stands over them.
        let first = header.columns.iter().position(|kind| match kind {
            Kind::Values(_) => true,
            Kind::Key(_) | Kind::Unit | Kind::Derived => false,
        });
        let in_front = |at: usize| first.is_some_and(|first| at < first);
        let mut chosen: Vec<usize> = Vec::new();
        for (at, kind) in header.columns.iter().enumerate() {
            let with = [&chosen[..], &[at]].concat();
            // What is the same in all rows of a label tells none apart.
            let is_key = match kind {
                Kind::Key(_) => true,
                Kind::Values(_) => words(at),
                // Keys in front of each figure are no columns.
                Kind::Derived => !header.keyed && in_front(at) && words(at),
                Kind::Unit => false,
            };
            if is_key && names(&with) > names(&chosen) {
                chosen = with;
            }
        }
        // Where nothing else does, a column of counts tells rows apart.
        let rows_whole = whole().count();
        let count = |at: usize| {
            let mut cells = whole().map(|(_, row)| row.cells[at].trim());
            cells.all(|cell| !cell.is_empty() && cell.bytes().all(|b| b.is_ascii_digit()))
        };
        if names(&chosen) < rows_whole {
            let derived = |at: &usize| header.columns[*at] == Kind::Derived && count(*at);
            let alone = (0..header.columns.len()).filter(derived);
            let mut all = alone.map(|at| [&chosen[..], &[at]].concat());
            if let Some(found) = all.find(|with| names(with) == rows_whole) {
                chosen = found;
            }
        }
        let labels: BTreeSet<&str> = whole().map(|(_, row)| row.label.as_str()).collect();
        let mut keys = Keys::default();
        let constant = |at: usize| {
            let cells: BTreeSet<&str> = whole().map(|(_, row)| row.cells[at].trim()).collect();
            cells.len() == 1
                && cells
                    .iter()
                    .all(|cell| cell.starts_with(|c: char| c.is_ascii_digit()))
        };
        for (at, kind) in header.columns.iter().enumerate() {
            if let Kind::Key(name) = kind
                && several
                && is_size(name)
                && constant(at)
            {
                keys.sizes.push((at, name.clone()));
            }
        }
        for at in chosen {
            match &header.columns[at] {
                // Rows of one label alone have nothing else that could be a side.
                Kind::Key(name) if labels.len() > 1 && is_size(name) => {
                    keys.sizes.push((at, name.clone()));
                }
                _ => keys.sides.push(at),
            }
        }
        keys
    }

    /// The row with the keys of sides in its label.
    pub(crate) fn labelled<'a>(&self, row: &PostedRow<'a>) -> PostedRow<'a> {
        let mut row = row.clone();
        for at in &self.sides {
            if let Some(key) = row.cells.get(*at) {
                row.label = format!("{} {}", row.label, key.trim());
            }
        }
        row
    }

    /// Names and values of the sizes of a row.
    pub(crate) fn sizes<'r>(
        &'r self,
        row: &'r PostedRow<'_>,
    ) -> impl Iterator<Item = (&'r str, &'r str)> {
        let cell = |at: usize| row.cells.get(at).map(|cell| cell.trim());
        let own = self.sizes.iter();
        own.filter_map(move |(at, name)| Some((name.as_str(), cell(*at)?)))
    }
}
