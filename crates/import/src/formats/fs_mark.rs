//! fs_mark: files a second, and ebizzy's records a second.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::{grouped, plain};
use crate::pattern::holds;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "fs-mark",
    what: "fs_mark (Files/sec) and ebizzy (records/s)",
    repeats: "loops of fs_mark, or ebizzy runs",
    silent: "machine, kernel, or the file system",
    roles: &[
        ("fs_mark.files", "", Roles::All(Role::FileCreate)),
        ("fs_mark.records", "", Roles::All(Role::Fault)),
        ("fs_mark.real", "", Roles::All(Role::RealTime)),
        ("fs_mark.user", "", Roles::All(Role::UserTime)),
        ("fs_mark.sys", "", Roles::All(Role::SystemTime)),
    ],
    looks,
    part: Some(|line| is_header(line) || records(line).is_some()),
    known: &[
        "Version",
        "Sync method",
        "Directories",
        "File names",
        "Files info",
        "App overhead",
        "All system call",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| is_header(line) || records(line).is_some()) * 3
}

/// `FSUse%        Count         Size    Files/sec     App Overhead`
fn is_header(line: &str) -> bool {
    holds(line, "FSUse%") && holds(line, "Files/sec")
}

/// `12345 records/s`
fn records(line: &str) -> Option<f64> {
    let (value, unit) = line.trim().split_once(' ')?;
    let unit = unit.trim();
    (unit.starts_with("records/s"))
        .then(|| grouped(value))
        .flatten()
}

/// The times below ebizzy's records, one a line or, as mails join them, all on one: `real 10.00 s user 0.25 s sys 13.54 s`.
fn times(line: &str) -> Option<Vec<(&str, f64)>> {
    let mut words = line.split_whitespace().peekable();
    let mut found = Vec::new();
    while let Some(name) = words.next() {
        let value = ["real", "user", "sys"]
            .contains(&name)
            .then(|| words.next());
        found.push((name, plain(value.flatten()?)?));
        words.next_if(|unit| *unit == "s");
    }
    (!found.is_empty()).then_some(found)
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut in_table = false;
    let mut in_ebizzy = false;
    for (number, line) in text.lines() {
        if is_header(line) {
            sheet.aside(number);
            in_table = true;
        } else if let Some(value) = records(line) {
            in_ebizzy = true;
            sheet.add(
                "",
                Row::new("fs_mark", "records", "records/s", Higher),
                value,
                number,
            )?;
        } else if in_ebizzy && let Some(times) = times(line) {
            for (name, value) in times {
                sheet.add("", Row::new("fs_mark", name, "s", Lower), value, number)?;
            }
        } else if in_table {
            let values: Option<Vec<f64>> = line.split_whitespace().map(plain).collect();
            if let Some([_, count, size, rate, overhead, ..]) = values.as_deref() {
                // The figure of each count of files is another: a file system that fills up slows down.
                let with = |row: Row| {
                    let row = row.with("count", &count.to_string());
                    row.with("size", &size.to_string())
                };
                let row = with(Row::new("fs_mark", "Files/sec", "files/s", Higher));
                sheet.add("", row, *rate, number)?;
                let row = with(Row::new("fs_mark", "App Overhead", "us", Lower));
                sheet.add("", row, *overhead, number)?;
            }
        }
    }
    Ok(())
}
