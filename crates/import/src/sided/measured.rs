//! Lines that begin with the name of a side, each with several figures of which the units say what they are:
//! `before: 35 Gbps, 3.5 Mpps, 780% CPU`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{Found, Names, Text, amount, heading};
use crate::direction::of_unit;
use crate::harmony::factor;
use crate::number::grouped;

/// More words are a sentence.
const WORDS: usize = 6;

/// A figure and its unit.
type Figure<'a> = (f64, &'a str);

/// A line of a side.
struct Line<'a> {
    number: usize,
    side: usize,
    /// What its label has beside the name.
    rest: String,
    figures: Vec<Figure<'a>>,
}

/// The figures of such lines.
pub(super) fn find<'a>(text: &'a Text<'_>, names: &Names) -> Vec<Found<'a>> {
    let lines: Vec<Line> = text
        .lines()
        .filter_map(|(number, line)| of_line(number, line, names))
        .collect();
    let rests = |side: usize| -> BTreeSet<&str> {
        let own = lines.iter().filter(|line| line.side == side);
        own.map(|line| line.rest.as_str()).collect()
    };
    // Words that the lines of one side alone have say nothing of what was measured.
    let named = rests(0) == rests(1);
    let title = |line: &Line| -> String {
        let above = heading(text, line.number);
        let rest = if named { line.rest.as_str() } else { "" };
        format!("{above} {rest}").trim().to_owned()
    };
    let mut found = Vec::new();
    for a in lines.iter().filter(|line| line.side == 0) {
        let front = title(a);
        let mut others = lines.iter().filter(|b| b.side == 1 && title(b) == front);
        let (Some(b), None) = (others.next(), others.next()) else {
            continue;
        };
        let own = lines.iter().filter(|line| line.side == 0);
        if own.filter(|line| title(line) == front).count() > 1 {
            continue;
        }
        for (value, unit) in &a.figures {
            let mut same = b.figures.iter().filter(|(_, other)| is_alike(unit, other));
            let (Some(other), None) = (same.next(), same.next()) else {
                continue;
            };
            for (line, (value, own)) in [(a, (*value, *unit)), (b, *other)] {
                found.push(Found {
                    own: Cow::Borrowed(own),
                    side: line.side,
                    title: format!("{front} {unit}").trim().to_owned(),
                    near: vec![heading(text, line.number)],
                    value,
                    unit: own,
                    line: line.number,
                });
            }
        }
    }
    found
}

/// Are the two units of one kind, or the same share?
fn is_alike(unit: &str, other: &str) -> bool {
    unit == other || factor(other, unit).is_some()
}

/// The side of a line and its figures.
fn of_line<'a>(number: usize, line: &'a str, names: &Names) -> Option<Line<'a>> {
    if line.contains('|') {
        return None;
    }
    let (label, behind) = line.split_once([':', '=']).or_else(|| {
        let digit = line.find(|c: char| c.is_ascii_digit())?;
        Some(line.split_at(digit))
    })?;
    let label = label.trim().trim_start_matches(['-', '*', '•', ' ']);
    if label.split_whitespace().count() > WORDS {
        return None;
    }
    let side = names.side(label)?;
    let figures = figures(behind)?;
    Some(Line {
        number,
        side,
        rest: names.rest(side, label),
        figures,
    })
}

/// Several figures, each with a unit behind it that no other has, and nothing else but remarks in brackets.
fn figures(text: &str) -> Option<Vec<Figure<'_>>> {
    let mut found: Vec<Figure> = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let digit = rest.starts_with(|c: char| c.is_ascii_digit());
        let end = rest.find(|c: char| !(c.is_ascii_digit() || ".,".contains(c)))?;
        let number = rest[..end].trim_end_matches(',');
        let value = grouped(number).filter(|_| digit)?;
        let behind = &rest[number.len()..];
        // The unit goes on to the next figure, or to what parts the two.
        let next = starts(behind).next().unwrap_or(behind.len());
        let own = behind[..next].trim().trim_end_matches([',', ';', '/', '&']);
        let own = own.split(" (").next().unwrap_or_default().trim();
        let own = own.strip_suffix(" and").unwrap_or(own).trim();
        if !is_unit(own) {
            return None;
        }
        found.push((value, own));
        rest = behind[next..].trim_start();
    }
    let distinct = found.iter().enumerate().all(|(at, (_, unit))| {
        let others = found.iter().skip(at + 1);
        others.clone().all(|(_, other)| !is_alike(unit, other))
    });
    (found.len() > 1 && distinct).then_some(found)
}

/// Where words begin with a digit, outside of brackets.
fn starts(text: &str) -> impl Iterator<Item = usize> {
    let mut depth = 0_usize;
    let mut gap = false;
    text.char_indices().filter_map(move |(at, c)| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let begins = gap && depth == 0 && c.is_ascii_digit();
        gap = c.is_whitespace() || matches!(c, ',' | ';' | '/');
        begins.then_some(at)
    })
}

/// Does it say what was measured: a unit that is known, or a share of something that has a name, `% CPU`?
fn is_unit(unit: &str) -> bool {
    let share = unit.strip_prefix('%').map(str::trim_start);
    let named =
        share.is_some_and(|name| name.starts_with(char::is_alphabetic) && !name.contains(' '));
    named || of_unit(unit).is_some() && amount(&format!("1 {unit}")).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_with_units() {
        let shown = |text: &str| {
            let found = figures(text).unwrap_or_default();
            let all = found.iter().map(|(value, unit)| format!("{value} {unit}"));
            all.collect::<Vec<_>>().join("; ")
        };
        assert_eq!(
            shown(" 35 Gbps, 3.5 Mpps, 7800% CPU"),
            "35 Gbps; 3.5 Mpps; 7800 % CPU"
        );
        assert_eq!(
            shown("213 cycles(tsc) 53.417 ns"),
            "213 cycles(tsc); 53.417 ns"
        );
        assert_eq!(shown("1,234.5 MB/s (+12 %) and 56us"), "1234.5 MB/s; 56 us");
        for text in [
            "12 of 15 tests, 3 failed",
            "12 ns",
            "12 ns 13 us",
            "12 ns 13",
            "about 12 ns, 13 MB/s",
            "12 ns -3 %",
        ] {
            assert_eq!(shown(text), "", "{text}");
        }
    }
}
