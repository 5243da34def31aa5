//! The values behind a report, one by one, for other programs.

use std::collections::BTreeMap;

use super::Options;
use super::chosen::{Chosen, chosen};
use super::group::id;
use crate::index::{Index, IndexError};

/// The value of a point in a record that counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValueRow<'r> {
    /// The node.
    pub node: &'r str,
    /// Id of its group.
    pub group: &'r str,
    /// The record, below the folder.
    pub record: &'r str,
    /// Its start, RFC 3339 in UTC.
    pub started: &'r str,
    /// The family of the point, or what was beside the node's work.
    pub family: &'r str,
    /// The point.
    pub point: &'r str,
    /// Mean logarithm over the record's processes, larger where it is worse.
    pub log: f64,
}

/// Gives `take` all values that a report with `options` rests on, by group, node, time and point.
///
/// # Errors
/// When the index cannot be read, or what takes the values fails.
pub fn rows<E: From<IndexError>>(
    index: &mut dyn Index,
    options: &Options,
    take: &mut dyn FnMut(&ValueRow<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let catalog = index.catalog()?;
    let Chosen { groups, .. } = chosen(&catalog, options.within_hours);
    let records: BTreeMap<i64, _> = catalog.records.iter().map(|r| (r.id, r)).collect();
    for (facts, own) in &groups {
        let group = id(facts);
        for of in own {
            for number in &of.records {
                let Some(record) = records.get(number) else {
                    continue;
                };
                // Sorted by name, as numbers differ between indexes.
                let mut values: Vec<(&str, &str, f64)> = Vec::new();
                index.values(&[*number], &mut |_, point, log| {
                    if let Some((name, family)) = catalog.points.get(&point) {
                        values.push((family, name, log));
                    }
                })?;
                values.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
                for (family, point, log) in values {
                    take(&ValueRow {
                        node: &of.node,
                        group: &group,
                        record: &record.path,
                        started: &record.started,
                        family,
                        point,
                        log,
                    })?;
                }
            }
        }
    }
    index.done()?;
    Ok(())
}
