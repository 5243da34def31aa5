//! filebench: operations of a workload of files, and their sum.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::{number_in_front, plain};
use crate::pattern::holds;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "filebench",
    what: "filebench (Per-Operation Breakdown, IO Summary)",
    repeats: "runs of filebench",
    silent: "the machine, the device, or what the caches held before",
    roles: &[
        ("filebench.", "create", Roles::All(Role::FileCreate)),
        ("filebench.", "delete", Roles::All(Role::FileCreate)),
        ("filebench.", "open", Roles::All(Role::FileMetadata)),
        ("filebench.", "stat", Roles::All(Role::FileMetadata)),
        ("filebench.", "close", Roles::All(Role::FileMetadata)),
        ("filebench.", "", Roles::All(Role::FileDevice)),
    ],
    looks,
    part: Some(|line| operation(line).is_some() || summary(line).is_some()),
    known: &[
        "Filebench Version",
        "Allocated",
        "populated",
        "Populating",
        "Reusing",
        "allocati",
        "Starting",
        "Running",
        "Run took",
        "Per-Operation Breakdown",
        "Shutting down",
        "personality",
        "=====",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        summary(line).is_some() || holds(line, "Per-Operation Breakdown")
    }) * 10
}

/// Rates and the time of one operation.
#[derive(Debug, PartialEq)]
struct Figures<'a> {
    name: &'a str,
    /// Operations a second, MB/s, ms an operation.
    each: [f64; 3],
}

/// The figures by their units, of words such as `640ops/s` or `49.5mb/s`.
fn by_units(words: &[&str]) -> Option<[f64; 3]> {
    let of = |unit: &str| {
        let own = words.iter().filter_map(|word| number_in_front(word));
        own.filter(|(_, of)| *of == unit)
            .map(|(value, _)| value)
            .next()
    };
    Some([of("ops/s")?, of("mb/s")?, of("ms/op")?])
}

/// `closefile4   383785ops   640ops/s   0.0mb/s   0.0ms/op [0.00ms - 1.71ms]`
fn operation(line: &str) -> Option<Figures<'_>> {
    let (front, _) = line.split_once('[').unwrap_or((line, ""));
    let words: Vec<&str> = front.split_whitespace().collect();
    let (name, rest) = words.split_first()?;
    let counted = rest
        .first()
        .and_then(|word| plain(word.strip_suffix("ops")?));
    counted?;
    by_units(rest).map(|each| Figures { name, each })
}

/// `601.414: IO Summary: 4989254 ops 8314.540 ops/s 1279/1279 rd/wr  49.5mb/s   3.1ms/op`
fn summary(line: &str) -> Option<Figures<'_>> {
    let at = line.find("IO Summary:")?;
    let name = "IO Summary";
    let rest = line[at + name.len() + 1..].replace(" ops/s", "ops/s");
    let words: Vec<&str> = rest
        .split(|c: char| c.is_whitespace() || c == ',')
        .collect();
    by_units(&words).map(|each| Figures { name, each })
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    for (number, line) in text.lines() {
        let Some(figures) = operation(line).or_else(|| summary(line)) else {
            continue;
        };
        let name = figures.name;
        let units = [("ops/s", Higher), ("MB/s", Higher), ("ms/op", Lower)];
        for (value, (unit, better)) in figures.each.into_iter().zip(units) {
            // Nothing was moved, or it took less than what is printed.
            if value == 0.0 {
                continue;
            }
            let row = Row::new("filebench", &format!("{name} {unit}"), unit, better);
            sheet.add("", row.titled(&format!("{name}, {unit}")), value, number)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_and_their_sum() {
        let line = "readfile4   383ops   640ops/s  19.7mb/s   0.1ms/op [0.00ms - 17.25ms]";
        let found = operation(line).map(|f| (f.name.to_owned(), f.each));
        assert_eq!(found, Some(("readfile4".to_owned(), [640.0, 19.7, 0.1])));
        let line = "601.4: IO Summary: 498 ops 83.540 ops/s 12/12 rd/wr  49.5mb/s   3.1ms/op";
        assert_eq!(summary(line).map(|f| f.each), Some([83.54, 49.5, 3.1]));
        assert_eq!(operation("383ops 640ops/s"), None);
    }
}
