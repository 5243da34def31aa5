//! Two texts of one layout that no format knows: lines of the same words hold the same figures.

use std::collections::{BTreeMap, BTreeSet};

use super::{Found, Text, amount, are_near, heading};
use crate::amount::{Cell, cell};
use crate::commands::typed;
use crate::direction::of_unit;
use crate::number::grouped;

/// More figures in a line are a log's.
const MOST: usize = 8;

/// A comment is of so many lines below it at most.
const NEAR: usize = 12;

/// The figures that two texts have in common.
pub(super) fn find<'a>(texts: [&'a Text<'_>; 2]) -> Vec<Found<'a>> {
    let [a, b] = texts.map(figures);
    let known: BTreeSet<&String> = a.keys().filter(|key| b.contains_key(*key)).collect();
    let mut found: Vec<Found> = Vec::new();
    for (side, own) in [&a, &b].into_iter().enumerate() {
        for (key, figures) in own.iter().filter(|(key, _)| known.contains(key)) {
            // As many on both sides are repetitions; otherwise it is not known which stands for which.
            let repeated = a[key].len() == b[key].len();
            let count = if repeated { figures.len() } else { 1 };
            // What differs more than runs do is something else in each line.
            let runs = [&a[key], &b[key]].iter().all(|own| are_runs(own));
            for (place, figure) in figures.iter().take(count).enumerate() {
                found.push(Found {
                    side,
                    title: match runs || count == 1 {
                        true => key.clone(),
                        false => format!("{key}, line {}", place + 1),
                    },
                    near: vec![figure.words, figure.above],
                    value: figure.value,
                    unit: figure.unit,
                    line: figure.line,
                });
            }
        }
    }
    found
}

struct Figure<'a> {
    value: f64,
    unit: &'a str,
    words: &'a str,
    above: &'a str,
    line: usize,
}

/// The figures of a text by the words of their lines, numbers aside; where these words come again, with the heading.
fn figures<'a>(text: &'a Text<'_>) -> BTreeMap<String, Vec<Figure<'a>>> {
    let mut found: BTreeMap<String, Vec<Figure>> = BTreeMap::new();
    // What stands above the first line of some words stands above their repetitions right below.
    let mut last: (String, &str) = (String::new(), "");
    let mut comment = (0, "");
    for (number, line) in text.lines() {
        let words: Vec<&str> = line
            .split([' ', '\t', '|', ';'])
            .flat_map(parted)
            .filter(|word| !counts(word))
            .map(|word| word.trim_matches(['(', ')', '[', ']', '"', '*', '`']))
            .filter(|word| !word.is_empty())
            .collect();
        // A comment is of the lines below it.
        if line.trim_start().starts_with("# ") {
            comment = (number, line.trim_start().trim_start_matches(['#', ' ']));
            continue;
        }
        let count = words.iter().filter(|word| figure(word).is_some()).count();
        let sign = |c: char| !c.is_alphanumeric();
        let named = words
            .iter()
            .any(|w| w.trim_start_matches(sign).starts_with(char::is_alphabetic));
        // Numbers of a command are what it was told.
        let command = line.trim_start().starts_with("$ ") || typed(line).is_some();
        if count == 0 || count > MOST || !named || command {
            continue;
        }
        let label: Vec<&str> = words
            .iter()
            .copied()
            .filter(|w| figure(w).is_none() && cell(w) != Cell::Change)
            .collect();
        let label = label.join(" ");
        let above = match last.0 == label {
            true => last.1,
            false if comment.0 > 0 && comment.0 + NEAR > number => comment.1,
            false => heading(text, number),
        };
        last = (label.clone(), above);
        let mut place = 0;
        for (at, word) in words.iter().enumerate() {
            let Some((value, own)) = figure(word) else {
                continue;
            };
            place += 1;
            let next = words
                .get(at + 1)
                .copied()
                .filter(|next| of_unit(next).is_some());
            let unit = if own.is_empty() {
                next.unwrap_or_default()
            } else {
                own
            };
            let mut title = label.trim_matches([':', '=', ' ']).to_owned();
            if count > 1 {
                title = format!("{title}, figure {place}");
            }
            // Below another heading it is something else, below the same one a repetition.
            if found.get(&title).is_some_and(|f| f[0].above != above) {
                title = format!("{above} {title}");
            }
            found.entry(title).or_default().push(Figure {
                value,
                unit,
                words: line,
                above,
                line: number,
            });
        }
    }
    found
}

/// Are the figures so near to each other that one thing may have been measured again and again?
fn are_runs(figures: &[Figure<'_>]) -> bool {
    let values: Vec<f64> = figures.iter().map(|figure| figure.value).collect();
    are_near(&values)
}

/// The figure of a word, whose decimals may stand behind a comma: `41,98`.
fn figure(word: &str) -> Option<(f64, &str)> {
    amount(word).or_else(|| decimal(word).map(|value| (value, "")))
}

/// `41,98`, where two digits or one behind the comma are no group.
fn decimal(word: &str) -> Option<f64> {
    let (whole, part) = word.split_once(',')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is = digits(whole) && digits(part) && part.len() < 3;
    is.then(|| format!("{whole}.{part}").parse().ok()).flatten()
}

/// A word in its parts between commas, where these part no groups of digits.
fn parted(word: &str) -> Vec<&str> {
    match grouped(word.trim_matches([',', '(', ')', '[', ']', '*'])) {
        Some(_) => vec![word.trim_matches(',')],
        None if decimal(word).is_some() => vec![word],
        None => word.split(',').collect(),
    }
}

/// Does the word count the line, `1)`?
fn counts(word: &str) -> bool {
    let digits = word.strip_suffix(')').unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}
