//! Headers that fit rows which are not quite as wide, or of which a column says what the rest was measured at.

use std::collections::{BTreeMap, BTreeSet};

use super::names::Kind;
use super::{Group, Header, PostedRow};
use crate::amount::SPREAD_SIGNS;
use crate::direction::of_unit;

impl Header {
    /// The header with the first column that tells rows of one label apart as what they were measured at: `gcc | 1`, `gcc | 2`
    /// below `Build | Level | Before | After`. Its figures are whole, and the same for each label.
    pub(crate) fn with_key(&self, rows: &[(usize, PostedRow)]) -> Option<Header> {
        let whole =
            |text: &str| text.trim().bytes().all(|b| b.is_ascii_digit()) && !text.trim().is_empty();
        let mut sets: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let (at, name) = self
            .columns
            .iter()
            .enumerate()
            .find_map(|(at, kind)| match kind {
                Kind::Values(name) => Some((at, name)),
                _ => None,
            })?;
        for (_, row) in rows {
            let cell = row.cells.get(at).filter(|text| whole(text))?;
            if row.cells.len() != self.columns.len() {
                return None;
            }
            sets.entry(row.label.as_str())
                .or_default()
                .push(cell.trim());
        }
        let mut all = sets.values();
        let first = all.next()?;
        let distinct: BTreeSet<&&str> = first.iter().collect();
        let alike = distinct.len() == first.len() && first.len() > 1 && all.all(|set| set == first);
        let labelled = sets
            .keys()
            .all(|label| label.chars().any(char::is_alphabetic));
        let more = self.names().count() > 2;
        if !alike || sets.len() < 2 || !labelled || !more || self.unlabelled {
            return None;
        }
        let mut keyed = self.clone();
        keyed.columns[at] = Kind::Key(name.clone());
        Some(keyed)
    }

    /// The header for a row with one cell less: its unit was in a column of its own, or its spread stands in the cell of the
    /// figure, `4.096 ± 0.012`.
    pub(crate) fn narrower(&self, row: &PostedRow) -> Option<Header> {
        if self.columns.len() != row.cells.len() + 1 {
            return None;
        }
        let mut narrower = self.clone();
        let spread = |at: usize| {
            let text = row.cells.get(at.checked_sub(1)?)?;
            SPREAD_SIGNS
                .iter()
                .any(|sign| text.contains(sign))
                .then_some(at)
        };
        let derived = |at: &usize| self.columns[*at] == Kind::Derived;
        let mut of_spread = (0..self.columns.len()).filter(derived).filter_map(spread);
        match of_spread.next() {
            Some(at) => {
                narrower.columns.remove(at);
                // The unit behind all of them has a column as well.
                if row.unit.is_some() && narrower.columns.last() == Some(&Kind::Unit) {
                    narrower.columns.pop();
                }
            }
            None if row.unit.is_some() => {
                narrower.columns.pop();
            }
            None => return None,
        }
        (narrower.columns.len() == row.cells.len()).then_some(narrower)
    }
}

/// A header in single spaces over rows whose labels have as many words each as names are left for them.
pub(super) fn of_words_each(cells: &[&str], width: usize, group: &Group) -> Option<Vec<String>> {
    let [one] = cells else { return None };
    let words: Vec<&str> = one
        .trim_start_matches(['#', ' '])
        .split_whitespace()
        .collect();
    let mut counts = group
        .rows
        .iter()
        .map(|(_, row)| row.label.split_whitespace().count());
    let count = counts.next()?;
    let same = count > 1 && group.rows.len() > 1 && counts.all(|other| other == count);
    let units = words.iter().any(|word| of_unit(word).is_some());
    if !same || units || width < 2 || words.len() != width + count {
        return None;
    }
    let label = words[..count].join(" ");
    let names = words[count..].iter().map(|word| (*word).to_owned());
    Some(std::iter::once(label).chain(names).collect())
}
