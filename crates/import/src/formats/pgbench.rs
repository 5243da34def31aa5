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
    part: Some(|line| figure(line).is_some()),
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

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let clients = |line| labelled(line, "number of clients");
    let mut loads: Vec<&str> = text.lines().filter_map(|(_, line)| clients(line)).collect();
    loads.sort_unstable();
    loads.dedup();
    let mut load = "";
    let mut timed = false;
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
            if timed {
                let title = "number of transactions actually processed";
                sheet.add("", row(title, "transactions", Higher), value, number)?;
            } else {
                sheet.aside(number);
            }
        } else if let Some((title, value, unit, more)) = figure(line) {
            let better = if more { Higher } else { Lower };
            sheet.add("", row(&title, unit, better), value, number)?;
        }
    }
    if let [one] = loads.as_slice() {
        sheet.state("", "copies", one);
    }
    Ok(())
}
