//! Remarks behind figures: what they say is taken off, but where they tell rows of one label apart.

use super::PostedRow;
use crate::amount::{Cell, cell};
use crate::direction::of_unit;

/// Rows of one label that differ in what stands in brackets behind their figure, `(mean)` and `(mean, across all)`, with
/// that in their labels; nothing where there are none.
pub(crate) fn with_remarks<'a>(
    rows: &[(usize, PostedRow<'a>)],
) -> Option<Vec<(usize, PostedRow<'a>)>> {
    let remark = |row: &PostedRow<'a>| -> Option<&'a str> {
        let [only] = row.cells[..] else { return None };
        let (_, inner) = only.rsplit_once('(')?;
        let inner = inner.trim().strip_suffix(')')?;
        inner.starts_with(char::is_alphabetic).then_some(inner)
    };
    let apart = |(_, row): &(usize, PostedRow<'a>)| {
        let own = remark(row);
        let mut others = rows.iter().filter(|(_, other)| other.label == row.label);
        own.is_some() && others.any(|(_, other)| remark(other).is_some_and(|of| Some(of) != own))
    };
    if rows.len() > 200 || !rows.iter().any(apart) {
        return None;
    }
    let named = rows.iter().map(|of| {
        let (line, mut row) = of.clone();
        if let Some(remark) = remark(&row).filter(|_| apart(of)) {
            row.label = format!("{}, {remark}", row.label);
        }
        (line, row)
    });
    Some(named.collect())
}

/// A row without what a tool says behind `#` of the figures before it: `22.5 (+- 0.1s)  # 9.2 bytes/ns`.
pub(super) fn without_comment(line: &str) -> &str {
    let comment = |at: &usize| {
        let front = line[..*at].split_whitespace();
        !line[..*at].contains('|') && front.clone().any(|w| matches!(cell(w), Cell::Amount(..)))
    };
    match line.find(" # ").filter(comment) {
        Some(at) => line[..at].trim_end(),
        None => line,
    }
}

/// A row without the words that an arrow points from, `6.56  6.54    <=== much slower`.
pub(super) fn without_remark(line: &str) -> &str {
    if let Some(front) = before_bracket(line) {
        return front;
    }
    let arrow = ["<--", "<==", "<-", "<="]
        .iter()
        .find_map(|arrow| line.find(&format!(" {arrow}")));
    let words = |at: &usize| {
        let remark = line[*at..].trim_start().trim_start_matches(['<', '-', '=']);
        let front = line[..*at].split_whitespace();
        let figure = front
            .into_iter()
            .any(|word| matches!(cell(word), Cell::Amount(..)));
        figure
            && remark.starts_with(' ')
            && !remark.contains(|c: char| c.is_ascii_digit() || c == '|')
    };
    match arrow.filter(words) {
        Some(at) => line[..at].trim_end(),
        None => line,
    }
}

/// What stands in front of a bracket at the end of a row that says a figure in words, `27.7s (16.9 user)`.
fn before_bracket(line: &str) -> Option<&str> {
    let (front, inner) = line.trim_end().strip_suffix(')')?.rsplit_once(" (")?;
    let (figure, words) = inner.split_once(' ')?;
    let said = matches!(cell(figure), Cell::Amount(..))
        && words.chars().all(char::is_alphabetic)
        && of_unit(words).is_none();
    let last = front.split_whitespace().next_back()?;
    let measured = matches!(cell(last), Cell::Amount(_, unit) if of_unit(unit).is_some());
    (said && measured && !line.contains('|')).then(|| front.trim_end())
}
