//! poop, which runs commands in turn and compares their hardware counters.

use whyslow_model::Better::Lower;
use whyslow_model::role::{Role, Roles};

use crate::amount::{Cell, cell};
use crate::pattern::after;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "poop",
    what: "poop (wall_time 39.0ms ± 1.28ms 36.0ms … 44.6ms)",
    repeats: "benchmarks of one command",
    silent: "machine, kernel, or the single runs",
    roles: &[
        ("poop.wall_time", "", Roles::All(Role::RealTime)),
        ("poop.", "", Roles::All(Role::Other)),
    ],
    looks,
    part: Some(|line| command(line).is_some() || figure(line).is_some()),
    known: &["measurement  "],
    read,
};

/// All that it measures.
const MEASURED: [&str; 7] = [
    "wall_time",
    "peak_rss",
    "cpu_cycles",
    "instructions",
    "cache_references",
    "cache_misses",
    "branch_misses",
];

fn looks(text: &Text) -> usize {
    marks(text, |line| figure(line).is_some()) * 3
}

/// The command of `Benchmark 1 (3072 runs): ./wild --strip-debug`.
fn command(line: &str) -> Option<&str> {
    let rest = after(line, "Benchmark ")?;
    let (front, command) = rest.split_once(" runs): ")?;
    front.contains('(').then_some(command.trim())
}

/// `wall_time          39.0ms ± 1.28ms    36.0ms … 44.6ms         21 ( 1%)        0%`: what it is, the mean, and its unit.
fn figure(line: &str) -> Option<(&'static str, f64, &str)> {
    let name = MEASURED.iter().find(|name| after(line, name).is_some())?;
    let (mean, rest) = after(line, name)?.split_once('±')?;
    match cell(mean) {
        Cell::Amount(value, unit) if rest.contains('…') => Some((name, value, unit)),
        _ => None,
    }
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let commands = text
        .lines()
        .filter(|(_, line)| command(line).is_some())
        .count();
    let mut system = "";
    for (number, line) in text.lines() {
        if let Some(command) = command(line) {
            sheet.aside(number);
            // One command alone is what the file is about; of several each is a side.
            system = if commands > 1 { command } else { "" };
            sheet.note("poop", format!("the command was: {command}"));
        } else if let Some((name, value, unit)) = figure(line) {
            sheet.add(system, Row::new("poop", name, unit, Lower), value, number)?;
        }
    }
    Ok(())
}
