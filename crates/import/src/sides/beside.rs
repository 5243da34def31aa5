//! Whole rows that stand beside each other: `real 7m2.3s   real 7m1.5s` under a line with the two names.

use std::borrow::Cow;

use super::{Lines, label_of, plain_name};
use crate::Text;
use crate::ledger::line_could_be_row;
use crate::pattern::wide_cells;

/// Most rows beside each other.
const MOST_BESIDE: usize = 6;

/// The sides of such a page.
pub(super) fn lines(text: &Text) -> Option<Lines<'static>> {
    // Cells that are rows of words and a figure make no row of one table.
    let rows = || {
        let is = |line: &str| line_could_be_row(line) || chunks(line, 2).is_some();
        text.lines().filter(move |(_, line)| is(line))
    };
    let all = rows().count();
    let count = |n: usize| rows().filter(|(_, l)| chunks(l, n).is_some()).count();
    let found = (2..=MOST_BESIDE).find(|n| count(*n) >= 2 && count(*n) * 10 >= all * 6)?;
    let first = rows().find(|(_, line)| chunks(line, found).is_some())?.0;
    let names = names(text, found, first)?;
    let of = |side: usize| {
        let lines = text.lines().map(|(_, line)| match chunks(line, found) {
            Some(parts) => Cow::Owned(parts[side].clone()),
            None => context(line, found, side),
        });
        lines.collect()
    };
    Some(
        names
            .into_iter()
            .enumerate()
            .map(|(side, name)| (name, of(side)))
            .collect(),
    )
}

/// A row as `n` rows of the same name, each with a figure.
fn chunks(line: &str, n: usize) -> Option<Vec<String>> {
    let cells = wide_cells(line);
    if cells.len() < n || !cells.len().is_multiple_of(n) {
        return None;
    }
    let parts: Vec<String> = cells
        .chunks(cells.len() / n)
        .map(|c| c.join("  "))
        .collect();
    let label = label_of(&parts[0]);
    let like = |part: &String| label_of(part) == label && is_row(part);
    let named = label.starts_with(|c: char| c.is_alphabetic());
    (named && parts.iter().all(like)).then_some(parts)
}

/// Does the part of a line end with a figure, whatever its unit, also behind `#` as cyclictest prints its summary?
fn is_row(part: &str) -> bool {
    let part = part.trim_start_matches(['#', ' ']);
    let cells: Vec<&str> = part.split_whitespace().collect();
    let last = cells.iter().rev().take(2);
    cells.len() > 1
        && line_could_be_row(&cells.join(" "))
        && last.clone().any(|w| w.bytes().any(|b| b.is_ascii_digit()))
}

/// The names above the first row: the first line with as many cells, all different.
fn names(text: &Text, n: usize, first: usize) -> Option<Vec<String>> {
    let mut above = text
        .lines()
        .take(first - 1)
        .map(|(_, line)| wide_cells(line));
    let distinct = |cells: &Vec<&str>| {
        let mut sorted = cells.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let worded = |cell: &&str| cell.chars().any(char::is_alphanumeric);
        sorted.len() == n && cells.len() == n && cells.iter().all(worded)
    };
    let cells = above.find(distinct)?;
    Some(cells.into_iter().map(plain_name).collect())
}

/// What a line that is no such row says to one side.
fn context(line: &str, n: usize, side: usize) -> Cow<'static, str> {
    let cells = wide_cells(line);
    if cells.len() == n {
        return Cow::Owned(cells[side].to_owned());
    }
    // A row of its own is of no side that is known; it is accounted for with the page.
    if line_could_be_row(line) {
        return Cow::Borrowed("");
    }
    Cow::Owned(line.to_owned())
}
