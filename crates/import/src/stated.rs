//! What an input says of the machines that it has figures of.

use std::collections::BTreeMap;

/// Longest value, bytes: more is a sentence and no fact.
const LONGEST: usize = 200;

/// Different values of one fact that are kept: more are no longer read.
const MOST_VALUES: usize = 4;

/// Facts of one input: more are none of a machine.
const MOST: usize = 1000;

/// Facts by system and name, each with its values in the order in which they were said.
#[derive(Debug, Default, Clone)]
pub(crate) struct Stated(BTreeMap<(String, String), Vec<String>>);

impl Stated {
    /// Takes in a fact of `system`, or of all where it is empty.
    pub(crate) fn add(&mut self, system: &str, name: &str, value: &str) {
        let value = one_space(value);
        if value.is_empty() || value.len().max(system.len()) > LONGEST || self.0.len() >= MOST {
            return;
        }
        let values = self
            .0
            .entry((one_space(system), name.to_owned()))
            .or_default();
        if values.len() < MOST_VALUES && !values.contains(&value) {
            values.push(value);
        }
    }

    /// The facts of `system`: its own, and those of all that it has none of.
    pub(crate) fn of(&self, system: &str) -> BTreeMap<String, String> {
        let mut facts = BTreeMap::new();
        for whose in ["", system] {
            let own = self.0.iter().filter(|((of, _), _)| of == whose);
            facts.extend(own.map(|((_, name), values)| (name.clone(), values.join(" and "))));
        }
        facts
    }
}

fn one_space(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_facts_go_before_those_of_all() {
        let mut stated = Stated::default();
        for (system, name, value) in [
            ("", "cpu", " A  9 "),
            ("", "cores", "4"),
            ("old", "cores", "2"),
            ("old", "copies", "1"),
            ("old", "copies", "2"),
            ("old", "copies", "1"),
            ("old", "kernel", ""),
        ] {
            stated.add(system, name, value);
        }
        let of = |system: &str| format!("{:?}", stated.of(system));
        assert_eq!(of("new"), r#"{"cores": "4", "cpu": "A 9"}"#);
        assert_eq!(
            of("old"),
            r#"{"copies": "1 and 2", "cores": "2", "cpu": "A 9"}"#
        );
    }
}
