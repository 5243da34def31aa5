//! Pages that hold two sides or more in any tool's layout: a diff, two figures a row, rows beside each other, rows with
//! the side's name in front, headings that name the side. Each side becomes a text of its own, with the same line
//! numbers, which its format then reads as if it had been alone.

mod beside;
mod headings;
mod prefixes;

use std::borrow::Cow;

use crate::ledger::line_could_be_row;
use crate::number::grouped;
use crate::{Fault, Text};

/// More sides are no comparison.
pub(crate) const MOST: usize = 12;

/// Larger inputs are not pages that somebody put together by hand, lines.
const MOST_LINES: usize = 20_000;

/// One side of a page.
pub(crate) struct Side {
    /// What the page calls it.
    pub(crate) name: String,
    pub(crate) text: Text<'static>,
}

/// The lines of each side, empty where a line is not of it.
type Lines<'a> = Vec<(String, Vec<Cow<'a, str>>)>;

/// The sides of a page in every way in which it can be seen as one of several, the surest first.
pub(crate) fn sides(text: &Text) -> Result<Vec<Vec<Side>>, Fault> {
    if text.count() > MOST_LINES {
        return Ok(Vec::new());
    }
    let ways = [
        diff(text),
        pairs(text),
        beside::lines(text),
        prefixes::lines(text),
        headings::lines(text, true),
        headings::lines(text, false),
    ];
    let made = ways.into_iter().flatten().map(|way| {
        let sides = way.into_iter().map(|(name, lines)| {
            let text = Text::of_lines(&lines)?;
            Ok(Side { name, text })
        });
        sides.collect()
    });
    made.collect()
}

/// Lines of a diff: `< ` of the first file, `> ` of the second.
fn diff(text: &Text) -> Option<Lines<'static>> {
    let of = |mark: &str| -> Vec<Cow<'static, str>> {
        let lines = (1..=text.count()).map(|number| {
            let line = text.quoted(number);
            let own = line.strip_prefix(mark);
            own.or_else(|| line.strip_prefix(' ')?.strip_prefix(mark))
                .map_or(Cow::Borrowed(""), |rest| Cow::Owned(rest.to_owned()))
        });
        lines.collect()
    };
    let (old, new) = (of("< "), of("> "));
    let rows = |lines: &[Cow<str>]| lines.iter().filter(|l| line_could_be_row(l)).count();
    (rows(&old) >= 2 && rows(&new) >= 2)
        .then(|| vec![("lines with <".into(), old), ("lines with >".into(), new)])
}

/// Rows with two figures and a stroke between them: `Simple read: 1.2071 / 0.7270 microseconds`.
fn pairs(text: &Text) -> Option<Lines<'static>> {
    let rows = text.lines().filter(|(_, line)| line_could_be_row(line));
    let paired = text.lines().filter(|(_, line)| pair(line).is_some());
    let paired = paired.count();
    // All rows but a few, and several: a stroke may stand for many things.
    if paired < 3 || paired * 10 < rows.count() * 8 {
        return None;
    }
    let of = |second: bool| {
        let lines = text.lines().map(|(_, line)| {
            Cow::Owned(match pair(line) {
                Some((front, a, b, rest)) => format!("{front}{}{rest}", if second { b } else { a }),
                None => line.to_owned(),
            })
        });
        lines.collect()
    };
    Some(vec![
        ("first of each pair".into(), of(false)),
        ("second of each pair".into(), of(true)),
    ])
}

/// A line in parts: what stands in front of two figures, the figures, what stands behind.
fn pair(line: &str) -> Option<(&str, &str, &str, &str)> {
    let (left, right) = line.split_once(" / ")?;
    if right.contains(" / ") {
        return None;
    }
    let left = left.trim_end();
    let start = left.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let right = right.trim_start();
    let end = right.find(char::is_whitespace).unwrap_or(right.len());
    let (a, b) = (&left[start..], &right[..end]);
    (grouped(a).is_some() && grouped(b).is_some() && start > 0).then_some((
        &left[..start],
        a,
        b,
        &right[end..],
    ))
}

/// Words that tell one side of a comparison from the other.
const SIDE_WORDS: &[&str] = &[
    "before",
    "after",
    "with",
    "without",
    "w",
    "wo",
    "patched",
    "unpatched",
    "vanilla",
    "base",
    "old",
    "new",
    "mainline",
    "stock",
    "original",
    "patch",
    "disabled",
    "enabled",
    "off",
    "on",
    "host",
    "guest",
    "native",
    "default",
    "unmodified",
    "modified",
];

/// Does the text name a side?
pub(crate) fn names_side(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|word| {
        SIDE_WORDS
            .iter()
            .any(|side| side.eq_ignore_ascii_case(word))
    })
}

/// The name of a row: its words up to the first figure, in lower case.
pub(crate) fn label_of(line: &str) -> String {
    let words = line.split_whitespace().take_while(|word| {
        let word = word.trim_matches(['(', ')', '*', '|', ',', '~', '=']);
        !word.starts_with(|c: char| c.is_ascii_digit())
    });
    let plain = |word: &str| -> String { word.chars().filter(|c| c.is_alphanumeric()).collect() };
    let words: Vec<String> = words
        .map(|w| plain(w).to_lowercase())
        .filter(|w| !w.is_empty())
        .collect();
    words.join(" ")
}

/// A heading without what draws it.
pub(crate) fn plain_name(heading: &str) -> String {
    let name = heading.trim();
    let name = name.trim_start_matches(['#', '=', '*', '-', '+', '~', '[', ' ']);
    // `1) before this patch`
    let name = match name.split_once(['.', ')']) {
        Some((count, rest))
            if !count.is_empty()
                && count.len() < 3
                && count.bytes().all(|b| b.is_ascii_digit())
                && rest.starts_with(' ') =>
        {
            rest
        }
        _ => name,
    };
    name.trim_matches([':', '=', '*', '-', '~', ' ', ']'])
        .to_owned()
}
