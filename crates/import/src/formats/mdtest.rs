//! mdtest: operations on files and directories, as versions 1.9 to 4 print them.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::{number_in_front, plain};
use crate::pattern::after;
use crate::reader::marks;
use crate::{Commands, Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "mdtest",
    what: "mdtest (SUMMARY rate: (of 3 iterations), File creation : max min mean)",
    repeats: "runs of mdtest",
    silent: "the file system, its servers, or the machines",
    roles: &[
        ("mdtest.", "_stat", Roles::All(Role::FileMetadata)),
        ("mdtest.", "_read", Roles::All(Role::FileMetadata)),
        ("mdtest.", "_rename", Roles::All(Role::FileMetadata)),
        ("mdtest.", "", Roles::All(Role::FileCreate)),
    ],
    looks,
    part: Some(|line| summary(line).is_some() || row(line).is_some()),
    known: &[
        "was launched with",
        "Used FS",
        "Nodemap",
        "Path:",
        "Path   ",
        "started at",
        "finished at",
        "random seed",
        "WARNING",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| summary(line).is_some()) * 5 + marks(text, |line| row(line).is_some()) * 3
}

/// What is done; the last is printed by versions that stop at a time.
const OPERATIONS: [&str; 12] = [
    "Directory creation",
    "Directory stat",
    "Directory read",
    "Directory rename",
    "Directory removal",
    "File creation",
    "File stat",
    "File read",
    "File removal",
    "Tree creation",
    "Tree removal",
    "File create (stonewall)",
];

/// The columns of a table; its last one is the spread.
const COLUMNS: [&str; 3] = ["Max", "Min", "Mean"];

/// The unit of rates.
const RATE: &str = "ops/sec";

/// What a table is of.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Table<'a> {
    /// In operations a second.
    Rates,
    /// In this unit.
    Times(&'a str),
}

/// `SUMMARY: (of 3 iterations)`, `SUMMARY time: (of 3 iterations)`, `SUMMARY rate (in ops/sec): (of 1 iterations)`.
fn summary(line: &str) -> Option<Table<'_>> {
    let rest = after(line, "SUMMARY")?;
    let (front, rest) = rest.split_once(':')?;
    if !rest.trim().starts_with("(of ") {
        return None;
    }
    let (kind, unit) = front.split_once("(in ").unwrap_or((front, ""));
    let unit = unit.trim().trim_end_matches(')');
    match kind.trim() {
        "" | "rate" => Some(Table::Rates),
        // A version called times by the unit of rates.
        "time" if unit.is_empty() || unit == RATE => Some(Table::Times("s")),
        "time" => Some(Table::Times(unit)),
        _ => None,
    }
}

/// What a line says of an operation.
#[derive(Debug, PartialEq)]
enum Figures {
    /// The largest, the least and the mean of all iterations.
    All([Option<f64>; 3]),
    /// The same of ranks alone, and of iterations.
    Ranked([Option<f64>; 3], [Option<f64>; 3]),
    /// Seconds and the rate of one iteration.
    One(f64, f64),
}

/// `File creation     :     182.250     175.500     178.125     3.375`, later without the colon.
fn row(line: &str) -> Option<(&'static str, Figures)> {
    let found = |name: &&&str| after(line, name).is_some();
    let name = OPERATIONS.iter().find(found)?;
    let rest = after(line, name)?;
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    if let Some(one) = iteration(rest) {
        return Some((name, one));
    }
    // What was not measured is `NA`.
    let words = rest.split_whitespace();
    let figures: Option<Vec<Option<f64>>> = words
        .map(|word| match word {
            "NA" => Some(None),
            word => plain(word).map(Some),
        })
        .collect();
    let figures = match figures?[..] {
        [max, min, mean, _] => Figures::All([max, min, mean]),
        [max, min, mean, all_max, all_min, all_mean, _] => {
            Figures::Ranked([max, min, mean], [all_max, all_min, all_mean])
        }
        _ => return None,
    };
    Some((name, figures))
}

/// `0.123 sec,    8123.456 ops/sec`
fn iteration(rest: &str) -> Option<Figures> {
    let (time, rate) = rest.split_once(',')?;
    let (seconds, "sec") = number_in_front(time)? else {
        return None;
    };
    let (rate, RATE) = number_in_front(rate)? else {
        return None;
    };
    Some(Figures::One(seconds, rate))
}

/// `16 tasks, 16000 files/directories`: what the tables below are of.
fn tasks(line: &str) -> Option<&str> {
    let line = line.trim();
    let (tasks, files) = line.split_once(" tasks, ")?;
    let (count, what) = files.split_once(' ')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is = what.starts_with("file") || what.starts_with("director");
    (digits(tasks) && digits(count) && is).then_some(line)
}

