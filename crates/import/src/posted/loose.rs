//! Lines that are no rows of a table and still print results: words, and figures with their units among them, `copied 8 GB in
//! 23655 ms (346 MiB/s)`. Read only where a page has no rows at all.

use super::row::{PostedRow, plain_label};
use super::{Group, Line};
use crate::Text;
use crate::amount::{Cell, cell};
use crate::direction::of_unit;

/// Larger pages are logs of other things, lines.
const MOST_LINES: usize = 5_000;

/// Words of a line: more are prose.
const WORDS: usize = 24;

/// The same of a line that ends as a sentence does.
const SENTENCE: usize = 8;

/// A figure, and what tells it from the others of its line.
struct Figure<'a> {
    unit: &'a str,
    text: &'a str,
}

/// The rows of a line, one for each figure of a unit that is good or bad.
pub(crate) fn rows(line: &str) -> Option<Vec<PostedRow<'_>>> {
    let bare = line.trim();
    let most = if bare.ends_with('.') { SENTENCE } else { WORDS };
    let said = ["#", "$", "//", "%", "|", "<", "==="]
        .iter()
        .any(|sign| bare.starts_with(sign));
    if said
        || bare.split_whitespace().count() > most
        || !bare.starts_with(|c: char| c.is_alphanumeric() || c == '[')
    {
        return None;
    }
    let ends = |c: char| "(),;[]".contains(c);
    let at = |word: &str| word.as_ptr() as usize - bare.as_ptr() as usize;
    let words: Vec<&str> = bare
        .split_whitespace()
        .map(|word| word.trim_matches(ends))
        .filter(|word| !word.is_empty())
        .collect();
    let mut figures: Vec<Figure> = Vec::new();
    let mut label = None;
    for (place, word) in words.iter().enumerate() {
        let Cell::Amount(_, own) = cell(word) else {
            continue;
        };
        // A version is part of what it stands in: `Ubuntu 20.04    real 12.5s`.
        let measured = words
            .get(place + 1)
            .is_some_and(|next| of_unit(next).is_some());
        if own.is_empty() && word.contains('.') && label.is_none() && !measured {
            continue;
        }
        label.get_or_insert(at(word));
        let next = words
            .get(place + 1)
            .filter(|next| own.is_empty() && of_unit(next).is_some());
        let (unit, end) = match next {
            Some(next) => (*next, at(next) + next.len()),
            None => (own, at(word) + word.len()),
        };
        figures.push(Figure {
            unit,
            text: &bare[at(word)..end],
        });
    }
    // How much was done, and how often, is not how fast.
    figures.retain(|figure| of_unit(figure.unit).is_some());
    let first = &bare[..label?];
    let name = plain_label(first.trim_end_matches(['(', '[', ' ']));
    let named = name.chars().filter(|c| c.is_alphabetic()).count() > 1;
    let mut units: Vec<&str> = figures.iter().map(|figure| figure.unit).collect();
    units.sort_unstable();
    units.dedup();
    if !named || figures.is_empty() || units.len() != figures.len() {
        return None;
    }
    let several = figures.len() > 1;
    let rows = figures.into_iter().map(|figure| {
        let label = match several {
            true => format!("{name}, {}", figure.unit),
            false => name.clone(),
        };
        PostedRow::of_one(label, first, figure.text)
    });
    Some(rows.collect())
}

/// The rows of such lines, and of figures alone that stand below each other, which are runs of what the words above them
/// say; none where no line has any.
pub(crate) fn groups<'a>(text: &'a Text) -> Vec<Group<'a>> {
    let mut group = Group::default();
    if text.count() > MOST_LINES {
        return Vec::new();
    }
    let lone = |number: usize| lone(text.line(number));
    let mut said = "";
    for (number, line) in text.lines() {
        let beside = lone(number + 1).is_some() || (number > 1 && lone(number - 1).is_some());
        let own = match lone(number)
            .filter(|figure| !said.is_empty() && (beside || is_good_or_bad(figure)))
        {
            Some(figure) => Some(vec![PostedRow::of_one(plain_label(said), said, figure)]),
            None => rows(line),
        };
        match own {
            Some(rows) => group.rows.extend(rows.into_iter().map(|row| (number, row))),
            None if line.trim().is_empty() => {}
            None => {
                if line.chars().any(char::is_alphabetic) {
                    said = line.trim();
                }
                if group.rows.is_empty() {
                    group.above.push((number, Line::Words(vec![line.trim()])));
                }
            }
        }
        group.raw.push((number, line));
    }
    match group.rows.is_empty() {
        true => Vec::new(),
        false => vec![group],
    }
}

/// Does the unit of a figure say which direction is good?
fn is_good_or_bad(figure: &str) -> bool {
    matches!(cell(figure), Cell::Amount(_, unit) if of_unit(unit).is_some())
}

/// The figure that a line is, with its unit.
fn lone(line: &str) -> Option<&str> {
    let line = line.trim();
    let digits = line.starts_with(|c: char| c.is_ascii_digit());
    (digits && matches!(cell(line), Cell::Amount(..))).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn figures_among_words() {
        let shown = |line: &str| -> Vec<String> {
            let rows = rows(line).unwrap_or_default();
            rows.iter()
                .map(|row| format!("{}|{}", row.label, row.cells[0]))
                .collect()
        };
        for (line, wanted) in [
            (
                "libc memset:  copied 8 GB in 5335 milliseconds (1535 MiB/sec)",
                vec![
                    "libc memset: copied, milliseconds|5335 milliseconds",
                    "libc memset: copied, MiB/sec|1535 MiB/sec",
                ],
            ),
            ("finished after 12.5s", vec!["finished after|12.5s"]),
            (
                "The second machine took 5 s longer than the other one did.",
                vec![],
            ),
            ("took 5 s and 6 s", vec![]),
            ("Linux 5.10 on 4 machines", vec![]),
            ("$ run 5 s", vec![]),
        ] {
            assert_eq!(shown(line), wanted, "{line}");
        }
    }
}
