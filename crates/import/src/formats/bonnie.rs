//! bonnie++: its table, the line of CSV that it prints below, and the table as wikis have it.

use whyslow_model::role::{Role, Roles};

use crate::bonnie::{busy, csv, duration, figure, latency, names, rate, wiki};
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Fault, Reader, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "bonnie",
    what: "bonnie++ (Sequential Output, Per Chr, Block, Rewrite, Seeks, and its CSV)",
    repeats: "bonnie++ runs",
    silent: "the device, the file system, or the memory of the machine",
    roles: &[
        ("bonnie.cpu", "", Roles::All(Role::Count)),
        ("bonnie.", "create", Roles::All(Role::FileCreate)),
        ("bonnie.", "", Roles::All(Role::FileDevice)),
    ],
    looks,
    part: Some(|line| is_groups(line) || wiki::is_header(line) || csv::fields(line).is_some()),
    known: &[
        "Writing ",
        "Rewriting",
        "Reading ",
        "start 'em",
        "Create files",
        "Stat files",
        "Delete files",
        "Concurrency",
        "Using uid",
        "format_version",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    let tables = marks(text, |line| is_groups(line) || wiki::is_header(line));
    tables * 6 + marks(text, |line| csv::fields(line).is_some()) * 4
}

/// `-Per Chr- --Block-- -Rewrite- ...` and `-Create-- --Read--- -Delete-- ...`.
fn is_groups(line: &str) -> bool {
    line.contains("-Per Chr-") || line.contains("-Create-- --Read---")
}

/// A word of a line with where it begins and ends.
struct Word<'a> {
    text: &'a str,
    start: usize,
    end: usize,
}

fn words(line: &str) -> Vec<Word<'_>> {
    let of = |text: &'_ str| (text.as_ptr() as usize).checked_sub(line.as_ptr() as usize);
    let words = line.split_whitespace().filter_map(|text| {
        let start = of(text)?;
        Some(Word {
            text,
            start,
            end: start + text.len(),
        })
    });
    words.collect()
}

/// Where the columns of a table stand.
#[derive(Default)]
struct Columns {
    /// Of files of data, or of many files.
    data: bool,
    /// Where the figures begin.
    start: usize,
    /// The ends of the columns, a rate and the use of the CPUs by turns.
    ends: Vec<usize>,
}

/// `Machine        Size K/sec %CP ...`, `files  /sec %CP ...`, `Name:Size etc  /sec %CP ...`.
fn columns(line: &str) -> Option<Columns> {
    let words = words(line);
    let is = |word: &Word<'_>| matches!(word.text, "K/sec" | "/sec" | "%CP" | "KB/s" | "M/sec");
    let ends: Vec<usize> = words.iter().filter(|w| is(w)).map(|w| w.end).collect();
    let first = words.iter().find(|w| is(w))?;
    let named = words.first()?.text;
    // Where the column of the machine is cut off, the size stands in front.
    let data = ["Machine", "Name", "Size"]
        .iter()
        .any(|name| named.starts_with(name));
    (ends.len() >= 4 && (data || named.starts_with("files"))).then_some(Columns {
        data,
        start: first.start,
        ends,
    })
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let tabled = text.lines().any(|(_, line)| columns(line).is_some());
    let labels = csv::labels(text);
    let mut table: Option<Columns> = None;
    let mut system = String::new();
    let mut systems: Vec<String> = Vec::new();
    let mut wiki = wiki::Table::default();
    for (number, line) in text.lines() {
        if is_groups(line) || holds(line, "-Sequential ") {
            sheet.aside(number);
        } else if let Some(found) = columns(line) {
            sheet.aside(number);
            table = Some(found);
        } else if let Some(fields) = csv::fields(line) {
            // The table above says the same.
            match tabled {
                true => sheet.aside(number),
                false => csv::row(&fields, &labels, number, sheet)?,
            }
        } else if wiki.take(line, number, sheet)? {
            continue;
        } else if let Some(columns) = &table {
            if let Some(rest) = after(line, "Latency") {
                let read = latencies(columns, line, rest, (&system, number), sheet);
                sheet.judge(read)?;
            } else if let Some(row) = row(columns, line) {
                if columns.data {
                    system.clone_from(&row.system);
                    systems.push(row.system.clone());
                }
                // A table of many machines names each again in front of how many files it made.
                let named = systems.iter().filter(|name| is_of(&row.label, name));
                if let Some(name) = named
                    .max_by_key(|name| name.len())
                    .filter(|_| !columns.data)
                {
                    system.clone_from(name);
                }
                for (name, text, busy_share) in row.figures {
                    let system = if columns.data { &row.system } else { &system };
                    if let Some(Some((value, unit))) = figure(text) {
                        let row = match busy_share {
                            true => busy(name),
                            false => rate(name, unit),
                        };
                        sheet.add(system, row, value, number)?;
                    } else {
                        sheet.aside(number);
                    }
                }
            }
        }
    }
    Ok(())
}

