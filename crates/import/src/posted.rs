//! Tables as people post them: lines taken apart, headers found, rows grouped.

mod header;
mod line;

pub(crate) use header::{Header, Kind};
pub(crate) use line::{Line, PostedRow, of as line};

use crate::Text;

/// Rows that stand together, and the words above them.
#[derive(Debug, Default)]
pub(crate) struct Group<'a> {
    /// Lines of words since the rows before, with their numbers.
    pub(crate) above: Vec<(usize, Line<'a>)>,
    /// Its rows, in order.
    pub(crate) rows: Vec<(usize, PostedRow<'a>)>,
}

impl<'a> Group<'a> {
    /// Takes the line for the rest of the row above, where that row has too few cells for the header without it and
    /// enough with it.
    fn goes_on(&mut self, number: usize, words: &'a str) -> bool {
        let above = self.above.iter().rev();
        let header = above.filter_map(|(_, line)| match line {
            Line::Words(cells) if cells.len() > 2 => Some(cells.len()),
            _ => None,
        });
        let (Some(header), Some((line, row))) = (header.max(), self.rows.last_mut()) else {
            return false;
        };
        let Some(rest) = line::rest(words) else {
            return false;
        };
        let whole = row.cells.len() + rest.len();
        let fits = whole == header || whole + 1 == header;
        let goes_on = *line + row.more.len() + 1 == number && row.cells.len() + 1 < header && fits;
        if goes_on {
            row.cells.extend(rest);
            row.unit = line::take_unit(&mut row.cells).or(row.unit);
            row.more.push(number);
        }
        goes_on
    }

    /// Cells behind the label that most rows have.
    pub(crate) fn width(&self) -> usize {
        let of = |width: usize| {
            let same = self.rows.iter().filter(|(_, row)| row.cells.len() == width);
            same.count()
        };
        let widths = self.rows.iter().map(|(_, row)| row.cells.len());
        // Of as many, the longer rows: a short one has lost something.
        widths.max_by_key(|width| (of(*width), *width)).unwrap_or(0)
    }
}

/// The rows of a page in groups.
pub(crate) fn groups<'a>(text: &'a Text) -> Vec<Group<'a>> {
    let mut groups: Vec<Group> = vec![Group::default()];
    for (number, words) in text.lines() {
        let (Some(line), Some(group)) = (line::of(words), groups.last_mut()) else {
            continue;
        };
        if group.goes_on(number, words) {
            continue;
        }
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
