//! Tables as people post them: lines taken apart, headers found, rows grouped.

mod header;
mod line;

pub(crate) use header::{Header, Kind};
pub(crate) use line::{Line, Row, of as line};

use crate::Text;

/// Rows that stand together, and the words above them.
#[derive(Debug, Default)]
pub(crate) struct Group<'a> {
    /// Lines of words since the rows before, with their numbers.
    pub(crate) above: Vec<(usize, Line<'a>)>,
    /// Its rows, in order.
    pub(crate) rows: Vec<(usize, Row<'a>)>,
}

impl Group<'_> {
    /// Cells behind the label that most rows have.
    pub(crate) fn width(&self) -> usize {
        let of = |width: usize| {
            let same = self.rows.iter().filter(|(_, row)| row.cells.len() == width);
            same.count()
        };
        let widths = self.rows.iter().map(|(_, row)| row.cells.len());
        widths.max_by_key(|width| of(*width)).unwrap_or(0)
    }
}

/// The rows of a page in groups.
pub(crate) fn groups<'a>(text: &'a Text) -> Vec<Group<'a>> {
    let mut groups: Vec<Group> = vec![Group::default()];
    for (number, words) in text.lines() {
        let Some(line) = line::of(words) else {
            continue;
        };
        let Some(group) = groups.last_mut() else {
            continue;
        };
        match line {
            Line::Row(row) => group.rows.push((number, row)),
            line if group.rows.is_empty() => group.above.push((number, line)),
            line => groups.push(Group {
                above: vec![(number, line)],
                rows: Vec::new(),
            }),
        }
    }
    groups
}
