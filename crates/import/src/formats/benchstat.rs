//! Go's benchmarks: what `go test -bench` prints, and benchstat's tables of two sides.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles, RowRoles};

use crate::direction::of_words;
use crate::number::plain;
use crate::pattern::holds;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "benchstat",
    what: "tables of benchstat, and the lines of Go's benchmarks that they are made of",
    repeats: "runs of a benchmark",
    silent: "machine but for its CPU, or compiler",
    roles: ROLES,
    looks,
    part: None,
    known: &["goos:", "goarch:", "pkg:", "ok  ", "¹", "²", "³"],
    read,
};

/// What its rows are about; the first that fits counts.
const ROLES: &[RowRoles] = &[
    ("benchstat.", "mem", Roles::All(Role::MemoryRoutines)),
    ("benchstat.", "copy", Roles::All(Role::MemoryRoutines)),
    ("benchstat.", "syscall", Roles::All(Role::SystemCall)),
    ("benchstat.", "pipe", Roles::All(Role::SwitchAnyCpu)),
    ("benchstat.", "fork", Roles::All(Role::Fork)),
    ("benchstat.", "exec", Roles::All(Role::ProgramStart)),
];

fn looks(text: &Text) -> usize {
    let lines = marks(text, |line| {
        let has_unit = |pair: Pair| pair.figures.iter().all(|(_, unit)| !unit.is_empty());
        run(line).is_some() || header(line).is_some() || pair(line).is_some_and(has_unit)
    });
    // No other tool draws such a header, whatever units it prints.
    lines * 2 + marks(text, |line| line.contains('│') && line.contains(" vs base")) * 2
}

/// `BenchmarkCopy-8   1000000   1234 ns/op   56 MB/s` in parts: name, figures with their units.
fn run(line: &str) -> Option<(&str, Vec<(f64, &str)>)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, count, rest @ ..] = words.as_slice() else {
        return None;
    };
    let named = name.starts_with("Benchmark") && name.len() > "Benchmark".len();
    if !named || !count.bytes().all(|b| b.is_ascii_digit()) || rest.is_empty() {
        return None;
    }
    let mut figures = Vec::new();
    for pair in rest.chunks(2) {
        let [value, unit] = pair else {
            return None;
        };
        // Old tables of two sides have a change in its place.
        if !unit.starts_with(char::is_alphabetic) {
            return None;
        }
        figures.push((plain(value)?, *unit));
    }
    Some((name, figures))
}

/// Which direction of a unit is good.
fn better(unit: &str) -> Better {
    let rate = unit.ends_with("/s") || unit.ends_with("/sec");
    // `speed` is what the unit of a rate is called above old tables.
    let said = of_words(unit).filter(|_| !unit.contains('/'));
    if rate { Higher } else { said.unwrap_or(Lower) }
}

/// The unit of the columns of `│    sec/op    │   sec/op     vs base   │`, or in old tables of
/// `name     old time/op    new time/op    delta`.
fn header(line: &str) -> Option<&str> {
    let words: Vec<&str> = line
        .split(['│', '|', ' ', '\t'])
        .filter(|w| !w.is_empty())
        .collect();
    match words.as_slice() {
        ["name", "old", unit, "new", again, ..] if unit == again => Some(unit),
        [unit, _, "vs", "base", ..] if unit.contains('/') => Some(unit),
        _ => None,
    }
}

/// The names of the sides in `│   baseline   │   adjusted   │`.
fn sides(line: &str) -> Option<Vec<&str>> {
    if !line.trim_start().starts_with('│') || header(line).is_some() {
        return None;
    }
    let names: Vec<&str> = line
        .split('│')
        .map(str::trim)
        .filter(|n| !n.is_empty())
        .collect();
    (names.len() >= 2).then_some(names)
}

