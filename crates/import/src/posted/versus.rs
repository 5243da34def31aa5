//! Lines that hold a figure of each side behind their label: `4K read: host 210k IOPS, guest 145k IOPS (-31%)`.

use super::names::{is_quantity, is_statistic};
use super::row::{PostedRow, plain_label};
use crate::amount::{Cell, cell};
use crate::direction::{is_bytes, of_unit};

/// What one side does, and not what a side is called.
const OPERATIONS: [&str; 16] = [
    "read",
    "write",
    "randread",
    "randwrite",
    "upload",
    "download",
    "tx",
    "rx",
    "sent",
    "received",
    "get",
    "set",
    "compress",
    "decompress",
    "encrypt",
    "decrypt",
];

/// Does the unit say which direction is good, also behind the prefix of its figure, `210k IOPS`?
fn is_good_or_bad(unit: &str) -> bool {
    let bare = unit.strip_prefix(['k', 'K', 'M', 'G']).unwrap_or(unit);
    of_unit(unit).is_some() || of_unit(bare.trim_start()).is_some()
}

/// The row of a line with the name of its side in brackets behind each figure: `dd: 1.2 GB/s (ext4) vs 0.9 GB/s (btrfs)`.
pub(super) fn bracketed(line: &str) -> Option<PostedRow<'_>> {
    let (label, mut rest) = line.split_once(": ")?;
    if line.contains('|') || !label.chars().any(char::is_alphabetic) {
        return None;
    }
    let mut cells: Vec<&str> = Vec::new();
    let mut unit = None;
    loop {
        let (figure, behind) = rest.trim().split_once(" (")?;
        let (name, behind) = behind.split_once(')')?;
        let Cell::Amount(_, own) = cell(figure) else {
            return None;
        };
        let named = name.chars().filter(|c| c.is_alphabetic()).count() > 1
            && match cell(name) {
                Cell::Words(_) => true,
                // `6 channels` against `3 channels`
                Cell::Amount(_, unit) => {
                    unit.chars().all(char::is_alphabetic)
                        && !is_bytes(unit)
                        && of_unit(unit).is_none()
                }
                _ => false,
            }
            && of_unit(name).is_none()
            && !is_quantity(name);
        if !named || !is_good_or_bad(own) || unit.is_some_and(|unit| unit != own) {
            return None;
        }
        unit = Some(own);
        cells.extend([name, figure]);
        let behind = behind.trim_start();
        let next = ["vs. ", "vs ", "versus ", "-> ", "→ ", ", ", "/ "];
        rest = next
            .iter()
            .find_map(|sign| behind.strip_prefix(sign))
            .unwrap_or(behind);
        if rest.trim().is_empty() {
            break;
        }
    }
    told_apart(&cells).then(|| PostedRow {
        cells,
        ..PostedRow::of_one(plain_label(label), label, label)
    })
}

/// Are there several sides, with a name each?
fn told_apart(cells: &[&str]) -> bool {
    let names: Vec<&&str> = cells.iter().step_by(2).collect();
    let alike = names
        .iter()
        .enumerate()
        .any(|(at, name)| names[..at].contains(name));
    names.len() > 1 && !alike
}

/// The row of such a line: names of sides with their figures, all of one unit.
pub(super) fn row(line: &str) -> Option<PostedRow<'_>> {
    /// Words of a side's name: more are a sentence.
    const WORDS: usize = 3;
    let (label, rest) = line.split_once(": ")?;
    if line.contains('|') || !label.chars().any(char::is_alphabetic) || line.ends_with('.') {
        return None;
    }
    let mut cells: Vec<&str> = Vec::new();
    let mut unit = None;
    for clause in rest.split(", ").map(str::trim) {
        let (at, _) = clause
            .match_indices(' ')
            .find(|(at, _)| clause[at + 1..].starts_with(|c: char| c.is_ascii_digit()))?;
        let (name, figure) = (clause[..at].trim(), &clause[at + 1..]);
        let named = name.starts_with(char::is_alphabetic)
            && name.split_whitespace().count() <= WORDS
            && !name.contains([':', '='])
            && !is_statistic(name)
            && !is_quantity(name)
            && !OPERATIONS.contains(&name.to_lowercase().as_str());
        let Cell::Amount(_, own) = cell(figure) else {
            return None;
        };
        if !named || !is_good_or_bad(own) || unit.is_some_and(|unit| unit != own) {
            return None;
        }
        unit = Some(own);
        cells.extend([name, figure]);
    }
    told_apart(&cells).then(|| PostedRow {
        cells,
        ..PostedRow::of_one(plain_label(label), label, label)
    })
}

#[cfg(test)]
mod tests {
    use super::{bracketed, row};

    #[test]
    fn sides_stand_behind_a_label() {
        let found = row("4K read:  host 210k IOPS, guest 145k IOPS (-31%)").unwrap();
        assert_eq!(found.label, "4K read");
        assert_eq!(
            found.cells,
            ["host", "210k IOPS", "guest", "145k IOPS (-31%)"]
        );
        let found = bracketed("dd bs=1M: 1.2 GB/s (ext4) vs 0.9 GB/s (btrfs)").unwrap();
        assert_eq!(found.cells, ["ext4", "1.2 GB/s", "btrfs", "0.9 GB/s"]);
        assert!(bracketed("Copy: 185.5 GB/s (6 channels)   92.5 GB/s (3 channels)").is_some());
        for other in [
            "write: 98 MiB/s (104 MB/s)",
            "a: 5 s (10 %) vs 6 s (12 %)",
            "a: 5 s (one)",
        ] {
            assert!(bracketed(other).is_none(), "{other}");
        }
        for other in [
            "before: throughput 11.5 Gbps, latency 121 us",
            "copy: avg 3185 us, stddev 19 us",
            "took: one 5 s",
            "total: 5 s, 6 s",
            "latency: p50 12 us, p99 55 us",
            "disk: read 210k IOPS, write 145k IOPS",
        ] {
            assert!(row(other).is_none(), "{other}");
        }
    }
}
