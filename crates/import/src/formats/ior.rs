//! IOR: the table of its tests, the largest rates, and the summary of all tests.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::{number_in_front, plain};
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Commands, Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "ior",
    what: "IOR (access  bw(MiB/s) ..., Max Write: 123.4 MiB/sec, Summary of all tests)",
    repeats: "runs of IOR",
    silent: "the file system, its servers, or the machines",
    roles: &[("ior.", "", Roles::All(Role::FileDevice))],
    looks,
    part: Some(|line| header(line).is_some() || largest(line).is_some()),
    known: &[
        "IOR-",
        "Used FS",
        "Command line",
        "Began",
        "Finished",
        "StartTime",
        "Commencing",
        "Participating tasks",
        "WARNING",
        "[RANK",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        header(line).is_some() || largest(line).is_some()
    }) * 5
}

/// What is done.
const ACCESSES: [&str; 3] = ["write", "read", "remove"];

/// Columns of tables that are figures: the name without its unit in brackets, the unit, which way is good. Others are
/// what was asked for.
const COLUMNS: [(&str, &str, Better); 14] = [
    ("bw", "MiB/s", Higher),
    ("IOPS", "IOPS", Higher),
    ("Latency", "s", Lower),
    ("open", "s", Lower),
    ("wr/rd", "s", Lower),
    ("close", "s", Lower),
    ("total", "s", Lower),
    ("Max(MiB)", "MiB/s", Higher),
    ("Min(MiB)", "MiB/s", Higher),
    ("Mean(MiB)", "MiB/s", Higher),
    ("Max(OPs)", "ops/s", Higher),
    ("Min(OPs)", "ops/s", Higher),
    ("Mean(OPs)", "ops/s", Higher),
    ("Mean(s)", "s", Lower),
];

/// Columns that say how a test was done.
const SETTINGS: [&str; 2] = ["block(KiB)", "xfer(KiB)"];

/// Lines above a table that say how its tests were done, and tell those of several on a page apart.
const OPTIONS: [&str; 7] = [
    "api",
    "access",
    "type",
    "ordering in a file",
    "nodes",
    "tasks",
    "clients",
];

/// The same where they tell nothing apart that the rows do not say themselves.
const OTHER_OPTIONS: [&str; 17] = [
    "apiVersion",
    "test filename",
    "pattern",
    "segments",
    "ordering inter file",
    "task offset",
    "reorder random seed",
    "clients per node",
    "memoryPerTask",
    "memoryPerNode",
    "repetitions",
    "xfersize",
    "blocksize",
    "aggregate filesize",
    "verbose",
    "stonewallingTime",
    "TestID",
];

/// The names of a table's columns.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// Of each test.
    Tests,
    /// Of all of them.
    Summary,
}

/// The cells of a line, in the output for people or as CSV.
fn cells(line: &str) -> Vec<String> {
    match line.contains(',') {
        true => line.split(',').map(|cell| cell.trim().to_owned()).collect(),
        false => line.split_whitespace().map(str::to_owned).collect(),
    }
}

/// A line without the number of the process that launchers put in front, `190: write ...`.
fn without_rank(line: &str) -> &str {
    let rest = line.trim_start().split_once(": ");
    let rank = rest.filter(|(rank, _)| rank.parse::<u32>().is_ok());
    rank.map_or(line, |(_, rest)| rest)
}

/// `access    bw(MiB/s)  IOPS  Latency(s)  block(KiB) ...`, `Operation   Max(MiB)   Min(MiB)  Mean(MiB) ...`.
fn header(line: &str) -> Option<(Kind, Vec<String>)> {
    let line = without_rank(line);
    let kind = match after(line, "access") {
        Some(rest) if rest.trim_start_matches(',').starts_with("bw(MiB/s)") => Kind::Tests,
        Some(_) => return None,
        None => {
            let rest = after(line, "Operation")?;
            let is = rest.starts_with("Max(MiB)") || rest.starts_with("Max (MiB)");
            is.then_some(Kind::Summary)?
        }
    };
    // Older versions have spaces in the names.
    let line = line.replace(" (", "(").replace("Std Dev", "StdDev");
    Some((kind, cells(&line)))
}

/// The figure that a column holds.
fn column(name: &str) -> Option<(&'static str, Better)> {
    let bare = name.trim_end_matches("(MiB/s)").trim_end_matches("(s)");
    let found = COLUMNS
        .iter()
        .find(|(own, ..)| *own == name || *own == bare)?;
    Some((found.1, found.2))
}

/// `Max Write: 123.45 MiB/sec (129.45 MB/sec)`: the name, the rate and its unit.
fn largest(line: &str) -> Option<(&'static str, f64, &str)> {
    let line = without_rank(line);
    let name = ["Max Write", "Max Read"]
        .into_iter()
        .find(|name| after(line, name).is_some())?;
    let rest = after(line, name)?.strip_prefix(':')?;
    let (value, unit) = number_in_front(rest)?;
    let unit = unit.split_whitespace().next()?;
    unit.ends_with("/sec").then_some((name, value, unit))
}

