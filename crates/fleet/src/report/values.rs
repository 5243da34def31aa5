//! The values of a group of nodes as they are judged: points as columns, sessions of nodes as rows.

use std::collections::BTreeMap;

use super::chosen::NodeRecords;
use crate::conditions::CONDITIONS;
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
    /// The same for each of [`CONDITIONS`].
    pub(super) conditions: Vec<Vec<Vec<f64>>>,
}

impl Table {
    pub(super) fn read(
        index: &mut dyn Index,
        catalog: &Catalog,
        own: &[NodeRecords],
    ) -> Result<Table, IndexError> {
        // Sorted by family and name, as numbers differ between indexes.
        let place = |family: &str| FAMILIES.iter().position(|(name, _)| *name == family);
        let condition = |point: &str| CONDITIONS.iter().position(|c| c.name == point);
        let conditions: BTreeMap<i64, usize> = catalog
            .points
            .iter()
            .filter_map(|(id, (name, family))| {
                Some((*id, condition(name).filter(|_| name == family)?))
            })
            .collect();
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
        let empty = |columns: usize| -> Vec<Vec<Vec<f64>>> {
            let sessions = own.iter().map(|node| node.records.len());
            sessions
                .map(|count| vec![vec![f64::NAN; columns]; count])
                .collect()
        };
        let (mut nodes, mut beside) = (empty(columns.len()), empty(CONDITIONS.len()));
        let mut places = BTreeMap::new();
        for (node, of) in own.iter().enumerate() {
            for (session, record) in of.records.iter().enumerate() {
                places.insert(*record, (node, session));
            }
        }
        let records: Vec<i64> = places.keys().copied().collect();
        index.values(&records, &mut |record, point, log| {
            let Some((node, session)) = places.get(&record) else {
                return;
            };
            if let Some(column) = column.get(&point) {
                nodes[*node][*session][*column] = log;
            } else if let Some(column) = conditions.get(&point) {
                beside[*node][*session][*column] = log;
            }
        })?;
        Ok(Table {
            points: columns
                .iter()
                .map(|(_, name, _)| (*name).to_owned())
                .collect(),
            family: columns.iter().map(|(family, ..)| *family).collect(),
            nodes,
            conditions: beside,
        })
    }
}
