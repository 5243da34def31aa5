//! kernbench: times of a kernel's compilation, by load.

use whyslow_model::Better::{self, Lower, Unsaid};
use whyslow_model::role::{Role, Roles, RowRoles};

use crate::amount::{Cell, cell};
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "kernbench",
    what: "kernbench (Elapsed Time, User Time, System Time, Percent CPU)",
    repeats: "kernbench runs",
    silent: "machine, compiler, or the sources that were compiled",
    roles: ROLES,
    looks,
    part: Some(|line| row(line).is_some()),
    known: &[
        "Kernel compilation",
        "kernbench",
        "cpus found",
        "Cleaning",
        "Making",
        "UTC",
    ],
    read,
};

const ROLES: &[RowRoles] = &[
    ("kernbench.elapsed", "", Roles::All(Role::RealTime)),
    ("kernbench.user", "", Roles::All(Role::UserTime)),
    ("kernbench.system", "", Roles::All(Role::SystemTime)),
    ("kernbench.", "", Roles::All(Role::Count)),
];

/// Its rows: how they begin, the unit, which direction is good.
const ROWS: [(&str, &str, Better); 6] = [
    ("Elapsed Time", "s", Lower),
    ("User Time", "s", Lower),
    ("System Time", "s", Lower),
    ("Percent CPU", "%", Unsaid),
    ("Context Switches", "switches", Lower),
    ("Sleeps", "sleeps", Lower),
];

fn looks(text: &Text) -> usize {
    marks(text, |line| row(line).is_some()) * 2
}

/// `Elapsed Time 50.3233 (1.82716)` in parts.
fn row(line: &str) -> Option<(&'static str, f64, &'static str, Better)> {
    ROWS.iter().find_map(|(name, unit, better)| {
        let rest = after(line, name)?;
        let rest = rest.trim_start_matches([':', '=', ' ', '\t']);
        let first = rest.split_whitespace().next()?;
        // Behind the figure only its deviation stands, or also what others say of it in brackets.
        let alone = only_brackets(&rest[first.len()..]);
        match cell(first) {
            Cell::Amount(value, _) if alone => Some((*name, value, *unit, *better)),
            _ => None,
        }
    })
}

/// Is there nothing but brackets, as in `(16.7) ( + 2 % vs base)`?
fn only_brackets(text: &str) -> bool {
    let mut rest = text.trim();
    while let Some((_, behind)) = rest.strip_prefix('(').and_then(|r| r.split_once(')')) {
        rest = behind.trim_start();
    }
    rest.is_empty()
}

/// `Average Optimal -j 8 Load Run:` as `Optimal -j 8`.
fn load_of(line: &str) -> Option<String> {
    let rest = after(line, "Average").filter(|rest| holds(rest, "run"))?;
    let end = rest.split(['(', ':']).next().unwrap_or(rest);
    let words = end.split_whitespace();
    let words: Vec<&str> = words
        .filter(|w| {
            !["load", "run"]
                .iter()
                .any(|drop| w.eq_ignore_ascii_case(drop))
        })
        .collect();
    Some(words.join(" "))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut load = String::new();
    for (number, line) in text.lines() {
        if let Some(next) = load_of(line) {
            sheet.aside(number);
            load = next;
        } else if let Some((name, value, unit, better)) = row(line) {
            let row = Row::new("kernbench", name, unit, better);
            let row = if load.is_empty() {
                row
            } else {
                row.with("load", &load)
            };
            sheet.add("", row, value, number)?;
        }
    }
    Ok(())
}
