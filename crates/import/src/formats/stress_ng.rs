//! stress-ng's table of metrics.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles, RowRoles};

use crate::direction::of_words;
use crate::number::grouped;
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "stress-ng",
    what: "stress-ng --metrics (bogo ops of each stressor)",
    repeats: "stress-ng runs",
    silent: "machine, kernel, or how many workers there were",
    roles: ROLES,
    looks,
    part: Some(|line| after(line, "stress-ng:").is_some()),
    known: &[
        "dispatching",
        "successful run",
        "setting to",
        "completed in",
        "passed:",
        "failed:",
        "skipped:",
        "metrics untrustworthy",
    ],
    read,
};

const fn all(part: &'static str, role: Role) -> RowRoles {
    ("stress_ng.", part, Roles::All(role))
}

const ROLES: &[RowRoles] = &[
    all("time", Role::Other),
    all("stress_ng.msg", Role::SwitchAnyCpu),
    all("stress_ng.switch", Role::SwitchAnyCpu),
    all("stress_ng.pipe", Role::SwitchAnyCpu),
    all("stress_ng.futex", Role::SwitchAnyCpu),
    all("stress_ng.context", Role::SwitchAnyCpu),
    all("stress_ng.fork", Role::Fork),
    all("stress_ng.clone", Role::Fork),
    all("stress_ng.exec", Role::ProgramStart),
    all("stress_ng.get", Role::SystemCall),
    all("stress_ng.null", Role::SystemCall),
    all("stress_ng.mmap", Role::Fault),
    all("stress_ng.fault", Role::Fault),
    all("stress_ng.memcpy", Role::MemoryRoutines),
    all("stress_ng.stream", Role::MemoryBandwidth),
    all("stress_ng.cpu", Role::Compute),
    all("stress_ng.matrix", Role::Compute),
    all("stress_ng.open", Role::FileMetadata),
    all("stress_ng.poll", Role::Descriptors),
    all("stress_ng.sig", Role::Signal),
];

/// The columns behind a stressor's name.
const COLUMNS: [(&str, &str, Better); 6] = [
    ("bogo ops", "ops", Higher),
    ("real time", "secs", Lower),
    ("usr time", "secs", Lower),
    ("sys time", "secs", Lower),
    ("bogo ops/s (real time)", "ops/s", Higher),
    ("bogo ops/s (usr+sys time)", "ops/s", Higher),
];

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        holds(line, "stressor") && holds(line, "bogo ops")
    }) * 5
}

/// A line without the program's name and the number of its process.
fn said(line: &str) -> &str {
    let Some(rest) = after(line, "stress-ng:") else {
        return line.trim();
    };
    match rest.split_once(']') {
        Some((front, rest)) if front.contains('[') => rest.trim(),
        _ => rest,
    }
}

/// A metric of a stressor's own, `switch  42484.17 nanosecs per context switch (pipe method) (geometric mean of 8 instances)`.
fn metric(words: &[&str]) -> Option<(Row, f64)> {
    let [name, value, what @ ..] = words else {
        return None;
    };
    let what: Vec<&str> = what
        .iter()
        .take_while(|word| !word.starts_with('('))
        .copied()
        .collect();
    let (value, what) = (grouped(value)?, what.join(" "));
    let better = of_words(&what).unwrap_or(Better::Unsaid);
    let row = Row::new("stress_ng", &format!("{name} {what}"), "", better);
    (!what.is_empty()).then_some((row, value))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let (mut in_table, mut further) = (false, false);
    for (number, line) in text.lines() {
        let words: Vec<&str> = said(line).split_whitespace().collect();
        if holds(line, "miscellaneous metrics") {
            sheet.aside(number);
            (in_table, further) = (false, true);
        } else if let Some((row, value)) = metric(&words).filter(|_| further) {
            sheet.add("", row, value, number)?;
        } else if holds(line, "stressor") && holds(line, "bogo ops") || holds(line, "(secs)") {
            sheet.aside(number);
            in_table = true;
        } else if let Some((name, figures)) = words.split_first().filter(|_| in_table) {
            let values: Option<Vec<f64>> = figures.iter().map(|w| grouped(w)).collect();
            // Newer versions print the CPU's use and the resident size behind.
            let Some(values) = values.filter(|v| v.len() >= COLUMNS.len()) else {
                continue;
            };
            for ((what, unit, better), value) in COLUMNS.iter().zip(values) {
                let row = Row::new("stress_ng", &format!("{name} {what}"), unit, *better);
                sheet.add("", row, value, number)?;
            }
        }
    }
    Ok(())
}
