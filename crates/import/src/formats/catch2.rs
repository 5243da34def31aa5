//! Benchmarks of Catch2, a harness for C++: three lines each, of which the second has the mean.

use whyslow_model::Better::Lower;

use crate::number::grouped;
use crate::pattern::holds;
use crate::posted::ROLES;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "catch2",
    what: "Catch2 (benchmark name  samples  iterations  estimated, and mean, low mean, high mean below)",
    repeats: "runs of one benchmark",
    silent: "the machine, the compiler, or the spread beyond that of the samples",
    roles: ROLES,
    looks,
    part: Some(|line| begins(line).is_some()),
    known: &[
        "benchmark name",
        "low mean",
        "low std dev",
        "benchmarks",
        "Catch",
        "tests passed",
        "test cases:",
        "assertions:",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    let header = text.lines().any(|(_, line)| is_header(line));
    match header {
        true => marks(text, |line| begins(line).is_some()) * 4,
        false => 0,
    }
}

fn is_header(line: &str) -> bool {
    holds(line, "benchmark name") && holds(line, "samples") && holds(line, "iterations")
}

/// The times that a line begins with, `18.6112 ms    17.8946 ms`, each with its unit; nothing where anything else stands.
fn times(line: &str) -> Option<Vec<(f64, &str)>> {
    const UNITS: [&str; 6] = ["ns", "us", "µs", "μs", "ms", "s"];
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut found = Vec::with_capacity(words.len() / 2);
    for pair in words.chunks(2) {
        match pair {
            [digits, unit] if UNITS.contains(unit) => found.push((grouped(digits)?, *unit)),
            _ => return None,
        }
    }
    (!found.is_empty()).then_some(found)
}

/// The first line of one: what of its name stands on it, which is nothing where it was too long for it.
fn begins(line: &str) -> Option<&str> {
    let mut words = line.trim_end().rsplitn(5, char::is_whitespace);
    let (unit, estimated) = (words.next()?, words.next()?);
    times(&format!("{estimated} {unit}"))?;
    let front = line.trim_end().strip_suffix(unit)?.trim_end();
    let front = front.strip_suffix(estimated)?.trim_end();
    let (front, iterations) = front.rsplit_once(char::is_whitespace)?;
    let (name, samples) = front
        .trim_end()
        .rsplit_once(char::is_whitespace)
        .unwrap_or(("", front.trim_end()));
    let counts = [samples, iterations].map(|text| grouped(text).is_some_and(|n| n.fract() == 0.0));
    (counts == [true; 2]).then_some(name.trim())
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    // A name that is too long for its column goes on from lines above.
    let mut above = String::new();
    let mut open: Option<String> = None;
    for (number, line) in text.lines() {
        if let Some(name) = begins(line) {
            let name = format!("{above} {name}").trim().to_owned();
            sheet.aside(number);
            above.clear();
            open = (!name.is_empty()).then_some(name);
        } else if let Some(found) = times(line) {
            // The next line of three is the deviation.
            if let (Some(name), [(mean, unit), _, _]) = (open.take(), &found[..]) {
                let row = Row::new("columns", &format!("{name} mean"), unit, Lower);
                sheet.add("", row, *mean, number)?;
            } else {
                sheet.aside(number);
            }
        } else if line.trim().is_empty() || is_drawn(line) {
            above.clear();
        } else if line.chars().any(char::is_alphabetic) {
            above = format!("{above} {}", line.trim());
        }
    }
    Ok(())
}

/// Does a line only draw a rule, or name columns?
fn is_drawn(line: &str) -> bool {
    !line.chars().any(char::is_alphanumeric) || READER.known.iter().any(|known| holds(line, known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_line_has_counts_and_an_estimate() {
        for (line, name) in [
            (
                "global allocator       100        1     2.17617 s",
                Some("global allocator"),
            ),
            ("Fib 20    100   1,416     7.08 ms ", Some("Fib 20")),
            ("            100       1     2.1 s", Some("")),
            ("      18.6112 ms    17.8946 ms    19.1444 ms", None),
            ("global allocator  2.1 s", None),
        ] {
            assert_eq!(begins(line), name, "{line}");
        }
    }
}