/// A line of a table.
struct Found<'a> {
    /// What the machine is called.
    system: String,
    /// What stands in front of the figures.
    label: String,
    /// The group, the figure, and whether it is the use of the CPUs.
    figures: Vec<(&'static str, &'a str, bool)>,
}

fn row<'a>(columns: &Columns, line: &'a str) -> Option<Found<'a>> {
    let words = words(line);
    let names = names(columns.data);
    let of = |column: usize| (names[(column / 2).min(5)], column % 2 == 1);
    let count = columns.ends.len();
    let front = words.len().checked_sub(count);
    let all = front.filter(|front| {
        let figures = &words[*front..];
        // The size, or the number of files, stands in front.
        *front >= 1 && figures.iter().all(|w| figure(w.text).is_some())
    });
    let (front, figures) = match all {
        Some(front) => {
            let figures = words[front..].iter().enumerate().map(|(column, word)| {
                let (name, busy) = of(column);
                (name, word.text, busy)
            });
            (front, figures.collect::<Vec<_>>())
        }
        // Some were not measured, and the others stand under their headings.
        None => {
            let mut figures = Vec::new();
            let is = |w: &Word<'_>| w.end > columns.start && figure(w.text).is_some();
            let front = words.iter().position(is)?;
            for word in &words[front..] {
                figure(word.text)?;
                let (name, busy) = of(under(columns, word)?);
                figures.push((name, word.text, busy));
            }
            (front, figures)
        }
    };
    let label: Vec<&str> = words[..front].iter().map(|w| w.text).collect();
    (front > 0 && !figures.is_empty()).then(|| Found {
        system: machine(&label.join(" ")),
        label: label.join(" "),
        figures,
    })
}

/// Is the line of the machine `name`, which stands in front with how many files there were behind it?
fn is_of(label: &str, name: &str) -> bool {
    let behind = label.strip_prefix(name).filter(|_| !name.is_empty());
    behind.is_some_and(|rest| rest.split_whitespace().count() == 1 && rest.starts_with(' '))
}

/// The column that a word stands under.
fn under(columns: &Columns, word: &Word<'_>) -> Option<usize> {
    /// Marks of a wiki around a figure move what follows.
    const MOVED: usize = 5;
    let far = |end: &usize| end.abs_diff(word.end);
    let at = columns
        .ends
        .iter()
        .enumerate()
        .min_by_key(|(_, end)| far(end))?;
    (far(at.1) < MOVED).then_some(at.0)
}

/// The name of a machine without the size behind it, `host 8G`, `Raid5 (8 disk)15744M`.
fn machine(label: &str) -> String {
    let bare = label.trim_end_matches(['M', 'G', 'K', 'T']);
    let name = bare.trim_end_matches(|c: char| c.is_ascii_digit());
    let sized = bare.len() < label.len() && name.len() < bare.len();
    match sized {
        true => name.trim().to_owned(),
        false => label.trim().to_owned(),
    }
}

fn latencies(
    columns: &Columns,
    line: &str,
    rest: &str,
    (system, number): (&str, usize),
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    let names = names(columns.data);
    let groups = columns.ends.len() / 2;
    let skipped = line.len() - rest.len();
    let words = words(line);
    let figures: Vec<&Word<'_>> = words.iter().filter(|w| w.start >= skipped).collect();
    for (place, word) in figures.iter().enumerate() {
        let (value, unit) = duration(word.text).ok_or_else(|| {
            let text = crate::error::quote(word.text);
            Fault::at(
                number,
                format!("'{text}' is no latency; is the line broken?"),
            )
        })?;
        let group = match figures.len() == groups {
            true => place,
            false => {
                let ends = columns.ends.iter().skip(1).step_by(2);
                let far = |end: &usize| end.abs_diff(word.end);
                let nearest = ends.enumerate().min_by_key(|(_, end)| far(end));
                nearest.map_or(0, |(group, _)| group)
            }
        };
        sheet.add(system, latency(names[group.min(5)], unit), value, number)?;
    }
    Ok(())
}
