//! What stands above a figure: the last line of words.

use super::{Text, amount};
use crate::cells::cells;
use crate::commands::typed;
use crate::direction::of_unit;

/// The last line before `number` that has words alone, without what draws it.
pub(super) fn heading<'a>(text: &'a Text<'_>, number: usize) -> &'a str {
    let found = text.heading(number, is_heading);
    found
        .map_or("", |line| text.line(line).trim())
        .trim_matches(['#', '=', '-', '*', ':', ' ', '|'])
}

/// Has a line words alone?
fn is_heading(line: &str) -> bool {
    let line = line.trim();
    line.chars().any(char::is_alphabetic)
        && !holds_figure(line)
        && !has_fractions(line)
        && !labelled(line)
        && !crate::posted::is_missing(line)
        && listed(line).is_none()
        && typed(line).is_none()
}

/// Is a cell of the line, or a part of one that single spaces part, a figure?
fn holds_figure(line: &str) -> bool {
    let own = cells(line).into_iter();
    let mut parts = own.flat_map(crate::posted::parts);
    parts.any(|part| amount(part).is_some())
}

/// Is it a row of one figure, `case1 throughput: 1057 KB/s`? A figure that ends the line as a heading's does is none.
fn labelled(line: &str) -> bool {
    let figure = line.rsplit_once(": ").and_then(|(_, text)| amount(text));
    figure.is_some_and(|(_, unit)| of_unit(unit).is_some())
}

/// Does a line hold several numbers with a fraction? One may be a version.
pub(super) fn has_fractions(line: &str) -> bool {
    let is = |word: &&str| word.contains('.') && word.parse::<f64>().is_ok();
    line.split_whitespace().filter(is).count() > 1
}

/// The name and the figure of `* 4,739,057 - baseline`.
pub(super) fn listed(line: &str) -> Option<(&str, &str)> {
    let bare = line.trim().trim_start_matches(['*', '-', '•', ' ']);
    let (figure, name) = bare.split_once(" - ")?;
    let named = name.starts_with(char::is_alphabetic) && amount(name).is_none();
    let is = named && !line.contains('|') && amount(figure).is_some();
    is.then(|| (name.trim(), figure.trim()))
}
