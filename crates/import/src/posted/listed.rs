//! Lines that are no rows of a table and hold named figures: several with a colon each, or a rate in words.

use super::row::{PostedRow, plain_label};
use crate::amount::{Cell, cell};
use crate::direction::{is_each, of_unit};

/// Rows that stand in one line, each a name with a colon and a figure: `total: 0.18s memory: 45276k`.
pub(crate) fn listed_rows(line: &str) -> Option<Vec<PostedRow<'_>>> {
    let line = line.trim();
    if line.contains('|') {
        return None;
    }
    let mut rows: Vec<PostedRow> = Vec::new();
    let mut name: Option<usize> = None;
    let mut ended = false;
    let mut figure: Option<(usize, usize)> = None;
    let parted = |c: char| c.is_whitespace() || c == ',' || c == ';';
    let mut label = "";
    for word in line.split(parted).filter(|word| !word.is_empty()) {
        let start = word.as_ptr() as usize - line.as_ptr() as usize;
        let end = start + word.len();
        match (name, ended) {
            // Behind the name: the figure.
            (Some(_), true) if figure.is_none() => {
                if !matches!(cell(word), Cell::Amount(..)) {
                    return None;
                }
                figure = Some((start, end));
            }
            // How often the first was done is no part of its name: `1000 times a -> 5 cycles`.
            (None, _) if rows.is_empty() && figure.is_none() && is_number(word) => {}
            // The name ends before an arrow.
            (Some(begin), false) if word == "->" => {
                label = line[begin..start].trim_end();
                ended = true;
            }
            _ => {
                let unit = is_measure(word) && figure.is_some() && !word.ends_with(':');
                if unit {
                    figure = figure.map(|(from, _)| (from, end));
                    continue;
                }
                if let Some((from, to)) = figure.take() {
                    rows.push(named_figure(label, &line[from..to]));
                    (name, ended) = (None, false);
                }
                let begin = *name.get_or_insert(start);
                if !line[begin..].starts_with(char::is_alphabetic) {
                    return None;
                }
                if word.ends_with(':') {
                    label = &line[begin..end];
                    ended = true;
                }
            }
        }
    }
    let (from, to) = figure?;
    rows.push(named_figure(label, &line[from..to]));
    (rows.len() > 1).then_some(rows)
}

/// A row of one figure.
fn named_figure<'a>(label: &'a str, figure: &'a str) -> PostedRow<'a> {
    PostedRow {
        label: plain_label(label),
        first: label,
        cells: vec![figure],
        unit: None,
        more: Vec::new(),
        behind: false,
    }
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_digit())
}

/// Is it a unit that a figure may have behind it, of time, rate or size?
fn is_measure(word: &str) -> bool {
    const SIZES: [&str; 10] = [
        "B", "KB", "kB", "MB", "GB", "KiB", "MiB", "GiB", "bytes", "kbytes",
    ];
    of_unit(word).is_some() || SIZES.contains(&word)
}

/// A rate in words, `264270.62 requests per second`: they are its name.
pub(super) fn spoken(line: &str) -> Option<PostedRow<'_>> {
    let (figure, name) = line.split_once(' ')?;
    let words = name.split_whitespace().count();
    let is = matches!(cell(figure), Cell::Amount(_, "")) && is_each(name) && words == 3;
    is.then(|| named_figure(name, figure))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_may_hold_several_named_figures() {
        for (line, wanted) in [
            (
                "total: 0.18s memory: 45276k",
                vec!["total 0.18s", "memory 45276k"],
            ),
            (
                "real memory: 16185 MB, user cpu: 751.623, sys cpu: 145.979",
                vec![
                    "real memory 16185 MB",
                    "user cpu 751.623",
                    "sys cpu 145.979",
                ],
            ),
            ("total: 0.18s", vec![]),
            ("gettimeofday:    vdso: 907 nsec/call", vec![]),
            ("12:30:05 up: 3 days: 4", vec![]),
            ("| a: 1 | b: 2 |", vec![]),
        ] {
            let rows = listed_rows(line).unwrap_or_default();
            let shown = rows
                .iter()
                .map(|row| format!("{} {}", row.label, row.cells[0]));
            assert_eq!(shown.collect::<Vec<_>>(), wanted, "{line}");
        }
    }

    #[test]
    fn a_rate_in_words_is_its_own_name() {
        let row = spoken("264270.5 requests per second").unwrap();
        assert_eq!(
            (row.label.as_str(), row.cells[0]),
            ("requests per second", "264270.5")
        );
        assert!(spoken("5 of them per second and more").is_none());
        assert!(spoken("5 apples").is_none());
    }
}
