//! Rows whose cells fell apart at gaps: spreads in brackets behind their figures, labels of several words, a label that
//! one space parts from its figure.

use super::{Group, Line, PostedRow, cells_of_label, is_size};
use crate::amount::{Cell, cell};

impl Group<'_> {
    /// The rows put together again, where that gives all of them as many cells and they had not.
    pub(super) fn whole(&mut self) {
        let same = |rows: &[PostedRow]| {
            let mut widths = rows.iter().map(|row| row.cells.len());
            let first = widths.next();
            widths.all(|width| Some(width) == first)
        };
        let own: Vec<PostedRow> = self.rows.iter().map(|(_, row)| row.clone()).collect();
        // A second word of all labels has a gap in front, and the names above are of the figures alone.
        let named = |cells: usize| self.has_names(cells);
        let width = self.width();
        let worded = own.iter().all(|row| words(row) == 1)
            && width > 2
            && named(width - 1)
            && !named(width)
            && !named(width + 1);
        if own.len() < 2 || same(&own) && !worded {
            return;
        }
        let made: Vec<PostedRow> = own.iter().map(put_together).collect();
        if same(&made) && made.iter().all(|row| !row.cells.is_empty()) {
            for ((_, row), made) in self.rows.iter_mut().zip(made) {
                *row = made;
            }
        }
    }
}

impl Group<'_> {
    /// The rows without the changes behind their figures, where these have no columns in the header and the figures have
    /// one each; a number in front of them, `Hmean 4`, then belongs to the label.
    pub(super) fn fit(&mut self) {
        let change = |text: &&str| cell(text) == Cell::Change;
        let figures = |row: &PostedRow| row.cells.iter().filter(|text| !change(text)).count();
        let mut counts = self.rows.iter().map(|(_, row)| figures(row));
        let Some(count) = counts.next() else { return };
        if count < 2 || !counts.all(|other| other == count) {
            return;
        }
        let width = self.width();
        let headers: Vec<usize> = self
            .above
            .iter()
            .filter_map(|(_, line)| match line {
                Line::Words(cells) if cells.len() > 1 => Some(cells.len()),
                _ => None,
            })
            .collect();
        let any = |of: usize| headers.contains(&of);
        let numbered = self.rows.len() > 1 && numbers(&self.rows[0].1).is_some();
        let spread = self.rows.iter().any(|(_, row)| row.cells.len() > count);
        let led = self.rows.iter().all(|(_, row)| {
            row.cells
                .first()
                .is_some_and(|first| first.trim().parse::<u32>().is_ok())
        });
        let fits = any(width) || any(width + 1);
        let plain = spread && (numbered || (!fits && any(count + 1)));
        let shifted = led && !numbered && count > 2 && !fits && !plain && any(count - 1);
        if !plain && !shifted {
            return;
        }
        for (_, row) in &mut self.rows {
            row.cells.retain(|text| !change(text));
            if shifted {
                row.label = format!("{} {}", row.label, row.cells.remove(0).trim());
            }
        }
    }
}

/// A row of growing numbers of what works at once, `Clients 1 2 4 8`, its words in the label; nothing where it is none.
pub(super) fn numbers<'a>(row: &PostedRow<'a>) -> Option<PostedRow<'a>> {
    /// Two may be a result of two sides.
    const FEWEST: usize = 3;
    let made = put_together(row);
    let steps: Option<Vec<u32>> = made
        .cells
        .iter()
        .map(|text| text.trim().parse().ok())
        .collect();
    let steps = steps.filter(|steps| steps.len() >= FEWEST)?;
    let grow = steps.windows(2).all(|pair| pair[0] < pair[1]);
    (grow && is_size(&made.label) && row.cells.len() == made.cells.len() + words(row))
        .then_some(made)
}

/// Words in front of a row's figures.
fn words(row: &PostedRow) -> usize {
    let words = row
        .cells
        .iter()
        .take_while(|text| matches!(cell(text), Cell::Words(_)));
    words.count()
}

/// A row with its words in the label, and without the spreads behind its figures.
fn put_together<'a>(row: &PostedRow<'a>) -> PostedRow<'a> {
    let mut made = row.clone();
    let spread = |text: &str| text.starts_with('(') && cell(text) == Cell::Change;
    // `Switches 85380   (3419.52)`
    if row.cells.first().is_some_and(|first| spread(first))
        && let Some((label, figure)) = cells_of_label(row.first)
    {
        made.label = label;
        made.cells.insert(0, figure);
    }
    let words = |text: &&&str| matches!(cell(text), Cell::Words(_));
    for word in made.cells.iter().take_while(words) {
        made.label = format!("{} {word}", made.label);
    }
    let count = made.cells.iter().take_while(words).count();
    made.cells.drain(..count);
    made.cells.retain(|text| !spread(text));
    made
}

#[cfg(test)]
mod tests {
    use crate::Text;
    use crate::posted::groups;

    #[test]
    fn rows_are_put_together() {
        for (text, rows) in [
            (
                "Time one     10.5 (0.1)     11.5 (0.2)    1%\n\
                 System  Time     9.5  (2.8)     9.75 (7.5)   2%\n\
                 Switches 85380   (3419.5)      84748   (1904.4)    -0.7%\n",
                vec!["Time one 3", "System Time 3", "Switches 3"],
            ),
            ("a  1.5  2.5\nb  3.5  4.5\n", vec!["a 2", "b 2"]),
            ("a  1.5\nb  3.5  4.5\n", vec!["a 1", "b 2"]),
        ] {
            let text = Text::read(text.as_bytes()).unwrap();
            let all = groups(&text);
            let rows_of = all.iter().flat_map(|group| &group.rows);
            let found: Vec<String> = rows_of
                .map(|(_, row)| format!("{} {}", row.label, row.cells.len()))
                .collect();
            assert_eq!(found, rows);
        }
    }
}
