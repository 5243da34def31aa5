//! What critcmp prints of Criterion's baselines: a factor, a time with its spread and a rate for each side.

use whyslow_model::Better::{Higher, Lower};

use crate::amount::{Cell, cell};
use crate::pattern::wide_cells;
use crate::posted::ROLES;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "critcmp",
    what: "critcmp (group, and for each baseline a factor, a time and a rate)",
    repeats: "rows of the same name",
    silent: "machine, compiler, or the single measurements",
    roles: ROLES,
    looks,
    part: None,
    known: &["group"],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| header(line).is_some()) * 4
}

/// The names of the baselines, `group     jemalloc    main`.
fn header(line: &str) -> Option<Vec<&str>> {
    let cells = wide_cells(line.trim());
    match cells.split_first() {
        Some((&"group", names)) if !names.is_empty() => Some(names.to_vec()),
        _ => None,
    }
}

/// What stands in a row for one baseline: the time and the rate.
struct Measured<'a> {
    time: (f64, &'a str),
    rate: Option<(f64, &'a str)>,
}

/// The name of a row and its figures: `parser/d3   1.00   34.2±2.76ms   7.7 MB/sec   1.22   41.9±0.96ms   6.3 MB/sec`.
fn figures(line: &str) -> Option<(&str, Vec<Measured<'_>>)> {
    let cells = wide_cells(line.trim());
    let (name, rest) = cells.split_first()?;
    let mut measured = Vec::new();
    // A wide time leaves one space before the rate: `48.5±1.04µs 20.1 KElem/sec`.
    let parted = rest.iter().flat_map(|text| match text.split_once(' ') {
        Some((time, rate)) if time.contains('±') => vec![time, rate],
        _ => vec![*text],
    });
    for text in parted {
        match cell(text) {
            // The factor to the best of the row.
            Cell::Amount(_, "") => {}
            Cell::Amount(value, unit) if unit.ends_with("/sec") => {
                let last: &mut Measured = measured.last_mut()?;
                last.rate = Some((value, unit));
            }
            Cell::Amount(value, unit) if text.contains('±') => measured.push(Measured {
                time: (value, unit),
                rate: None,
            }),
            Cell::Words(text) if text.contains("/sec") => {}
            _ => return None,
        }
    }
    (!measured.is_empty()).then_some((name, measured))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut sides: Vec<&str> = Vec::new();
    for (number, line) in text.lines() {
        if let Some(names) = header(line) {
            sheet.aside(number);
            sides = names;
        } else if let Some((name, measured)) = figures(line) {
            if measured.len() != sides.len() {
                let why = format!(
                    "{} baselines under a header of {}; fill the row up or take it out",
                    measured.len(),
                    sides.len()
                );
                sheet.refuse(number, why);
                continue;
            }
            for (side, Measured { time, rate }) in sides.iter().zip(measured) {
                let row = Row::new("columns", name, time.1, Lower);
                sheet.add(side, row, time.0, number)?;
                // A rate that is rounded to none says nothing.
                if let Some((value, unit)) = rate.filter(|(value, _)| *value > 0.0) {
                    let row = Row::new("columns", &format!("{name} rate"), unit, Higher);
                    sheet.add(side, row, value, number)?;
                }
            }
        }
    }
    Ok(())
}
