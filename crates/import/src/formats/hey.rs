//! hey, boom and oha: requests a second of a web server, and how long they took.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::{number_in_front, plain};
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Commands, Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "hey",
    what: "hey (Summary, Slowest, Fastest, Latency distribution, Details)",
    repeats: "runs of hey",
    silent: "machines, the server, or what lies between them",
    roles: &[("hey.", "", Roles::All(Role::Application))],
    looks,
    // wrk has one of these lines too: a page of both is read as what it has more of.
    part: Some(|line| is_summary(line) || after(line, "Requests/sec:").is_some()),
    known: &[
        "Total data",
        "Size/request",
        "responses",
        "Success rate",
        "[1]",
    ],
    read,
};

/// Lines of its summary: how they begin, the unit where none is printed, and which direction is good.
const SUMMARY: [(&str, &str, Better); 7] = [
    ("Total:", "secs", Lower),
    ("Slowest:", "secs", Lower),
    ("Fastest:", "secs", Lower),
    ("Average:", "secs", Lower),
    ("Requests/sec:", "requests/s", Higher),
    ("Total data:", "bytes", Higher),
    ("Size/request:", "bytes", Higher),
];

fn looks(text: &Text) -> usize {
    let own = marks(text, is_summary);
    match own >= 2 {
        true => own * 8,
        false => 0,
    }
}

/// `  Slowest: 0.1497 secs`: with the unit, no other tool has these.
fn is_summary(line: &str) -> bool {
    let begins = ["Slowest:", "Fastest:"];
    begins.iter().any(|begin| {
        let rest = after(line, begin).and_then(number_in_front);
        rest.is_some_and(|(_, unit)| unit.starts_with("sec"))
    })
}

fn figure(line: &str) -> Option<(&'static str, f64, String, Better)> {
    let of = |(begin, unit, better): &(&'static str, &str, Better)| {
        let (value, own) = number_in_front(after(line, begin)?)?;
        let unit = match own.split_whitespace().next() {
            Some(own) if own.len() <= 6 => own,
            _ => unit,
        };
        Some((begin.trim_end_matches(':'), value, unit.to_owned(), *better))
    };
    SUMMARY.iter().find_map(of)
}

/// `  99% in 0.0501 secs`, `  99.90% in 0.0501 secs`, `  10%% in ...` of some versions.
fn percentile(line: &str) -> Option<(String, f64)> {
    let (share, rest) = line.trim().split_once("% in ")?;
    let share = plain(share.trim_end_matches('%'))?;
    let (value, unit) = number_in_front(rest)?;
    unit.starts_with("sec")
        .then(|| (format!("{share}% in"), value))
}

/// `  DNS+dialup: 0.0001 secs, 0.0007 secs, 0.1497 secs`: average, fastest and slowest.
fn detail(line: &str) -> Option<(&str, Vec<f64>)> {
    let (name, rest) = line.trim().split_once(':')?;
    let parts: Option<Vec<f64>> = rest
        .split(',')
        .map(|part| {
            let (value, unit) = number_in_front(part)?;
            unit.starts_with("sec").then_some(value)
        })
        .collect();
    let parts = parts.filter(|parts| parts.len() == 3)?;
    Some((name.trim(), parts))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut commands = Commands::of(text);
    for (number, line) in text.lines() {
        let row =
            |title: &str, unit: &str, better| commands.on(Row::new("hey", title, unit, better));
        if let Some((name, value, unit, better)) = figure(line) {
            sheet.add("", row(name, &unit, better), value, number)?;
        } else if let Some((title, value)) = percentile(line) {
            sheet.add("", row(&title, "secs", Lower), value, number)?;
        } else if let Some((name, parts)) = detail(line) {
            sheet.aside(number);
            for (what, value) in ["average", "fastest", "slowest"].iter().zip(parts) {
                // Ten thousandths are the least that it prints.
                if value > 0.0 {
                    sheet.add(
                        "",
                        row(&format!("{name} {what}"), "secs", Lower),
                        value,
                        number,
                    )?;
                }
            }
        } else if is_bar(line) {
            // Shares of all requests by time, which the percentiles say too.
            sheet.aside(number);
        } else if commands.at(line) || holds(line, "Status code distribution") {
            sheet.aside(number);
        }
    }
    Ok(())
}

/// `  0.016 [20111] |■■■■■■`
fn is_bar(line: &str) -> bool {
    let Some((front, behind)) = line.trim().split_once('[') else {
        return false;
    };
    let count = behind.split_once(']').map(|(count, _)| count.trim());
    let counted = count.is_some_and(|c| !c.is_empty() && c.bytes().all(|b| b.is_ascii_digit()));
    plain(front.trim()).is_some() && counted && line.contains('|')
}
