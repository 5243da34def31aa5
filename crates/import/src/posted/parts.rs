//! The figures of one cell.

use crate::amount::{Cell, cell, is_unit, spread};
use crate::clock::duration;

pub(super) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_whitespace()
        .map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// Are these words figures with their units and changes, to the end?
pub(super) fn is_figures(text: &str) -> bool {
    let mut before = false;
    for (_, word) in words(text) {
        match cell(word) {
            Cell::Amount(..) | Cell::Change | Cell::Broken => before = true,
            Cell::Words(unit) if before && (is_sign(unit) || is_unit(unit)) => {}
            _ => return false,
        }
    }
    let units = words(text).filter(|(_, w)| matches!(cell(w), Cell::Words(_)));
    let figures = words(text).filter(|(_, w)| matches!(cell(w), Cell::Amount(..)));
    before && units.count() <= 2 * figures.count().max(1)
}

fn is_sign(word: &str) -> bool {
    matches!(word, "±" | "+/-" | "+-" | "(" | ")" | "/") || is_mark(word)
}

/// The figures of one cell: one, or several that single spaces part, each with its unit, its spread and what sticks to it.
pub(crate) fn parts(text: &str) -> Vec<&str> {
    // `score 977`
    if let Some((key, figure)) = text.split_once(' ')
        && matches!(
            key,
            "score" | "time" | "bandwidth" | "latency" | "throughput" | "rate"
        )
        && matches!(cell(figure), Cell::Amount(..))
    {
        return vec![key, figure];
    }
    // `4k: 110.1 MB/s`: a size that names its figure.
    if let Some((key, figure)) = text.split_once(": ")
        && key.starts_with(|c: char| c.is_ascii_digit())
        && !key.contains(' ')
        && matches!(cell(figure), Cell::Amount(..))
    {
        return vec![&text[..=key.len()], figure.trim()];
    }
    // `(0.51%) 4912`: the change of the figure before.
    if text.starts_with('(')
        && let Some((_, figure)) = text.split_once(") ")
        && matches!(cell(figure), Cell::Amount(..))
    {
        let change = &text[..text.len() - figure.len()];
        return [vec![change.trim_end()], parts(figure)].concat();
    }
    // `249653.1 (0.5) / 0.949`: behind the spread stands a ratio.
    if text
        .rsplit_once(" / ")
        .is_some_and(|(front, _)| front.ends_with(')'))
    {
        return vec![text];
    }
    // `4m 35s` is one time, and a mean with its bounds one figure.
    if duration(text).is_some() || spread(text).is_some() {
        return vec![text];
    }
    if let Some(pairs) = listed(text) {
        return pairs;
    }
    let mut starts: Vec<usize> = Vec::new();
    let mut amounts = 0;
    let mut before = "";
    for (at, word) in words(text) {
        let amount = matches!(cell(word), Cell::Amount(..));
        let goes_on = matches!(before, "±" | "+/-" | "+-" | "+" | "(");
        let spread = is_sign(word) || word.starts_with('±');
        if !goes_on && !spread && (amount || matches!(cell(word), Cell::Change)) {
            starts.push(at);
            amounts += usize::from(amount);
        }
        before = word;
    }
    if amounts < 2 || starts.first() != Some(&0) || !is_figures(text) {
        return vec![text];
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let pairs = starts.iter().zip(ends);
    // Marks point at notes: `40.03 [#]`.
    pairs
        .map(|(start, end)| without_mark(text[*start..end].trim()))
        .collect()
}

/// Names and figures of a list in one cell: `token time 21.28 ms - eval time 9901.05 ms`.
fn listed(text: &str) -> Option<Vec<&str>> {
    let pieces: Vec<&str> = text.split(" - ").collect();
    let pair = |piece: &'_ str| {
        let (at, _) =
            words(piece).find(|(at, word)| *at > 0 && word.as_bytes()[0].is_ascii_digit())?;
        let is = matches!(cell(&piece[at..]), Cell::Amount(..));
        let named = piece.starts_with(char::is_alphabetic);
        (is && named).then_some(at)
    };
    let ends: Option<Vec<usize>> = pieces.iter().map(|piece| pair(piece)).collect();
    let ends = ends.filter(|ends| ends.len() > 1)?;
    let pairs = pieces.iter().zip(ends);
    let cells = pairs.flat_map(|(piece, at)| [piece[..at].trim(), piece[at..].trim()]);
    Some(cells.collect())
}

fn without_mark(text: &str) -> &str {
    match text.rsplit_once(' ') {
        Some((rest, mark)) if is_mark(mark) => rest.trim_end(),
        _ => text,
    }
}

/// `[#]`, `[1]`: what points at a note.
fn is_mark(word: &str) -> bool {
    let inner = word
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    inner.is_some_and(|inner| inner.len() <= 2)
}