/// `Command line used: ./mdtest -d /mnt/a -n 1000`: what rows of several runs on a page differ in.
fn launched(line: &str) -> Option<&str> {
    after(line, "Command line used:").filter(|command| !command.is_empty())
}

/// The row of `what` of an operation.
fn of(name: &str, what: &str, table: Table<'_>) -> Row {
    let (title, unit, better) = match table {
        Table::Rates => (name.to_owned(), RATE, Higher),
        Table::Times(unit) => (format!("{name} time"), unit, Lower),
    };
    let row = Row::new("mdtest", &title, unit, better);
    match what {
        "" => row,
        what => row.with("of", what).titled(&format!("{title} {what}")),
    }
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let distinct = |of: fn(&str) -> Option<&str>| {
        let mut found: Vec<&str> = text.lines().filter_map(|(_, line)| of(line)).collect();
        found.sort_unstable();
        found.dedup();
        found.len()
    };
    let (sizes, launches) = (distinct(tasks), distinct(launched));
    let mut commands = Commands::of(text);
    let mut table = Table::Rates;
    let (mut size, mut command) = ("", "");
    for (number, line) in text.lines() {
        if commands.at(line) {
            sheet.aside(number);
            continue;
        }
        if let Some(found) = launched(line) {
            sheet.aside(number);
            command = found;
            continue;
        }
        if let Some(found) = tasks(line) {
            sheet.aside(number);
            size = found;
            continue;
        }
        if let Some(found) = summary(line) {
            sheet.aside(number);
            table = found;
            continue;
        }
        let Some((name, figures)) = row(line) else {
            continue;
        };
        let own = |row: Row| {
            let mut row = commands.on(row);
            if launches > 1 && !command.is_empty() {
                row = row.with("command", command);
            }
            if sizes > 1 && !size.is_empty() {
                let title = format!("{size}: {}", row.title);
                row = row.with("tasks", size).titled(&title);
            }
            row
        };
        let mut add = |of: &dyn Fn(&str) -> Row, figures: [Option<f64>; 3]| {
            for (what, value) in COLUMNS.iter().zip(figures) {
                if let Some(value) = value {
                    sheet.add("", own(of(what)), value, number)?;
                }
            }
            Ok::<(), Fault>(())
        };
        match figures {
            Figures::All(figures) => add(&|what| of(name, what, table), figures)?,
            Figures::Ranked(ranks, all) => {
                add(&|what| of(name, &format!("{what} per Rank"), table), ranks)?;
                add(&|what| of(name, what, table), all)?;
            }
            Figures::One(seconds, rate) => {
                sheet.add("", own(of(name, "", Table::Times("s"))), seconds, number)?;
                sheet.add("", own(of(name, "", Table::Rates)), rate, number)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_all_versions() {
        for (line, table) in [
            ("SUMMARY: (of 3 iterations)", Table::Rates),
            ("SUMMARY rate: (of 1 iterations)", Table::Rates),
            ("SUMMARY rate (in ops/sec): (of 1 iterations)", Table::Rates),
            ("SUMMARY time: (of 1 iterations)", Table::Times("s")),
            (
                "SUMMARY time (in ops/sec): (of 1 iterations)",
                Table::Times("s"),
            ),
            (
                "SUMMARY time (in ms/op): (of 1 iterations)",
                Table::Times("ms/op"),
            ),
        ] {
            assert_eq!(summary(line), Some(table), "{line}");
        }
        assert_eq!(summary("SUMMARY: all is well"), None);
    }

    #[test]
    fn rows_of_all_versions() {
        let all = |max, min, mean| Figures::All([max, min, mean].map(Some));
        for (line, figures) in [
            (
                "   File stat         :   30.5   10.25   20.5   4.125",
                all(30.5, 10.25, 20.5),
            ),
            (
                "   File stat:   30.5   10.25   20.5   4.125",
                all(30.5, 10.25, 20.5),
            ),
            (
                "   File stat             30.5   10.25   20.5   4.125",
                all(30.5, 10.25, 20.5),
            ),
            (
                "   File stat  :  0.5 sec,   30.25 ops/sec",
                Figures::One(0.5, 30.25),
            ),
            (
                "   File stat  8.5  7.5  8.0      30.5  10.25  20.5  4.125",
                Figures::Ranked([8.5, 7.5, 8.0].map(Some), [30.5, 10.25, 20.5].map(Some)),
            ),
        ] {
            assert_eq!(row(line), Some(("File stat", figures)), "{line}");
        }
        let stonewall = row("   File create (stonewall)   :   NA   NA   12.5   NA");
        let mean = Figures::All([None, None, Some(12.5)]);
        assert_eq!(stonewall, Some(("File create (stonewall)", mean)));
        assert_eq!(row("File creation took 3 times as long"), None);
    }
}
