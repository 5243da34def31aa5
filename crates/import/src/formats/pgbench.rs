//! pgbench: transactions a second of PostgreSQL, and how long each took.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::{number_in_front, plain};
use crate::pattern::{after, labelled};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "pgbench",
    what: "pgbench (latency average, tps)",
    repeats: "runs of pgbench",
    silent: "machines, the server's settings, or what lies between client and server",
    roles: &[("pgbench.", "", Roles::All(Role::Application))],
    looks,
    part: Some(|line| figure(line).is_some() || line.contains(STATEMENTS)),
    known: &[
        "pgbench",
        "starting vacuum",
        "transaction type",
        "scaling factor",
        "query mode",
        "number of clients",
        "number of threads",
        "maximum number of tries",
        "number of failed",
        "number of transactions per client",
        "duration:",
        "progress:",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        figure(line).is_some() || processed(line).is_some()
    }) * 3
}

/// A figure: how its row is called, its value, its unit, and whether more is better.
fn figure(line: &str) -> Option<(String, f64, &str, bool)> {
    let line = line.trim();
    if let Some((value, rest)) = after(line, "tps = ").and_then(number_in_front) {
        // Two rows differ in what stands in brackets alone.
        return Some((format!("tps {rest}"), value, "tps", true));
    }
    let names = [
        "latency average",
        "latency stddev",
        "initial connection time",
    ];
    let name = names.iter().find(|name| line.starts_with(**name))?;
    let rest = line[name.len()..].trim_start();
    let (value, unit) = number_in_front(rest.strip_prefix(['=', ':'])?)?;
    (unit == "ms").then(|| ((*name).to_owned(), value, unit, false))
}

/// `number of transactions actually processed: 45052`, also `100/100`.
fn processed(line: &str) -> Option<f64> {
    let rest = after(line, "number of transactions actually processed:")?;
    plain(rest.split('/').next()?.trim())
}

/// What stands above the times of the statements.
const STATEMENTS: &str = "statement latencies in milliseconds";

/// `0.488           0  BEGIN;`: the statement, what it took, and whether it is one of the script's own, `\\set`. How often it
/// failed stands between them in newer versions.
fn statement(line: &str) -> Option<(&str, f64, bool)> {
    let (value, rest) = line.trim().split_once(char::is_whitespace)?;
    let (value, rest) = (plain(value)?, rest.trim_start());
    let failed = rest.split_once(char::is_whitespace);
    let text = match failed {
        Some((count, text)) if count.bytes().all(|b| b.is_ascii_digit()) => text.trim(),
        _ => rest,
    };
    let is = text.starts_with(|c: char| c.is_alphabetic() || c == '\\');
    is.then(|| (text, value, text.starts_with('\\')))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let clients = |line| labelled(line, "number of clients");
    let mut loads: Vec<&str> = text.lines().filter_map(|(_, line)| clients(line)).collect();
    loads.sort_unstable();
    loads.dedup();
    let mut load = "";
    let mut timed = false;
    let mut statements = false;
    // The count says no more than the rate, and is of another time on the other side.
    let rated = text
        .lines()
        .any(|(_, line)| after(line, "tps = ").is_some());
    for (number, line) in text.lines() {
        let row = |title: &str, unit: &str, better| {
            let row = Row::new("pgbench", title, unit, better);
            match loads.len() > 1 && !load.is_empty() {
                true => row.with("clients", load),
                false => row,
            }
        };
        if let Some(next) = clients(line) {
            load = next;
            timed = false;
        } else if after(line, "duration:").is_some() {
            timed = true;
        } else if let Some(value) = processed(line) {
            // Without a duration it is what was asked for.
            if timed && !rated {
                let title = "number of transactions actually processed";
                sheet.add("", row(title, "transactions", Higher), value, number)?;
            } else {
                sheet.aside(number);
            }
        } else if let Some((title, value, unit, more)) = figure(line) {
            let better = if more { Higher } else { Lower };
            sheet.add("", row(&title, unit, better), value, number)?;
            statements = false;
        } else if line.contains(STATEMENTS) {
            sheet.aside(number);
            statements = true;
        } else if let Some((title, value, own)) = statement(line).filter(|_| statements) {
            // What the script does by itself takes microseconds, printed as zeros.
            match own {
                true => sheet.aside(number),
                false => sheet.add("", row(title, "ms", Lower), value, number)?,
            }
        }
    }
    if let [one] = loads.as_slice() {
        sheet.state("", "copies", one);
    }
    Ok(())
}
