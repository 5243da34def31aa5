//! Lines in which tools say their figures in words: `100000 requests in 2.5 s; 40000.5 requests/sec`.

use whyslow_model::Better;
use whyslow_model::role::{Role, Roles};

use crate::amount::{Cell, cell};
use crate::direction::{of_unit, of_words};
use crate::number::grouped;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "spoken",
    what: "figures in sentences (1000 requests in 2.5 s; 400 requests/sec)",
    repeats: "lines of the same words",
    silent: "machine, or what was run",
    roles: &[
        ("spoken.time", "", Roles::All(Role::RealTime)),
        ("spoken.elapsed", "", Roles::All(Role::RealTime)),
        ("spoken.", "", Roles::All(Role::Application)),
    ],
    looks,
    part: Some(is_line),
    known: &[],
    read,
};

/// A figure of a line.
#[derive(Debug, PartialEq)]
struct Figure {
    name: String,
    value: f64,
    unit: String,
    better: Better,
}

fn looks(text: &Text) -> usize {
    marks(text, is_line)
}

/// A line whose first word is a number, with a time behind `in` or a rate behind the first clause.
fn is_line(line: &str) -> bool {
    let line = line.trim();
    if paired(line).is_some() {
        return true;
    }
    let begins = line.starts_with(|c: char| c.is_ascii_digit());
    begins && !line.contains('|') && figures(line).len() > 1
}

/// The clauses of a line.
fn clauses(line: &str) -> impl Iterator<Item = &str> {
    let parts = line.split([';', '(', ')']);
    parts
        .flat_map(|part| part.split(". "))
        .flat_map(|part| part.split(", "))
        .map(|clause| clause.trim().trim_end_matches('.'))
        .filter(|clause| !clause.is_empty())
}

/// `Random Read/Write IOPS: 332k/224k. BW: 2690MiB/s / 1770MiB/s`: labels with as many figures as a word of one of them names
/// with strokes between.
fn paired(line: &str) -> Option<Vec<Figure>> {
    let mut names: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    let mut clauses = 0;
    for clause in line.split(". ").flat_map(|part| part.split("; ")) {
        let (label, rest) = clause.trim().trim_end_matches('.').split_once(": ")?;
        let parts: Vec<&str> = match rest.contains(" / ") {
            true => rest.split(" / ").collect(),
            // The stroke of a unit, `12MiB/s`, has no figure behind it.
            false => rest.split('/').collect(),
        };
        let own: Vec<&str> = label
            .split_whitespace()
            .map(|word| word.split('/').collect::<Vec<_>>())
            .find(|parts| parts.len() > 1)
            .unwrap_or_default();
        if !own.is_empty() {
            names = own;
        }
        if label.contains(": ") || names.len() != parts.len() {
            return None;
        }
        for (name, part) in names.iter().zip(&parts) {
            let Cell::Amount(value, unit) = cell(part.trim()) else {
                return None;
            };
            let better = of_unit(unit).or_else(|| of_words(label))?;
            found.push(figure(&format!("{label}, {name}"), value, unit, better));
        }
        clauses += 1;
    }
    // One such label may be a line of any tool, `execution time (avg/stddev): 137.3/0.5`.
    (clauses > 1).then_some(found)
}

/// The figures of a line, each named by what is in front of it, or by its unit.
fn figures(line: &str) -> Vec<Figure> {
    if let Some(found) = paired(line) {
        return found;
    }
    let mut found: Vec<Figure> = Vec::new();
    for clause in clauses(line) {
        let figure = keyed(clause)
            .or_else(|| timed(clause))
            .or_else(|| rate(clause));
        if let Some(figure) = figure.filter(|f| found.iter().all(|other| other.name != f.name)) {
            found.push(figure);
        }
    }
    found
}

/// `Elapsed: 4.015 sec`, `throughput: 55.1 MB/s`
fn keyed(clause: &str) -> Option<Figure> {
    let (name, rest) = clause.split_once(": ")?;
    let (value, unit) = amount(rest)?;
    let better = of_unit(unit).or_else(|| of_words(name))?;
    let named = name.split_whitespace().count() <= 4 && name.starts_with(char::is_alphabetic);
    named.then(|| figure(name, value, unit, better))
}

