//! A result file of the Phoronix Test Suite as text: the bars of each test, one a system.

use whyslow_model::Better;
use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::direction::of_unit;
use crate::number::grouped;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "phoronix-bars",
    what: "a result file of the Phoronix Test Suite as text (Linux 6.1 ........ 47.50 |=====)",
    repeats: "results of one test",
    silent: "single runs, or what else ran",
    roles: &[("phoronix.", "", Roles::All(Role::Application))],
    looks,
    part: Some(|line| bar(line).is_some()),
    known: &["Is Better", "MIN:", "System Details", "Processor:"],
    read,
};

fn looks(text: &Text) -> usize {
    let bars = marks(text, |line| bar(line).is_some());
    match text.lines().any(|(_, line)| unit(line).is_some()) {
        true => bars * 3,
        false => 0,
    }
}

/// `Without LKRG 1 .......... 47.50 |==================`: the system and its result.
fn bar(line: &str) -> Option<(&str, f64)> {
    let (front, drawn) = line.rsplit_once('|')?;
    let (named, value) = front.trim_end().rsplit_once(' ')?;
    let name = named.trim_end_matches('.');
    let dots = name.len() < named.len() && name.ends_with(' ');
    let bars = drawn.trim().chars().all(|c| c == '=');
    let name = name.trim();
    (dots && bars && !name.is_empty()).then_some((name, grouped(value)?))
}

/// `Seconds < Lower Is Better`: the unit and the direction.
fn unit(line: &str) -> Option<(&str, Better)> {
    let bare = line.trim();
    if let Some(unit) = bare.strip_suffix("< Lower Is Better") {
        return Some((unit.trim(), Lower));
    }
    let unit = bare.strip_suffix("> Higher Is Better")?;
    Some((unit.trim(), Higher))
}

/// Does the line end with a figure and its unit, which is no name of a test?
fn is_figure(line: &str) -> bool {
    let mut words = line.split_whitespace().rev();
    let unit = words.next().is_some_and(|word| of_unit(word).is_some());
    unit && words.next().and_then(grouped).is_some()
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut above: Vec<(usize, &str)> = Vec::new();
    let mut before = Vec::new();
    let mut test: Option<(String, &str, Better)> = None;
    for (number, line) in text.lines() {
        if line.trim().is_empty() {
            // A test without settings has an empty line in their place.
            if !above.is_empty() {
                before = std::mem::take(&mut above);
            }
        } else if let Some((unit, better)) = unit(line) {
            sheet.aside(number);
            // What is tested, and how, stands above its unit.
            let lines = if above.is_empty() {
                &mut before
            } else {
                &mut above
            };
            for (line, _) in lines.iter() {
                sheet.aside(*line);
            }
            let title: Vec<&str> = lines.drain(..).map(|(_, words)| words).collect();
            test = Some((title.join(", "), unit, better));
        } else if let Some((system, value)) = bar(line) {
            let Some((title, unit, better)) = &test else {
                sheet.refuse(number, "a bar without a line above it that says its unit");
                continue;
            };
            let row = Row::new("phoronix", title, unit, *better);
            sheet.add(system, row, value, number)?;
        } else if !is_figure(line) {
            above.push((number, line.trim()));
        }
    }
    Ok(())
}
