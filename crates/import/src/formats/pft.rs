//! pft, the page fault test of the kernel's developers: times and faults a second by threads that touch memory at once.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::holds;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "pft",
    what: "pft (Gb Rep Threads User System Wall flt/cpu/s fault/wsec)",
    repeats: "runs of pft",
    silent: "the machine, its memory, or the kind of pages",
    roles: &[
        ("pft.user", "", Roles::All(Role::UserTime)),
        ("pft.", "", Roles::All(Role::Fault)),
    ],
    looks,
    part: Some(|line| header(line).is_some()),
    known: &[],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| header(line).is_some()) * 10
}

/// The figures behind the keys of a row, with their units; all rows have them in this order.
const FIGURES: [(&str, &str, &str, Better); 5] = [
    ("User", "user", "s", Lower),
    ("System", "system", "s", Lower),
    ("Wall", "wall", "s", Lower),
    ("flt/cpu/s", "flt_cpu", "flt/cpu/s", Higher),
    ("fault/wsec", "faults", "fault/wsec", Higher),
];

/// `Gb Rep Threads   User  System  Wall flt/cpu/s fault/wsec`: the names of what rows are told apart by.
fn header(line: &str) -> Option<Vec<&str>> {
    let own = FIGURES.iter().all(|(name, ..)| holds(line, name));
    let words = line.split_whitespace();
    let keys: Vec<&str> = words.take_while(|word| *word != FIGURES[0].0).collect();
    (own && !keys.is_empty()).then_some(keys)
}

/// The figures of a row, whose last times may have grown into what follows: `2.093s268077.996`.
fn figures(line: &str) -> Option<Vec<f64>> {
    let parted = line.replace('s', " ");
    parted.split_whitespace().map(plain).collect()
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut keys: Vec<&str> = Vec::new();
    for (number, line) in text.lines() {
        if let Some(found) = header(line) {
            sheet.aside(number);
            sheet.apart();
            keys = found;
            continue;
        }
        let row = figures(line).filter(|all| all.len() == keys.len() + FIGURES.len());
        let Some((of_keys, figures)) = row.as_ref().map(|all| all.split_at(keys.len())) else {
            continue;
        };
        for ((title, id, unit, better), value) in FIGURES.iter().zip(figures) {
            let mut row = Row::new("pft", id, unit, *better);
            let mut named: Vec<String> = Vec::new();
            // How often each was repeated tells no rows apart.
            let apart = keys.iter().zip(of_keys).filter(|(key, _)| **key != "Rep");
            for (key, of) in apart {
                row = row.with(&key.to_lowercase(), &of.to_string());
                named.push(format!("{key} {of}"));
            }
            row = row.titled(&format!("{title}, {}", named.join(", ")));
            sheet.add("", row, *value, number)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_that_grew_together() {
        assert_eq!(
            figures(" 4   3    1    0.183s      2.750s   2.093s268077.996 267952.890"),
            Some(vec![
                4.0,
                3.0,
                1.0,
                0.183,
                2.75,
                2.093,
                268_077.996,
                267_952.89
            ])
        );
        assert_eq!(figures("Gb Rep Threads"), None);
        let keys = header("  Mb Rep Thr CLine  User      System   Wall  flt/cpu/s fault/wsec");
        assert_eq!(keys, Some(vec!["Mb", "Rep", "Thr", "CLine"]));
    }
}
