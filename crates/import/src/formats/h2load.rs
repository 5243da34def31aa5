//! h2load: requests a second of a server for HTTP/2 and HTTP/3, and how long they took.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::{number_in_front, plain};
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Commands, Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "h2load",
    what: "h2load (finished in 1.25s, 80000.25 req/s, time for request, req/s)",
    repeats: "runs of h2load",
    silent: "machines, the server, or what lies between them",
    roles: &[("h2load.", "", Roles::All(Role::Application))],
    looks,
    part: Some(|line| finished(line).is_some() || statistics(line).is_some()),
    known: &[
        "requests: ",
        "status codes:",
        "traffic:",
        "starting benchmark",
        "spawning thread",
        "progress:",
        "TLS Protocol",
        "Cipher:",
        "Server Temp Key",
        "Application protocol",
        "min         max",
        "UDP datagram",
    ],
    read,
};

/// Columns of its statistics; the share within one deviation is no figure of the server.
const COLUMNS: [&str; 4] = ["min", "max", "mean", "sd"];

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        finished(line).is_some() || statistics(line).is_some()
    }) * 4
}

/// `finished in 1.25s, 80000.25 req/s, 66.15MB/s`: the time, the rate, and the bytes.
fn finished(line: &str) -> Option<[(f64, &str); 3]> {
    let mut parts = after(line, "finished in ")?.split(", ");
    let time = number_in_front(parts.next()?)?;
    let rate = number_in_front(parts.next()?).filter(|(_, unit)| *unit == "req/s")?;
    let bytes = number_in_front(parts.next()?).filter(|(_, unit)| unit.ends_with("/s"))?;
    Some([time, rate, bytes])
}

/// A line of statistics: what it is of, the figures with their units, and which direction is good.
type Statistics<'a> = (&'a str, Vec<(f64, &'a str)>, Better);

/// `time for request:      112us     15.21ms      1.21ms       512us    80.10%`, and the same of `req/s`.
fn statistics(line: &str) -> Option<Statistics<'_>> {
    let (name, rest) = line.trim().split_once(':')?;
    let name = name.trim();
    let better = match name {
        "time for request" | "time for connect" | "time to 1st byte" => Lower,
        "req/s" => Higher,
        _ => return None,
    };
    let words: Vec<&str> = rest.split_whitespace().collect();
    let (share, figures) = words.split_last()?;
    let figures: Option<Vec<(f64, &str)>> =
        figures.iter().map(|word| number_in_front(word)).collect();
    let figures = figures.filter(|figures| figures.len() == COLUMNS.len())?;
    plain(share.strip_suffix('%')?)?;
    Some((name, figures, better))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut commands = Commands::of(text);
    for (number, line) in text.lines() {
        let row =
            |title: &str, unit: &str, better| commands.on(Row::new("h2load", title, unit, better));
        if let Some([time, rate, bytes]) = finished(line) {
            sheet.add("", row("finished in", time.1, Lower), time.0, number)?;
            sheet.add("", row("finished req/s", "req/s", Higher), rate.0, number)?;
            sheet.add("", row("finished bytes", bytes.1, Higher), bytes.0, number)?;
        } else if let Some((name, figures, better)) = statistics(line) {
            for (column, (value, unit)) in COLUMNS.iter().zip(figures) {
                let unit = if unit.is_empty() { "req/s" } else { unit };
                // A wider spread is no better, of a rate either.
                let better = if *column == "sd" { Lower } else { better };
                let row = row(&format!("{name} {column}"), unit, better);
                if value > 0.0 {
                    sheet.add("", row, value, number)?;
                }
            }
        } else if commands.at(line) || holds(line, "progress:") {
            sheet.aside(number);
        }
    }
    Ok(())
}
