//! Lines of several named figures, `reads: 0.9K bandwidth: 3.9M`: what has one name behind different first names is told apart by
//! these.

use std::collections::{BTreeMap, BTreeSet};

use super::Group;

impl Group<'_> {
    /// Puts the first name of its line before each later name that other lines have behind another first one.
    pub(super) fn qualify(&mut self) {
        let mut firsts: BTreeMap<usize, String> = BTreeMap::new();
        let mut behind: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (line, row) in &self.rows {
            match firsts.get(line) {
                None => {
                    firsts.insert(*line, row.label.clone());
                }
                Some(first) if *first != row.label => {
                    // `get(8)` and `get(16)` differ in a setting.
                    let stem = first.chars().filter(|c| c.is_alphabetic()).collect();
                    let of = behind.entry(row.label.clone()).or_default();
                    of.insert(stem);
                }
                Some(_) => {}
            }
        }
        let several: BTreeSet<String> = behind
            .into_iter()
            .filter(|(_, of)| of.len() > 1)
            .map(|(label, _)| label)
            .collect();
        if several.is_empty() {
            return;
        }
        for (line, row) in &mut self.rows {
            let Some(first) = firsts.get(line) else {
                continue;
            };
            if several.contains(&row.label) && *first != row.label {
                row.label = format!("{first} {}", row.label);
            }
        }
    }
}
