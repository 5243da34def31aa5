//! dbench and tbench.

use whyslow_model::Better::{Higher, Lower, Unsaid};
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::{after, number_first};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "dbench",
    what: "dbench and tbench (Throughput 123.4 MB/sec 8 clients 8 procs)",
    repeats: "runs with as many clients",
    silent: "machine, whether it is dbench or tbench, or the file system",
    roles: &[
        ("dbench.count", "", Roles::All(Role::Count)),
        ("dbench.", "", Roles::All(Role::SwitchAnyCpu)),
    ],
    looks,
    part: Some(|line| throughput(line).is_some()),
    known: &[
        "Operation",
        "warmup",
        "execute",
        "cleanup",
        "Connect",
        "dbench version",
        "tbench",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| throughput(line).is_some()) * 2
}

/// A rate, its unit, what stands behind it.
fn throughput(line: &str) -> Option<(f64, &str, &str)> {
    let (value, rest) = number_first(after(line, "Throughput")?)?;
    let (unit, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    (unit.ends_with("/sec") || unit.ends_with("/s")).then_some((value, unit, rest))
}

/// Operations of the load, as dbench's table and tbench's name them.
const OPERATIONS: [&str; 18] = [
    "NTCreateX",
    "Close",
    "Rename",
    "Unlink",
    "Deltree",
    "Mkdir",
    "Rmdir",
    "Qpathinfo",
    "Qfileinfo",
    "Qfsinfo",
    "Sfileinfo",
    "Find",
    "WriteX",
    "ReadX",
    "LockX",
    "UnlockX",
    "Flush",
    "Qwrite",
];

/// ` NTCreateX    5761605     0.172   312.057`: the operation, how often it was done, its average and its largest latency
/// in ms.
fn operation(line: &str) -> Option<(&str, [f64; 3])> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, figures @ ..] = &words[..] else {
        return None;
    };
    let figures: Vec<f64> = figures.iter().filter_map(|word| plain(word)).collect();
    let figures: [f64; 3] = figures.try_into().ok()?;
    (words.len() == 4 && OPERATIONS.contains(name)).then_some((*name, figures))
}

/// The clients of the run that a table of operations belongs to: those of the rate that stands below it.
fn clients_below(text: &Text, from: usize) -> Option<String> {
    let below = text.lines().skip_while(|(number, _)| *number < from);
    let (_, _, rest) = below.into_iter().find_map(|(_, line)| throughput(line))?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let at = words.iter().position(|w| w.starts_with("client"))?;
    words.get(at.checked_sub(1)?).map(|s| (*s).to_owned())
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    for (number, line) in text.lines() {
        if let Some((name, [count, average, largest])) = operation(line) {
            let at = clients_below(text, number);
            let figures = [
                ("Count", "", Unsaid, count),
                ("AvgLat", "ms", Lower, average),
                ("MaxLat", "ms", Lower, largest),
            ];
            for (what, unit, better, value) in figures {
                let row = Row::new("dbench", &format!("{name} {what}"), unit, better)
                    .id("dbench", &what.to_lowercase())
                    .with("operation", name);
                let row = match &at {
                    Some(clients) => row.with("clients", clients),
                    None => row,
                };
                sheet.add("", row, value, number)?;
            }
            continue;
        }
        let Some((value, unit, rest)) = throughput(line) else {
            continue;
        };
        let words: Vec<&str> = rest.split_whitespace().collect();
        let before = |word: &str| {
            let at = words.iter().position(|w| w.starts_with(word))?;
            words.get(at.checked_sub(1)?).copied()
        };
        let clients = before("client").or_else(|| before("proc"));
        let word = match before("client") {
            Some(_) => "clients",
            None => "procs",
        };
        let row = |what: &str, unit: &str, better| {
            let title = match clients {
                Some(clients) => format!("{what} {clients} {word}"),
                None => what.to_owned(),
            };
            let row = Row::new("dbench", &title, unit, better).id("dbench", &what.to_lowercase());
            match clients {
                Some(clients) => row.with("clients", clients),
                None => row,
            }
        };
        sheet.add("", row("Throughput", unit, Higher), value, number)?;
        let latency = words.iter().position(|w| w.starts_with("max_latency="));
        if let Some(at) = latency
            && let Some((_, digits)) = words[at].split_once('=')
            && let Some(value) = plain(digits)
        {
            let unit = words.get(at + 1).copied().unwrap_or("ms");
            sheet.add("", row("max_latency", unit, Lower), value, number)?;
        }
    }
    Ok(())
}
