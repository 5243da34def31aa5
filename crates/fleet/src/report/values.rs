//! The values of a group of nodes as they are judged: points as columns, sessions of nodes as rows.

use std::collections::BTreeMap;

use super::chosen::NodeRecords;
use crate::families::FAMILIES;
use crate::index::{Catalog, Index, IndexError};

/// The values of a group.
pub(super) struct Table {
    /// Names of the points.
    pub(super) points: Vec<String>,
    /// The family of each.
    pub(super) family: Vec<usize>,
    /// Sessions of each node, each with a logarithm for each point.
    pub(super) nodes: Vec<Vec<Vec<f64>>>,
}

impl Table {
    pub(super) fn read(
        index: &mut dyn Index,
        catalog: &Catalog,
        own: &[NodeRecords],
    ) -> Result<Table, IndexError> {
        // Sorted by family and name, as numbers differ between indexes.
        let place = |family: &str| FAMILIES.iter().position(|(name, _)| *name == family);
        let mut columns: Vec<(usize, &str, i64)> = catalog
            .points
            .iter()
            .filter_map(|(id, (name, family))| Some((place(family)?, name.as_str(), *id)))
            .collect();
        columns.sort_unstable();
        let column: BTreeMap<i64, usize> = columns
            .iter()
            .enumerate()
            .map(|(at, (.., id))| (*id, at))
            .collect();
        let mut nodes: Vec<Vec<Vec<f64>>> = own
            .iter()
            .map(|(_, records, _)| vec![vec![f64::NAN; columns.len()]; records.len()])
            .collect();
        let mut places = BTreeMap::new();
        for (node, (_, records, _)) in own.iter().enumerate() {
            for (session, record) in records.iter().enumerate() {
                places.insert(*record, (node, session));
            }
        }
        let records: Vec<i64> = places.keys().copied().collect();
        index.values(&records, &mut |record, point, log| {
            if let Some(((node, session), column)) = places.get(&record).zip(column.get(&point)) {
                nodes[*node][*session][*column] = log;
            }
        })?;
        Ok(Table {
            points: columns
                .iter()
                .map(|(_, name, _)| (*name).to_owned())
                .collect(),
            family: columns.iter().map(|(family, ..)| *family).collect(),
            nodes,
        })
    }
}
