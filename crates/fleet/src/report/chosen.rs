//! Which records of which nodes count, and which nodes belong together.

use std::collections::BTreeMap;

use whyslow_model::fleet::HardwareFact;

use crate::index::{Catalog, RecordEntry};

/// A node with its records that count, in the order of time.
pub(super) type NodeRecords = (String, Vec<i64>, String);

/// What counts.
pub(super) struct Chosen {
    /// Groups of the same hardware, the largest first: nodes with the numbers of their records and the start of the
    /// newest.
    pub(super) groups: Vec<(Vec<HardwareFact>, Vec<NodeRecords>)>,
    /// Path of the newest record of each node.
    pub(super) records: BTreeMap<String, String>,
    /// Files that cannot be used.
    pub(super) unused: Vec<String>,
    /// Start of the newest record of all.
    pub(super) newest: Option<String>,
}

/// Chooses from what an index has: of each node the newest record and those of the same hardware within some hours.
pub(super) fn chosen(catalog: &Catalog, within_hours: f64) -> Chosen {
    let mut unused: Vec<String> = Vec::new();
    let mut by_node: BTreeMap<&str, Vec<(&RecordEntry, f64)>> = BTreeMap::new();
    for entry in &catalog.records {
        if entry.problem.is_empty() {
            let at = seconds(&entry.started).unwrap_or(f64::NEG_INFINITY);
            by_node.entry(&entry.node).or_default().push((entry, at));
        } else {
            unused.push(entry.problem.clone());
        }
    }
    unused.sort();
    let mut groups: BTreeMap<&Vec<HardwareFact>, Vec<NodeRecords>> = BTreeMap::new();
    let mut records = BTreeMap::new();
    let mut newest: Option<(f64, &str)> = None;
    let none = Vec::new();
    for (node, mut own) in by_node {
        own.sort_by(|(x, a), (y, b)| a.total_cmp(b).then(x.path.cmp(&y.path)));
        let Some((last, at)) = own.last().copied() else {
            continue;
        };
        if newest.is_none_or(|(known, _)| at > known) {
            newest = Some((at, &last.started));
        }
        let facts = |entry: &RecordEntry| catalog.hardware.get(&entry.hardware).unwrap_or(&none);
        let from = at - 3600.0 * within_hours;
        let counts =
            |(entry, began): &&(&RecordEntry, f64)| *began >= from && facts(entry) == facts(last);
        let ids: Vec<i64> = own.iter().filter(counts).map(|(e, _)| e.id).collect();
        records.insert(node.to_owned(), last.path.clone());
        let of_group = groups.entry(facts(last)).or_default();
        of_group.push((node.to_owned(), ids, last.started.clone()));
    }
    let groups = groups.into_iter();
    let mut groups: Vec<_> = groups.map(|(facts, own)| (facts.clone(), own)).collect();
    groups.sort_by(|(f, a), (g, b)| b.len().cmp(&a.len()).then(f.cmp(g)));
    Chosen {
        groups,
        records,
        unused,
        newest: newest.map(|(_, started)| started.to_owned()),
    }
}

/// Seconds of a time as records have it, `2026-11-25T03:00:00Z`, from some day on; fractions of a second are cut.
fn seconds(text: &str) -> Option<f64> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    // Days of the proleptic Gregorian calendar, from March on (Hinnant, "chrono-compatible date algorithms").
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days = 365 * year + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (153 * month + 2) / 5
        + day;
    Some((days * 86_400 + hour * 3600 + minute * 60 + second) as f64)
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn times_are_ordered_over_days_months_and_years() {
        let day = |a: &str, b: &str| seconds(b).unwrap() - seconds(a).unwrap();
        assert_eq!(day("2026-02-28T23:59:59Z", "2026-03-01T00:00:00.5Z"), 1.0);
        assert_eq!(
            day("2024-02-28T00:00:00Z", "2024-03-01T00:00:00Z"),
            2.0 * 86_400.0
        );
        assert_eq!(
            day("2025-12-31T12:00:00Z", "2026-01-01T13:00:00Z"),
            25.0 * 3600.0
        );
        assert_eq!(seconds("yesterday"), None);
    }
}