/// `api                 : POSIX`, `clients            = 4 (4 per node)`.
fn option(line: &str) -> Option<(&str, &str)> {
    let line = without_rank(line);
    let (name, value) = line.split_once([':', '='])?;
    let name = name.trim();
    let known = OPTIONS.contains(&name) || OTHER_OPTIONS.contains(&name);
    known.then_some((name, value.trim()))
}

/// What tells the tests of a page apart: names, each with its value.
#[derive(Debug, Default, Clone)]
struct Setup(Vec<(String, String)>);

impl Setup {
    fn set(&mut self, name: &str, value: &str) {
        match self.0.iter_mut().find(|(own, _)| own == name) {
            Some((_, own)) => value.clone_into(own),
            None => self.0.push((name.to_owned(), value.to_owned())),
        }
    }
}

/// The settings of a line of a table.
fn settings<'a>(
    names: &'a [String],
    row: &'a [String],
) -> impl Iterator<Item = (&'a str, &'a str)> {
    let all = names.iter().zip(row);
    all.filter(|(name, value)| SETTINGS.contains(&name.as_str()) && value.as_str() != "-")
        .map(|(name, value)| (name.as_str(), value.as_str()))
}

/// A line of a table under `names`.
fn row(names: &[String], line: &str) -> Option<Vec<String>> {
    let row = cells(without_rank(line));
    let is = ACCESSES.contains(&row.first()?.as_str());
    (is && row.len() > 4 && row.len() <= names.len() + 1).then_some(row)
}

/// Settings of which the page has several values.
fn varied(text: &Text) -> Vec<String> {
    let mut found = Setup::default();
    let mut varied: Vec<String> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut take = |name: &str, value: &str| {
        let before = found.0.iter().find(|(own, _)| own == name);
        if before.is_some_and(|(_, own)| own != value) && !varied.iter().any(|v| v == name) {
            varied.push(name.to_owned());
        }
        found.set(name, value);
    };
    for (_, line) in text.lines() {
        if let Some((_, found)) = header(line) {
            names = found;
        } else if let Some((name, value)) = option(line) {
            if OPTIONS.contains(&name) {
                take(name, value);
            }
        } else if let Some(row) = row(&names, line) {
            for (name, value) in settings(&names, &row) {
                take(name, value);
            }
        }
    }
    varied
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let varied = varied(text);
    let mut commands = Commands::of(text);
    let tested = text
        .lines()
        .any(|(_, line)| matches!(header(line), Some((Kind::Tests, _))));
    let mut table: Option<(Kind, Vec<String>)> = None;
    let mut setup = Setup::default();
    for (number, line) in text.lines() {
        if commands.at(line) {
            sheet.aside(number);
        } else if let Some(found) = header(line) {
            sheet.aside(number);
            table = Some(found);
        } else if let Some((name, value)) = option(line) {
            sheet.aside(number);
            if varied.iter().any(|own| own == name) {
                setup.set(name, value);
            }
        } else if let Some((name, value, unit)) = largest(line) {
            let row = own(Row::new("ior", name, unit, Higher), &setup);
            sheet.add("", commands.on(row), value, number)?;
        } else if let Some((kind, names)) = &table
            && let Some(cells) = row(names, line)
        {
            sheet.aside(number);
            if *kind == Kind::Summary && tested {
                sheet.note("ior", "the summary is left out: its tests are here");
                continue;
            }
            for (name, value) in settings(names, &cells) {
                if varied.iter().any(|own| own == name) {
                    setup.set(name, value);
                }
            }
            for (name, cell) in names.iter().zip(&cells).skip(1) {
                if let Some((unit, better)) = column(name)
                    && let Some(value) = plain(cell)
                {
                    let title = format!("{} {name}", cells[0]);
                    let row = own(Row::new("ior", &title, unit, better), &setup);
                    sheet.add("", commands.on(row), value, number)?;
                }
            }
        } else if holds(line, "Summary of all tests") {
            sheet.aside(number);
        }
    }
    Ok(())
}

/// The row of a test that was set up so.
fn own(row: Row, setup: &Setup) -> Row {
    setup.0.iter().fold(row, |row, (name, value)| {
        let title = format!("{}, {name} {value}", row.title);
        row.with(&crate::slug::slug(name), value).titled(&title)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_all_versions() {
        let names = |line| {
            let (kind, names) = header(line).unwrap();
            let figures = names.iter().filter(|name| column(name).is_some()).count();
            (kind, names.len(), figures)
        };
        assert_eq!(
            names(
                "access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter"
            ),
            (Kind::Tests, 9, 5)
        );
        assert_eq!(
            names(
                "access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter"
            ),
            (Kind::Tests, 11, 7)
        );
        assert_eq!(
            names(
                "access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),total(s),numTasks,iter"
            ),
            (Kind::Tests, 12, 7)
        );
        assert_eq!(
            names(
                "Operation  Max (MiB)  Min (MiB)  Mean (MiB)   Std Dev  Max (OPs)  Min (OPs)  Mean (OPs)   Std Dev  Mean (s)"
            ),
            (Kind::Summary, 10, 7)
        );
        assert!(header("access is denied").is_none());
        assert_eq!(
            largest("0: Max Write: 12.5 MiB/sec (13.11 MB/sec)"),
            Some(("Max Write", 12.5, "MiB/sec"))
        );
    }
}
