//! Which records of which nodes count, and which nodes belong together.

use std::collections::BTreeMap;

use whyslow_model::fleet::HardwareFact;
use whyslow_model::time::seconds;

use crate::index::{Catalog, RecordEntry};

/// A node with its records that count.
#[derive(Debug, Clone)]
pub(super) struct NodeRecords {
    pub(super) node: String,
    /// Their numbers, in the order of time.
    pub(super) records: Vec<i64>,
    /// Start of the newest.
    pub(super) measured: String,
    /// Number of its settings then.
    pub(super) settings: i64,
}

/// What counts.
pub(super) struct Chosen {
    /// Groups of the same hardware, the largest first.
    pub(super) groups: Vec<(Vec<HardwareFact>, Vec<NodeRecords>)>,
    /// Paths of the records of each node that count, the newest first.
    pub(super) records: BTreeMap<String, Vec<String>>,
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
        let counted: Vec<&RecordEntry> = own.iter().filter(counts).map(|(e, _)| *e).collect();
        let paths = counted.iter().rev().map(|entry| entry.path.clone());
        records.insert(node.to_owned(), paths.collect());
        let of_group = groups.entry(facts(last)).or_default();
        of_group.push(NodeRecords {
            node: node.to_owned(),
            records: counted.iter().map(|entry| entry.id).collect(),
            measured: last.started.clone(),
            settings: last.settings,
        });
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
