//! dbench and tbench.

use whyslow_model::Better::{Higher, Lower};
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
    roles: &[("dbench.", "", Roles::All(Role::SwitchAnyCpu))],
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

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    for (number, line) in text.lines() {
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
