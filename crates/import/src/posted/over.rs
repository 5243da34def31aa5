//! The header in a line of words, by how many cells the rows below it have.

use super::Group;
use super::header::Header;
use super::names::{Kind, is_derived};
use crate::amount::{Cell, cell};

impl Header {
    /// The header in a line of words over rows of `width` cells, of which the last may need no name.
    pub(super) fn over(cells: &[&str], width: usize, line: usize, group: &Group) -> Option<Header> {
        let last = |is: fn(&Cell) -> bool| {
            let mut cells = group.rows.iter().map(|(_, row)| row.cells.last());
            cells.all(|last| last.is_some_and(|text| is(&cell(text))))
        };
        // A row that has not changed may say so in a word.
        let changes = || {
            let rows = group.rows.iter().map(|(_, row)| &row.cells);
            let mut lasts = rows.filter(|cells| cells.len() == width);
            // Of several changes each has a name, and the labels have none.
            let is = |cells: &Vec<&str>| {
                let changes = cells.iter().rev();
                changes
                    .take_while(|text| cell(text) == Cell::Change)
                    .count()
                    == 1
            };
            lasts.clone().next().is_some() && lasts.all(is)
        };
        // `proc  stock  patched` begins where the labels do, over rows with a change that has no name: the first names labels.
        let indent = |line: usize| {
            let raw = group.raw(line);
            raw.len() - raw.trim_start().len()
        };
        let first = group.rows.first().map_or(0, |(line, _)| indent(*line));
        let split: Vec<&str> = match cells {
            [one] if one.split(' ').count() == width => one.split(' ').collect(),
            _ => cells.to_vec(),
        };
        let begins = !group.raw(line).is_empty() && indent(line) <= first;
        let named = split.last().is_some_and(|name| is_derived(name));
        // `1 MiB writes, 16 threads` is a heading, where the rows have no commas between their cells.
        let raw = group.raw(line);
        let commas = raw.contains(", ") && !raw.contains(['|', '\t']) && !raw.contains("  ");
        if commas
            && !group
                .rows
                .iter()
                .any(|(row, _)| group.raw(*row).contains(','))
        {
            return None;
        }
        if begins
            && !named
            && split.len() == width
            && !split
                .iter()
                .any(|name| matches!(cell(name), Cell::Amount(..)))
            && width > 2
            && !group
                .rows
                .iter()
                .any(|(_, row)| row.behind && row.cells.len() == width)
            && changes()
        {
            return Header::of(&split, width - 1, line);
        }
        Header::of(cells, width, line)
            .or_else(|| {
                // A column of units is no column of the rows any more.
                let units = group.rows.iter().any(|(_, row)| row.unit.is_some());
                let mut header = Header::of(cells, width + 1, line).filter(|_| units)?;
                (header.columns.pop()? == Kind::Unit).then_some(header)
            })
            .or_else(|| {
                let changes = width > 1 && last(|cell| *cell == Cell::Change);
                // Names that begin where the labels do are also of the labels: then it is not known whose the rest are.
                let plain = !group.raw(line).contains(['|', '\t', ',', ';']);
                let named = plain && cells.len() + 1 == width && indent(line) <= first;
                (changes && !named).then(|| Header::of(cells, width - 1, line))?
            })
            .or_else(|| {
                // The first of several tables has no change to give.
                let digit = |c: char| c.is_ascii_digit();
                let words = !cells.iter().any(|name| name.contains(digit));
                let (_, front) = cells.split_last().filter(|_| named && words && width > 1)?;
                Header::of(front, width, line)
            })
    }
}
