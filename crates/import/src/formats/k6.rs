//! k6: the summary at the end of a test.

use whyslow_model::Better::{self, Higher, Lower, Unsaid};
use whyslow_model::role::{Role, Roles};

use crate::amount::{Cell, cell};
use crate::number::plain;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "k6",
    what: "k6's summary (http_req_duration....: avg= min= med= max= p(95)=)",
    repeats: "tests of k6",
    silent: "machines, the server, or what lies between them",
    roles: &[("k6.", "", Roles::All(Role::Application))],
    looks,
    part: Some(|line| row(line).is_some()),
    known: &[
        "scenarios:",
        "execution:",
        "looping VUs",
        "running (",
        "default ",
        "complete and",
        "checks_",
        "✓",
        "✗",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    let own = marks(text, |line| {
        row(line).is_some_and(|(name, _)| name.starts_with("http_req") || name == "iterations")
    });
    own * 4
}

/// `http_req_duration..............: avg=21.06ms  min=1.1ms ...`: the name and what follows. Dots fill it up.
fn row(line: &str) -> Option<(&str, &str)> {
    let (front, rest) = line.trim().split_once("..:").or_else(|| {
        let (front, rest) = line.trim().split_once(".:")?;
        front.ends_with('.').then_some((front, rest))
    })?;
    let front = front.trim_start_matches(['✓', '✗', ' ']);
    let name = front.trim_end_matches('.').trim();
    // What holds of some of them only, `{ expected_response:true }`.
    let named = |c: char| c.is_alphanumeric() || "_{}: ".contains(c);
    let is = !name.is_empty() && name.len() < 80 && name.chars().all(named);
    is.then_some((name, rest.trim()))
}

/// A figure as printed, with its unit.
fn figure(text: &str) -> Option<(f64, &str)> {
    match cell(text) {
        Cell::Amount(value, unit) => Some((value, unit)),
        _ => None,
    }
}

/// What a rate or an amount of `name` is good for.
fn better(name: &str) -> Better {
    match name {
        "vus" | "vus_max" => Unsaid,
        "dropped_iterations" => Lower,
        _ => Higher,
    }
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut above = "";
    for (number, line) in text.lines() {
        let Some((own, rest)) = row(line) else {
            continue;
        };
        sheet.aside(number);
        // A part stands below what it is part of.
        let name = match own.starts_with('{') {
            true => format!("{above} {own}"),
            false => {
                above = own;
                own.to_owned()
            }
        };
        let mut add = |title: &str, (value, unit): (f64, &str), better: Better| match value > 0.0 {
            true => sheet.add("", Row::new("k6", title, unit, better), value, number),
            false => Ok(()),
        };
        let parts: Vec<&str> = rest.split_whitespace().collect();
        let pairs = parts.iter().filter_map(|part| part.split_once('='));
        let mut paired = false;
        for (key, value) in pairs {
            paired = true;
            if let Some(found) = figure(value) {
                let better = match own {
                    "vus" | "vus_max" => Unsaid,
                    _ => Lower,
                };
                add(&format!("{name} {key}"), found, better)?;
            }
        }
        if paired {
            continue;
        }
        // `15 MB  497 kB/s`, `14250  474.625/s`, `99.50% ✓ 100 ✗ 2`
        match parts[..] {
            [share, ..] if share.ends_with('%') => {
                if let Some(value) = plain(share.trim_end_matches('%')) {
                    let good = !own.contains("failed");
                    add(&name, (value, "%"), if good { Higher } else { Lower })?;
                }
            }
            [count, unit, rate, per] => {
                if let (Some(count), Some(rate)) = (plain(count), plain(rate)) {
                    add(&name, (count, unit), better(own))?;
                    add(&format!("{name} rate"), (rate, per), better(own))?;
                }
            }
            [count, rate] => {
                if let (Some(count), Some(rate)) = (plain(count), rate.strip_suffix("/s")) {
                    add(&name, (count, ""), better(own))?;
                    if let Some(rate) = plain(rate) {
                        add(&format!("{name} rate"), (rate, "/s"), better(own))?;
                    }
                }
            }
            [count] => {
                if let Some(count) = plain(count) {
                    add(&name, (count, ""), better(own))?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}
