//! The same rows again below another heading: `Without patch`, `With patch`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{Lines, MOST, label_of, names_side, plain_name};
use crate::Text;
use crate::ledger::line_could_be_row;
use crate::pattern::{holds, wide_cells};

/// Most words of a heading.
const WORDS: usize = 10;

/// A heading's line, its name, and the rows below it.
struct Part {
    line: usize,
    name: String,
    labels: BTreeSet<String>,
}

/// The sides of such a page. Where `sure`, the headings' words must name a side; else a colon is enough, and several
/// rows must be the same.
pub(super) fn lines(text: &Text, sure: bool) -> Option<Lines<'static>> {
    let mut parts: Vec<Part> = Vec::new();
    for (line, words) in text.lines() {
        if is_heading(words, sure) {
            parts.push(Part {
                line,
                name: plain_name(words),
                labels: BTreeSet::new(),
            });
        } else if let Some(part) = parts.last_mut().filter(|_| line_could_be_row(words)) {
            part.labels.insert(label_of(words));
        }
        if parts.len() > 10 * MOST {
            return None;
        }
    }
    parts.retain(|part| !part.labels.is_empty());
    let names: BTreeSet<&str> = parts.iter().map(|part| part.name.as_str()).collect();
    let first = parts.first()?;
    let fewest = if sure { 1 } else { 2 };
    let alike = |part: &Part| {
        let same = part.labels.intersection(&first.labels).count();
        let most = part.labels.len().max(first.labels.len());
        same >= fewest && same * 2 >= most
    };
    if !(2..=MOST).contains(&parts.len()) || names.len() != parts.len() || !parts.iter().all(alike)
    {
        return None;
    }
    let of = |at: usize| {
        let end = parts.get(at + 1).map_or(usize::MAX, |next| next.line);
        let own = parts[at].line..end;
        // What stands above all of them, such as the name of the test, is said to all.
        let shared = |line: usize, words: &str| line < parts[0].line && !line_could_be_row(words);
        let lines = text.lines().map(|(line, words)| {
            if own.contains(&line) || shared(line, words) {
                Cow::Owned(words.to_owned())
            } else {
                Cow::Borrowed("")
            }
        });
        lines.collect()
    };
    Some(
        parts
            .iter()
            .enumerate()
            .map(|(at, part)| (part.name.clone(), of(at)))
            .collect(),
    )
}

fn is_heading(line: &str, sure: bool) -> bool {
    let bare = line.trim();
    let ends = bare.ends_with(':');
    let words = bare.split_whitespace().count();
    let named = bare.chars().any(char::is_alphabetic);
    if !named || words > WORDS || bare.ends_with('.') || bare.starts_with(['$', '|']) {
        return false;
    }
    // Columns have names too, and tools print headings of their own.
    let single = wide_cells(bare).len() == 1 || bare.starts_with('#');
    let own = ["Average", "Latency", "statistics", "fairness", "Options"];
    if !single || own.iter().any(|word| holds(bare, word)) {
        return false;
    }
    // A run of several is no side.
    let run = [
        "run",
        "pass",
        "iteration",
        "benchmark",
        "round",
        "attempt",
        "try",
    ];
    let mut parts = bare.split(|c: char| !c.is_alphabetic());
    if parts.any(|w| run.iter().any(|r| r.eq_ignore_ascii_case(w))) {
        return false;
    }
    if sure {
        names_side(bare) && (ends || !line_could_be_row(bare))
    } else {
        ends && !line.starts_with(' ')
    }
}
