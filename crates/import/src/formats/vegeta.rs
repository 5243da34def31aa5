//! vegeta: its report of a load with a fixed rate.

use whyslow_model::Better::{self, Higher, Lower, Unsaid};
use whyslow_model::role::{Role, Roles};

use crate::amount::{Cell, cell};
use crate::number::plain;
use crate::reader::marks;
use crate::{Commands, Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "vegeta",
    what: "vegeta report (Requests [total, rate, throughput], Latencies [mean, 50, 95, 99, max])",
    repeats: "attacks of vegeta",
    silent: "machines, the server, or what lies between them",
    roles: &[("vegeta.", "", Roles::All(Role::Application))],
    looks,
    part: Some(|line| row(line).is_some()),
    known: &["Status Codes", "Error Set"],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| row(line).is_some()) * 3
}

/// `Latencies     [mean, 50, 95, 99, max]    113.172398ms, 108.272568ms, ...`: the name, the columns and the cells.
fn row(line: &str) -> Option<(&str, Vec<&str>, Vec<&str>)> {
    let (name, rest) = line.trim().split_once('[')?;
    let (columns, rest) = rest.split_once(']')?;
    let name = name.trim();
    let known = [
        "Requests",
        "Duration",
        "Latencies",
        "Bytes In",
        "Bytes Out",
        "Success",
    ];
    let columns: Vec<&str> = columns.split(',').map(str::trim).collect();
    let cells: Vec<&str> = rest.split(',').map(str::trim).collect();
    known.contains(&name).then_some((name, columns, cells))
}

/// What a figure is: the unit where none is printed, and which direction is good.
fn kind(name: &str, column: &str) -> (&'static str, Better) {
    match (name, column) {
        ("Requests", "rate" | "throughput") => ("requests/s", Higher),
        ("Requests", _) => ("requests", Higher),
        ("Latencies", _) | ("Duration", "wait") => ("", Lower),
        ("Success", _) => ("%", Higher),
        ("Bytes In" | "Bytes Out", _) => ("bytes", Unsaid),
        _ => ("", Unsaid),
    }
}

/// A time as Go prints it, `10.094965987s`, `1m30.5s`, `950µs`, or a plain number.
fn figure(text: &str) -> Option<(f64, &str)> {
    if let Some(share) = text.strip_suffix('%') {
        return Some((plain(share)?, "%"));
    }
    match cell(text) {
        Cell::Amount(value, unit) => Some((value, unit)),
        _ => None,
    }
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut commands = Commands::of(text);
    for (number, line) in text.lines() {
        let Some((name, columns, cells)) = row(line) else {
            if commands.at(line) {
                sheet.aside(number);
            }
            continue;
        };
        if columns.len() != cells.len() {
            let why = format!("{} figures for {} names", cells.len(), columns.len());
            sheet.refuse(number, format!("{why}; the line is cut short or broken"));
            continue;
        }
        sheet.aside(number);
        for (column, text) in columns.iter().zip(cells) {
            let Some((value, own)) = figure(text) else {
                let text = crate::error::quote(text);
                sheet.refuse(
                    number,
                    format!("'{text}' is no figure; is the line broken?"),
                );
                break;
            };
            let (unit, better) = kind(name, column);
            let unit = if own.is_empty() { unit } else { own };
            if value > 0.0 {
                let row = Row::new("vegeta", &format!("{name} {column}"), unit, better);
                sheet.add("", commands.on(row), value, number)?;
            }
        }
    }
    Ok(())
}
