//! Tables between bars of which a cell holds several figures with gaps, under as many names:
//! `name | test-1  test-2 | average` over `old  | 24.1s 22.5s | 23.3s`.

use std::borrow::Cow;

use crate::amount::{Cell, cell};

/// One bar alone parts two halves that tools print beside each other.
const FEWEST: usize = 3;

/// The cells of a line between bars.
fn cells(line: &str) -> Vec<&str> {
    line.split('|').collect()
}

/// The names in a cell of the header, which wide gaps part.
fn names(text: &str) -> Vec<&str> {
    let parts = text.trim().split("  ").map(str::trim);
    parts.filter(|part| !part.is_empty()).collect()
}

/// How many figures there are in a cell; none where something else stands there.
fn figures(text: &str) -> Option<usize> {
    let words = text.split_whitespace();
    let figure = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_digit()) && matches!(cell(word), Cell::Amount(..))
    };
    words.clone().all(figure).then(|| words.count())
}

/// Is it a line that draws a table?
fn is_drawn(line: &str) -> bool {
    line.trim().chars().all(|c| "-+=|: ".contains(c))
}

/// The lines of the table whose header is the first of `lines`, as they read with a bar between all figures; none where no
/// cell has several.
fn table(lines: &[&str]) -> Option<Vec<String>> {
    let header = cells(lines.first()?);
    let rows: Vec<Vec<&str>> = lines[1..]
        .iter()
        .filter(|line| !is_drawn(line))
        .map(|line| cells(line))
        .collect();
    let even = rows.iter().all(|row| row.len() == header.len());
    if rows.is_empty() || !even || header.len() < FEWEST {
        return None;
    }
    let several: Vec<bool> = (0..header.len())
        .map(|at| {
            let count = names(header[at]).len();
            count > 1 && rows.iter().all(|row| figures(row[at]) == Some(count))
        })
        .collect();
    if !several.contains(&true) {
        return None;
    }
    let parted = lines.iter().enumerate().map(|(number, line)| {
        if is_drawn(line) {
            return (*line).to_owned();
        }
        let own = cells(line).into_iter().zip(&several);
        let own = own.map(|(text, several)| {
            let parts: Vec<&str> = match (several, number) {
                (false, _) => return text.to_owned(),
                (true, 0) => names(text),
                (true, _) => text.split_whitespace().collect(),
            };
            format!(" {} ", parts.join(" | "))
        });
        own.collect::<Vec<_>>().join("|")
    });
    Some(parted.collect())
}

/// `whole` with bars between the figures of such cells.
pub(super) fn barred(whole: Cow<'_, str>) -> Cow<'_, str> {
    if !whole.contains('|') {
        return whole;
    }
    let end = super::line_end(&whole);
    let lines: Vec<&str> = whole.split(end).collect();
    let mut made: Vec<Cow<str>> = lines.iter().map(|line| Cow::Borrowed(*line)).collect();
    let mut at = 0;
    while at < lines.len() {
        let own = lines[at..].iter().take_while(|line| {
            let drawn = is_drawn(line) && !line.trim().is_empty();
            line.contains('|') || drawn
        });
        let count = own.count();
        if let Some(parted) = table(&lines[at..at + count]) {
            for (line, own) in made[at..].iter_mut().zip(parted) {
                *line = Cow::Owned(own);
            }
        }
        at += count.max(1);
    }
    Cow::Owned(made.join(end))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::barred;

    #[test]
    fn figures_within_cells_are_parted() {
        let of = |text: &str| barred(Cow::Borrowed(text)).into_owned();
        assert_eq!(
            of(
                "fs   | test-1  test-2 | mean\n-----+---------+---\nold  | 24.5s 22.5s | 23.5s\n\nfs | cold"
            ),
            "fs   | test-1 | test-2 | mean\n-----+---------+---\nold  | 24.5s | 22.5s | 23.5s\n\nfs | cold"
        );
        // One name of two words, and a unit behind a figure.
        for text in [
            "fs | large fib | mean\nold | 12 345 | 23.5",
            "fs | cold  hot | mean\nold | 12 ms | 23.5",
            "fs | cold  hot\nold | 12 13",
            "fs | cold  hot | mean\nold | 12 13 | 23.5\nnew | 12 | 23.5",
        ] {
            assert_eq!(of(text), text);
        }
    }
}
