//! Rows with the name of their side in front: `Before: Throughput 260 MB/sec`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::{Lines, MOST, label_of, names_side};
use crate::Text;
use crate::ledger::line_could_be_row;

/// Most words of a side's name.
const WORDS: usize = 4;

/// The sides of such a page.
pub(super) fn lines(text: &Text) -> Option<Lines<'static>> {
    let mut labels: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for (_, line) in text.lines() {
        if let Some((name, rest)) = prefix(line) {
            if !order.contains(&name) {
                order.push(name);
            }
            labels.entry(name).or_default().insert(label_of(rest));
        }
    }
    let mut kinds = labels.values();
    let first = kinds.next()?;
    if !(2..=MOST).contains(&order.len()) || !kinds.all(|other| other == first) {
        return None;
    }
    let of = |name: &str| {
        let lines = text.lines().map(|(_, line)| match prefix(line) {
            Some((own, rest)) if own == name => Cow::Owned(rest.to_owned()),
            None if !line_could_be_row(line) => Cow::Owned(line.to_owned()),
            _ => Cow::Borrowed(""),
        });
        lines.collect()
    };
    Some(
        order
            .into_iter()
            .map(|name| (name.to_owned(), of(name)))
            .collect(),
    )
}

/// Has what stands behind a name several labels of its own, `IOPS: 332k/224k. BW: 12 MB/s`? Then the name is of the line.
fn is_labelled(rest: &str) -> bool {
    let label = |clause: &str| {
        let label = clause.split_once(": ");
        label.is_some_and(|(_, figure)| figure.starts_with(|c: char| c.is_ascii_digit()))
    };
    let mut clauses = rest.split(". ").flat_map(|part| part.split("; "));
    let several = clauses.clone().count() > 1;
    several && clauses.all(label)
}

/// The side in front of a row, and the row.
fn prefix(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let setting = line.find(char::is_whitespace).map(|at| line.split_at(at));
    let setting = setting.filter(|(word, _)| {
        let pair = word.split_once('=');
        pair.is_some_and(|(name, value)| {
            !name.is_empty() && value.starts_with(char::is_alphanumeric)
        })
    });
    let (name, rest) = match setting {
        Some(parts) => parts,
        None => line
            .split_once(": ")
            .filter(|(name, rest)| names_side(name) || is_labelled(rest))
            .filter(|(name, _)| name.split_whitespace().count() <= WORDS)?,
    };
    let rest = rest.trim();
    let label = rest.starts_with(|c: char| c.is_alphabetic());
    let row = label && rest.bytes().any(|b| b.is_ascii_digit()) && !label_of(rest).is_empty();
    row.then_some((name.trim_end_matches(':'), rest))
}