/// `200000 accesses in 6.42s`
fn timed(clause: &str) -> Option<Figure> {
    let (front, rest) = clause.split_once(" in ")?;
    let (value, unit) = amount(rest)?;
    let counted = front.starts_with(|c: char| c.is_ascii_digit());
    let time = of_unit(unit) == Some(Better::Lower);
    (counted && time).then(|| figure("time", value, unit, Better::Lower))
}

/// `91195262.0 accesses/sec`, `2.49 million rows/s`
fn rate(clause: &str) -> Option<Figure> {
    let mut words = clause.split_whitespace();
    let value = grouped(words.next()?)?;
    let rest: Vec<&str> = words.collect();
    let unit = rest.join(" ");
    let per = unit.contains('/') || unit.contains(" per ");
    let is = rest.len() <= 3 && per && of_unit(&unit) == Some(Better::Higher);
    is.then(|| figure(&unit, value, &unit, Better::Higher))
}

fn figure(name: &str, value: f64, unit: &str, better: Better) -> Figure {
    Figure {
        name: name.to_owned(),
        value,
        unit: unit.to_owned(),
        better,
    }
}

/// A number and its unit at the start of `text`, and nothing behind them.
fn amount(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || ".,".contains(c)));
    let (digits, unit) = text.split_at(end.unwrap_or(text.len()));
    let unit = unit.trim();
    let plain = unit.split_whitespace().count() <= 1 && !unit.is_empty();
    Some((grouped(digits)?, unit)).filter(|_| plain)
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    for (number, line) in text.lines() {
        if is_line(line) {
            for figure in figures(line.trim()) {
                let row = Row::new("spoken", &figure.name, &figure.unit, figure.better);
                sheet.add("", row, figure.value, number)?;
            }
        } else if let Some(figure) = keyed(line.trim().trim_end_matches('.')) {
            let row = Row::new("spoken", &figure.name, &figure.unit, figure.better);
            sheet.add("", row, figure.value, number)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_have_figures() {
        let shown = |line: &str| -> Vec<String> {
            let all = figures(line).into_iter();
            all.map(|f| format!("{} {} {} {:?}", f.name, f.value, f.unit, f.better))
                .collect()
        };
        for (line, wanted) in [
            (
                "200000 in 2.5s; 91195.5 accesses/sec",
                vec![
                    "time 2.5 s Lower",
                    "accesses/sec 91195.5 accesses/sec Higher",
                ],
            ),
            (
                "1 row in set. Elapsed: 4.015 sec. Processed 10.00 million rows, 26 MB (2.5 million rows/s., 66.5 MB/s.)",
                vec![
                    "Elapsed 4.015 sec Lower",
                    "million rows/s 2.5 million rows/s Higher",
                    "MB/s 66.5 MB/s Higher",
                ],
            ),
            (
                "1000 requests in 2.25 seconds, 444.5 requests per second",
                vec![
                    "time 2.25 seconds Lower",
                    "requests per second 444.5 requests per second Higher",
                ],
            ),
        ] {
            assert_eq!(shown(line), wanted);
            assert!(is_line(line));
        }
        assert_eq!(
            shown("Random Read/Write IOPS: 332k/224k. BW: 2690MiB/s / 1770MiB/s"),
            [
                "Random Read/Write IOPS, Read 332000  Higher",
                "Random Read/Write IOPS, Write 224000  Higher",
                "BW, Read 2690 MiB/s Higher",
                "BW, Write 1770 MiB/s Higher",
            ]
        );
        for other in [
            "Read/Write: see 12/24",
            "16 threads in 2 groups were seen",
            "1.5 MB/s",
            "Pipe: 4.5 us",
            "2 of 4 machines, each in 2019, were idle",
            "| 1000 in 2.5s; 91195.5 x/sec |",
        ] {
            assert!(!is_line(other), "{other}");
        }
    }
}