/// A figure of a table: its value, its unit (empty where the header has it), how many words it took.
fn amount(words: &[&str]) -> Option<(f64, &'static str, usize)> {
    /// Prefixes as benchstat prints them, and units that stick to a figure.
    const SUFFIXES: [(&str, &str); 12] = [
        ("ns", "ns"),
        ("µs", "us"),
        ("ms", "ms"),
        ("MB/s", "MB/s"),
        ("GB/s", "GB/s"),
        ("n", "n"),
        ("µ", "u"),
        ("m", "m"),
        ("Ki", "Ki"),
        ("Mi", "Mi"),
        ("Gi", "Gi"),
        ("s", "s"),
    ];
    let first = words.first()?;
    let (value, unit) = match plain(first) {
        Some(value) => (value, ""),
        None => SUFFIXES
            .iter()
            .find_map(|(end, unit)| Some((plain(first.strip_suffix(end)?)?, *unit)))?,
    };
    // A spread stands behind: `± 1%`, `±1%`, `± ∞ ¹`.
    let percent = |spread: &str| spread.ends_with('%') || spread.contains('∞');
    let used = match words.get(1..) {
        Some(["±", _, mark, ..]) if mark.starts_with(['¹', '²', '³']) => 4,
        Some(["±", spread, ..]) if percent(spread) => 3,
        Some([spread, ..]) if spread.starts_with('±') && percent(spread) => 2,
        _ => return None,
    };
    Some((value, unit, used))
}

/// A row of a table: its name and the figures of its sides.
struct Pair<'a> {
    name: &'a str,
    figures: Vec<(f64, &'static str)>,
}

fn pair(line: &str) -> Option<Pair<'_>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (name, mut rest) = words.split_first()?;
    if plain(name).is_some() || amount(rest).is_none() {
        return None;
    }
    let mut figures = Vec::new();
    while !rest.is_empty() {
        match amount(rest) {
            Some((value, unit, used)) => {
                figures.push((value, unit));
                rest = rest.get(used..)?;
            }
            // The change, its probability, how many runs.
            None => rest = &rest[1..],
        }
    }
    (figures.len() >= 2).then_some(Pair { name, figures })
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut names: Vec<&str> = Vec::new();
    let mut unit = "";
    for (number, line) in text.lines() {
        if let Some(cpu) = line.strip_prefix("cpu:") {
            sheet.aside(number);
            sheet.state("", "cpu", cpu);
        } else if let Some((name, figures)) = run(line) {
            for (value, unit) in figures {
                sheet.add("", row(name, unit), value, number)?;
            }
        } else if let Some(found) = header(line) {
            sheet.aside(number);
            unit = found;
            if holds(line, "old") && holds(line, "new") {
                names = vec!["old", "new"];
            }
        } else if line.trim_start().starts_with("geomean") {
            // The mean of rows that are there.
            sheet.aside(number);
        } else if let Some(found) = sides(line) {
            sheet.aside(number);
            names = found;
        } else if let Some(pair) = pair(line) {
            add(&pair, &names, unit, number, sheet)?;
        }
    }
    Ok(())
}

/// The row of a benchmark in one of its units: the time is the benchmark, other units stand in the point.
fn row(name: &str, unit: &str) -> Row {
    let row = Row::new("benchstat", name, unit, better(unit));
    let time = [
        "ns/op", "ns", "us", "ms", "s", "nsec/op", "usec/op", "msec/op",
    ];
    if time.contains(&unit) {
        row
    } else {
        // The two figures of a row may have prefixes of their own.
        let rate = ["B/s", "KB/s", "kB/s", "GB/s", "TB/s"].contains(&unit);
        row.with("unit", if rate { "MB/s" } else { unit })
    }
}

fn add(
    pair: &Pair<'_>,
    names: &[&str],
    unit: &str,
    number: usize,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    const PLACES: [&str; 4] = [
        "first column",
        "second column",
        "third column",
        "fourth column",
    ];
    for (at, (value, own)) in pair.figures.iter().enumerate() {
        let Some(side) = names.get(at).or_else(|| PLACES.get(at)) else {
            sheet.refuse(number, "more columns than have names");
            return Ok(());
        };
        let whole = match (*own, unit) {
            // Without a header a figure of `5.7n` is of seconds.
            (prefix @ ("n" | "u" | "m"), "" | "sec/op" | "time/op") => format!("{prefix}s"),
            (prefix, "") => prefix.to_owned(),
            ("", unit) => unit.to_owned(),
            (prefix @ ("n" | "u" | "m" | "Ki" | "Mi" | "Gi"), unit) => format!("{prefix}{unit}"),
            (own, _) => own.to_owned(),
        };
        if whole.is_empty() {
            sheet.refuse(
                number,
                "no unit in it, so which direction is good is not said",
            );
            return Ok(());
        }
        sheet.add(side, row(pair.name, &whole), *value, number)?;
    }
    Ok(())
}
