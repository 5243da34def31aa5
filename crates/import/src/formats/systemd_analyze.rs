//! systemd-analyze: how long each phase of a boot took.

use whyslow_model::Better::Lower;
use whyslow_model::role::{Role, Roles};

use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "systemd-analyze",
    what: "systemd-analyze (5.171s (firmware) + 10.5s (kernel) + 3.4s (userspace) = 19.1s)",
    repeats: "boots",
    silent: "the machine, or what was started",
    roles: &[
        ("systemd-analyze.", "kernel", Roles::All(Role::SystemTime)),
        ("systemd-analyze.", "", Roles::All(Role::RealTime)),
    ],
    looks,
    part: Some(|line| phases(line).is_some()),
    known: &[],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| phases(line).is_some()) * 10
}

/// `graphical.target reached after 14.544s in userspace`: the target, and the time.
fn reached(line: &str) -> Option<(&str, f64)> {
    let (target, rest) = line.trim().split_once(" reached after ")?;
    let (time, _) = rest.split_once(" in ")?;
    Some((target, seconds(time)?))
}

/// `Startup finished in 5.171s (firmware) + 1min 2.4s (kernel) = 1min 7.5s`: the phases and the sum, in seconds.
fn phases(line: &str) -> Option<Vec<(&str, f64)>> {
    let line = line.trim();
    let line = line.strip_prefix("Startup finished in ").unwrap_or(line);
    let (parts, sum) = line.rsplit_once(" = ")?;
    let mut found: Vec<(&str, f64)> = Vec::new();
    for part in parts.split(" + ") {
        let (time, name) = part.trim().strip_suffix(')')?.split_once(" (")?;
        found.push((name, seconds(time)?));
    }
    found.push(("total", seconds(sum)?));
    Some(found)
}

/// `1min 7.5s`, `364ms` or `5.171s`.
fn seconds(text: &str) -> Option<f64> {
    let (mut sum, mut last) = (0.0, f64::MAX);
    for part in text.split_whitespace() {
        let (value, unit) = split(part)?;
        let scale = match unit {
            "h" => 3600.0,
            "min" => 60.0,
            "s" => 1.0,
            "ms" => 1e-3,
            "us" => 1e-6,
            _ => return None,
        };
        // Each unit is smaller than the one in front: `0.5s 0.5s` is no time.
        if scale >= last {
            return None;
        }
        sum += value * scale;
        last = scale;
    }
    (sum > 0.0).then_some(sum)
}

fn split(text: &str) -> Option<(f64, &str)> {
    let end = text.find(char::is_alphabetic)?;
    Some((text[..end].parse().ok()?, &text[end..]))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    for (number, line) in text.lines() {
        for (name, value) in phases(line).into_iter().flatten() {
            let row = Row::new("systemd-analyze", name, "s", Lower);
            sheet.add("", row, value, number)?;
        }
        if let Some((target, value)) = reached(line) {
            let row = Row::new("systemd-analyze", target, "s", Lower);
            sheet.add("", row.titled(&format!("{target} reached")), value, number)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_of_a_boot() {
        let line = "Startup finished in 364ms (loader) + 1min 2.5s (kernel) = 1min 2.864s ";
        let found = vec![("loader", 0.364), ("kernel", 62.5), ("total", 62.864)];
        assert_eq!(phases(line), Some(found));
        assert_eq!(phases("a = b + c"), None);
        assert_eq!(phases("5 (x) = 5"), None);
    }
}
