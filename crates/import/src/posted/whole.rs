//! Rows whose cells fell apart at gaps: spreads in brackets behind their figures, labels of several words, a label that
//! one space parts from its figure.

use super::{Group, PostedRow, cells_of_label};
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
        if own.len() < 2 || same(&own) {
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
