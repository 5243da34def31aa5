//! hackbench, by itself or run by others.

use std::collections::BTreeSet;

use whyslow_model::Better::Lower;
use whyslow_model::role::{Role, Roles};

use crate::amount::{Cell, cell};
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "hackbench",
    what: "hackbench (Time: 1.234)",
    repeats: "hackbench runs",
    silent: "machine, kernel, or what else ran",
    roles: &[("hackbench.", "", Roles::All(Role::SwitchAnyCpu))],
    looks,
    part: Some(|line| time(line).is_some() || after(line, "Running in process mode").is_some()),
    known: &["Running in", "Running with", "Each sender", "hackbench"],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| time(line).is_some()) * 2
}

/// `Time: 1.234` alone on its line.
fn time(line: &str) -> Option<f64> {
    let rest = after(line, "Time:")?;
    // likwid-bench prints powers of ten, hackbench never does.
    if rest.contains("e+") || rest.contains("e-") {
        return None;
    }
    match cell(rest) {
        Cell::Amount(value, "" | "s" | "sec" | "seconds") => Some(value),
        _ => None,
    }
}

/// What `Running in process mode with 10 groups using 40 file descriptors each (== 400 tasks)` says.
fn options(line: &str) -> Option<(String, String)> {
    let at = line.find("Running ")?;
    let words: Vec<&str> = line[at..].split_whitespace().collect();
    let before = |word: &str| {
        let at = words.iter().position(|w| w.starts_with(word))?;
        words.get(at.checked_sub(1)?).map(|w| (*w).to_owned())
    };
    let mode = before("mode").unwrap_or_default();
    let groups = before("groups")
        .or_else(|| before("tasks").map(|t| t.trim_matches(['(', ')', '=']).to_owned()));
    Some((mode, groups.unwrap_or_default()))
}

/// The options that hackbench was started with, `-g 16 --pipe`, in order.
fn command(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    words.find(|word| word.rsplit('/').next() == Some("hackbench"))?;
    let options: Vec<&str> = words.collect();
    options
        .first()
        .is_some_and(|first| first.starts_with('-'))
        .then(|| options.join(" "))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let (mut mode, mut groups) = (String::new(), String::new());
    // Only what differs tells runs apart: on another page the same run may be started otherwise.
    let commands: BTreeSet<String> = text.lines().filter_map(|(_, line)| command(line)).collect();
    let several = commands.len() > 1;
    let mut started = None;
    for (number, line) in text.lines() {
        if let Some(of_run) = command(line) {
            started = Some(of_run);
        }
        if let Some(value) = time(line) {
            let mut row =
                Row::new("hackbench", "hackbench Time", "s", Lower).id("hackbench", "time");
            if let Some(options) = started.as_ref().filter(|_| several) {
                row = row
                    .with("options", options)
                    .titled(&format!("hackbench {options}"));
            }
            for (name, said) in [("mode", &mode), ("groups", &groups)] {
                if !said.is_empty() {
                    row = row.with(name, said);
                }
            }
            sheet.add("", row, value, number)?;
        } else if holds(line, "Running ")
            && let Some(said) = options(line)
        {
            sheet.aside(number);
            (mode, groups) = said;
        }
    }
    Ok(())
}
