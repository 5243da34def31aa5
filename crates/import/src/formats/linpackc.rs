//! The LINPACK benchmark in C: the rate that it prints at its end.

use whyslow_model::Better::Higher;
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::holds;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "linpackc",
    what: "LINPACK in C (Rolled Double Precision 40655 Kflops ; 1000 Reps)",
    repeats: "runs of linpack",
    silent: "the machine, its clock, or the compiler",
    roles: &[("linpackc.", "", Roles::All(Role::Compute))],
    looks,
    part: Some(|line| row(line).is_some()),
    known: &[
        "times are reported",
        "times for array",
        "dgefa",
        "norm",
        "resid",
        "machep",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| row(line).is_some()) * 10
}

/// `Rolled Double  Precision 40655 Kflops ; 1000 Reps`: what it was compiled for, the rate and its unit.
fn row(line: &str) -> Option<(String, f64, &str)> {
    let (front, _) = line.split_once(';').filter(|_| holds(line, "Precision"))?;
    let words: Vec<&str> = front.split_whitespace().collect();
    let [kind @ .., "Precision", rate, unit @ ("Kflops" | "Mflops")] = &words[..] else {
        return None;
    };
    Some((kind.join(" "), plain(rate)?, unit))
}

/// A row of the parts that the rate follows from: `0.02  0.00  0.02  34333  0.06  0.36`.
fn is_part(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.len() == 6 && words.iter().all(|word| plain(word).is_some())
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    for (number, line) in text.lines() {
        if let Some((kind, rate, unit)) = row(line) {
            let row = Row::new("linpackc", &kind, unit, Higher);
            sheet.add("", row.titled(&format!("{kind} Precision")), rate, number)?;
        } else if is_part(line) {
            sheet.aside(number);
        }
    }
    Ok(())
}
