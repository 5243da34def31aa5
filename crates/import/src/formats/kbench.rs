//! kbench: fio's figures of a volume of Kubernetes, of one or of two beside each other.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::grouped;
use crate::pattern::holds;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "kbench",
    what: "kbench (FIO Benchmark Summary, IOPS (Read/Write), Random: 61,411 / 10,612)",
    repeats: "runs of kbench",
    silent: "the machines, the disks below, or the network between",
    roles: &[("kbench.", "", Roles::All(Role::FileDevice))],
    looks,
    part: Some(|line| section(line).is_some() || row(line).is_some()),
    known: &[
        "=====",
        "FIO Benchmark",
        "For:",
        "Size:",
        "Quick Mode",
        "CPU Idleness Profiling",
        "SIZE:",
        "QUICK MODE:",
        "Volume",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    let named = marks(text, |line| holds(line, "FIO Benchmark"));
    let sections = marks(text, |line| section(line).is_some());
    if sections > 0 {
        10 * (named + sections)
    } else {
        0
    }
}

/// `IOPS (Read/Write)`, `Bandwidth in KiB/sec (Read/Write)`, `Latency in ns (Read/Write)`: what is measured, and the unit.
fn section(line: &str) -> Option<(&str, &str)> {
    let front = line.trim().strip_suffix("(Read/Write)")?.trim();
    Some(front.split_once(" in ").unwrap_or((front, "IOPS")))
}

/// `Random:  61,411 / 10,612   vs   7,365 / 252  :  -88.01% / -97.63%`: how, and what was read and written, of each side.
fn row(line: &str) -> Option<(&str, Vec<[f64; 2]>)> {
    let (name, rest) = line.trim().split_once(':')?;
    let known = ["Random", "Sequential"].contains(&name.trim());
    let rest = rest.split_once(" : ").map_or(rest, |(rest, _)| rest);
    let of = |side: &str| -> Option<[f64; 2]> {
        let (read, write) = side.split_once('/')?;
        Some([grouped(read.trim())?, grouped(write.trim())?])
    };
    let sides: Option<Vec<[f64; 2]>> = rest.split(" vs ").map(of).collect();
    sides.filter(|_| known).map(|sides| (name.trim(), sides))
}

/// `Local-Path   vs   Longhorn   :   Change`, or `For: Local-Path vs Longhorn`: the sides.
fn names(line: &str) -> Option<Vec<&str>> {
    let line = line.trim();
    let line = line.strip_prefix("For:").unwrap_or(line);
    let line = line.split_once(" : ").map_or(line, |(names, _)| names);
    let names: Vec<&str> = line.split(" vs ").map(str::trim).collect();
    (names.len() == 2 && names.iter().all(|name| !name.is_empty())).then_some(names)
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut sides: Vec<&str> = Vec::new();
    let mut what = ("IOPS", "IOPS");
    for (number, line) in text.lines() {
        if let Some(found) = section(line) {
            sheet.aside(number);
            what = found;
        } else if let Some((how, figures)) = row(line) {
            let better = if holds(what.0, "Latency") {
                Lower
            } else {
                Higher
            };
            for (at, pair) in figures.iter().enumerate() {
                let system = if figures.len() > 1 {
                    sides.get(at)
                } else {
                    None
                };
                for (value, way) in pair.iter().zip(["Read", "Write"]) {
                    let title = format!("{} {how} {way}", what.0);
                    let row = Row::new("kbench", &title, what.1, better);
                    sheet.add(system.copied().unwrap_or_default(), row, *value, number)?;
                }
            }
        } else if let Some(found) = names(line) {
            sheet.aside(number);
            sides = found;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_volume_or_two() {
        let line = "Random:  61,411 / 10,612   vs   7,365 / 252  :  -88.01% / -97.63%";
        let both = vec![[61_411.0, 10_612.0], [7_365.0, 252.0]];
        assert_eq!(row(line), Some(("Random", both)));
        assert_eq!(
            row("Sequential: 5 / 6").map(|(_, sides)| sides.len()),
            Some(1)
        );
        assert_eq!(row("Random: 5"), None);
        let header = "      Local-Path   vs     Longhorn    :         Change";
        assert_eq!(names(header), Some(vec!["Local-Path", "Longhorn"]));
        assert_eq!(
            section("Latency in ns (Read/Write)"),
            Some(("Latency", "ns"))
        );
    }
}
