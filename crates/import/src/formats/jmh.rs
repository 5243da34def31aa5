//! JMH, the harness of benchmarks for Java: its table of results.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::grouped;
use crate::pattern::in_brackets;
use crate::reader::marks;
use crate::slug::slug;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "jmh",
    what: "JMH (Benchmark, Mode, Cnt, Score, Error, Units)",
    repeats: "runs of the benchmark",
    silent: "the virtual machine for Java, its flags, or the machine",
    roles: &[
        ("jmh.", "gc", Roles::All(Role::Count)),
        ("jmh.", "", Roles::All(Role::Other)),
    ],
    looks,
    part: Some(|line| is_header(line) || row(line).is_some()),
    known: &["# ", "Iteration ", "Result ", "Run complete", "REMEMBER"],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, is_header) * 6 + marks(text, |line| row(line).is_some())
}

/// What may stand around a line: marks of Markdown, of comments and of the build.
fn words(line: &str) -> Vec<&str> {
    let line = line.trim().trim_start_matches(['*', '#', '/', '>']);
    let line = line.strip_prefix("[info]").unwrap_or(line.trim_start());
    line.split_whitespace()
        .filter(|word| *word != "|")
        .collect()
}

/// `Benchmark  (size)  Mode  Cnt  Score  Error  Units`
fn is_header(line: &str) -> bool {
    let words = words(line);
    let has = |name: &str| words.contains(&name);
    words.first() == Some(&"Benchmark") && has("Mode") && has("Score") && has("Units")
}

/// The parameters of a header, `(size)`.
fn parameters(line: &str) -> Vec<&str> {
    let words = words(line).into_iter();
    let named = words.filter_map(in_brackets);
    named.collect()
}

/// A row in parts.
struct Found<'a> {
    name: &'a str,
    parameters: Vec<&'a str>,
    mode: &'a str,
    score: &'a str,
    unit: &'a str,
}

/// `WorkStealing.scheduling  1000000  thrpt   20  11.439 ± 0.317  ops/min`
fn row(line: &str) -> Option<Found<'_>> {
    let words = words(line);
    let mode = words
        .iter()
        .position(|word| matches!(*word, "thrpt" | "avgt" | "sample" | "ss"))?;
    let (front, rest) = words.split_at(mode);
    let (name, parameters) = front.split_first()?;
    let rest = &rest[1..];
    let is_number = |word: &str| grouped(word).is_some() || word == "NaN";
    let numbers = rest
        .iter()
        .take_while(|word| is_number(word) || **word == "≈")
        .count();
    // How often it was measured stands in front of the score, where it is said.
    let score = rest.get(numbers.checked_sub(1)?)?;
    let unit = match rest.get(numbers) {
        Some(&"±") => {
            let behind = numbers + 1 + usize::from(rest.get(numbers + 1) == Some(&"("));
            rest.get(behind + 1)?
        }
        // `±0.317`
        Some(word) if word.starts_with('±') => rest.get(numbers + 1)?,
        Some(unit) => unit,
        None => return None,
    };
    // Benchmarks are methods of a class, mostly.
    let named = name.contains(|c: char| c.is_alphabetic()) && numbers <= 3;
    let rated = unit.contains('/') || matches!(*unit, "counts" | "---" | "ns" | "ms" | "s" | "#");
    (named && rated).then(|| Found {
        name,
        parameters: parameters.to_vec(),
        mode: words[mode],
        score,
        unit,
    })
}

/// Which direction is good: more operations in a time, or less time for one.
fn better(found: &Found<'_>) -> Better {
    let unit = found.unit;
    let per_time = ["/s", "/sec", "/ms", "/us", "/ns", "/min", "/hr", "/day"];
    let rate = per_time.iter().any(|end| unit.ends_with(end));
    // What the profilers count beside the score is a cost.
    let counted = found.name.contains(":·") || found.name.contains(":gc.");
    match rate && !counted {
        true => Higher,
        false => Lower,
    }
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut named: Vec<&str> = Vec::new();
    // One benchmark may be measured in several modes.
    let mut modes: Vec<&str> = text
        .lines()
        .filter_map(|(_, line)| row(line))
        .map(|found| found.mode)
        .collect();
    modes.sort_unstable();
    modes.dedup();
    for (number, line) in text.lines() {
        if is_header(line) {
            sheet.aside(number);
            named = parameters(line);
        } else if let Some(found) = row(line) {
            let read = add(&found, &named, modes.len() > 1, number, sheet);
            sheet.judge(read)?;
        }
    }
    Ok(())
}

fn add(
    found: &Found<'_>,
    named: &[&str],
    several_modes: bool,
    number: usize,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    let value = grouped(found.score).ok_or_else(|| {
        let score = crate::error::quote(found.score);
        Fault::at(number, format!("'{score}' is no score that was measured"))
    })?;
    let mut conditions: Vec<(String, &str)> = Vec::new();
    for (at, value) in found.parameters.iter().enumerate() {
        let name = match named
            .get(at)
            .filter(|_| named.len() == found.parameters.len())
        {
            Some(name) => (*name).to_owned(),
            None => format!("param{}", at + 1),
        };
        conditions.push((name, value));
    }
    let said: Vec<String> = conditions
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let title = match said.is_empty() {
        true => format!("{} {}", found.name, found.mode),
        false => format!("{} ({}) {}", found.name, said.join(", "), found.mode),
    };
    let mut row = Row::new("jmh", &title, found.unit, better(found));
    // What a profiler counted has its name behind a colon.
    let what = found.name.split_once(':').map_or("score", |(_, what)| what);
    row = row.id("jmh", &slug(what)).with("benchmark", found.name);
    for (name, value) in conditions {
        // `N/A` is a parameter that this benchmark has not.
        if value != "N/A" {
            row = row.with(&slug(&name), value);
        }
    }
    if several_modes {
        row = row.with("mode", found.mode);
    }
    sheet.add("", row, value, number)
}
