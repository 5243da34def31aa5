//! schbench: percentiles of wake-up latencies, of requests, and of requests a second.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::grouped;
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "schbench",
    what: "schbench (latency percentiles)",
    repeats: "schbench runs",
    silent: "machine, kernel, or what else ran",
    roles: &[("schbench.", "", Roles::All(Role::SwitchAnyCpu))],
    looks,
    part: Some(|line| heading(line).is_some()),
    known: &["schbench", "runtime", "rps:", "sched delay"],
    read,
};

fn looks(text: &Text) -> usize {
    let headings = marks(text, |line| heading(line).is_some());
    headings * marks(text, |line| percentile(line).is_some())
}

/// What the percentiles below a heading are of: a name, the unit, and whether they are rates.
fn heading(line: &str) -> Option<(String, &'static str, bool)> {
    let words = line.trim();
    if !holds(words, "percentiles (") {
        return None;
    }
    let name = words.split(" percentiles").next()?;
    let rate = holds(name, "RPS");
    let name = name.replace("Latencies", "Latency");
    let name = name
        .trim_start_matches(|c: char| !c.is_alphabetic())
        .to_owned();
    let unit = if rate { "requests/s" } else { "usec" };
    Some((name, unit, rate))
}

/// `*99.0000th: 14160 (123 samples)`: the percentile without zeros that say nothing, and the value.
fn percentile(line: &str) -> Option<(String, f64)> {
    let (name, rest) = line.trim().trim_start_matches('*').split_once(':')?;
    let digits = name.trim().strip_suffix("th")?;
    let digits = match digits.split_once('.') {
        Some((whole, part)) => format!("{whole}.{:0<1}", part.trim_end_matches('0')),
        None => digits.to_owned(),
    };
    digits
        .bytes()
        .all(|b| b.is_ascii_digit() || b == b'.')
        .then_some(())?;
    let (value, behind) = match rest.trim().split_once(char::is_whitespace) {
        Some((value, behind)) => (value, behind.trim()),
        None => (rest.trim(), ""),
    };
    // Behind the figure only the number of samples stands; more figures are another table.
    let value = grouped(value).filter(|_| behind.is_empty() || behind.starts_with('('))?;
    Some((format!("{digits}th"), value))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut block = None;
    for (number, line) in text.lines() {
        if let Some(next) = heading(line) {
            sheet.aside(number);
            block = Some(next);
            continue;
        }
        if let Some(value) = after(line, "average rps:").and_then(grouped) {
            let row = Row::new("schbench", "average rps", "requests/s", Higher);
            sheet.add("", row, value, number)?;
            continue;
        }
        let Some((name, unit, rate)) = &block else {
            continue;
        };
        let better = if *rate { Higher } else { Lower };
        let row = |what: &str| Row::new("schbench", &format!("{name} {what}"), unit, better);
        if let Some((what, value)) = percentile(line) {
            sheet.add("", row(&what), value, number)?;
        } else if line.trim_start().starts_with("min=") {
            for part in line.split(',') {
                let pair = part.trim().split_once('=');
                if let Some((what @ ("min" | "max"), value)) = pair
                    && let Some(value) = grouped(value)
                {
                    sheet.add("", row(what), value, number)?;
                }
            }
        }
    }
    Ok(())
}
