//! An index that is gone with the command: for folders where nothing can be written.

use std::collections::BTreeMap;

use whyslow_model::fleet::HardwareFact;

use super::{Catalog, Index, IndexError, RecordEntry, Take};
use crate::folder::Stamp;
use crate::measurement::Indexed;

/// The index.
#[derive(Debug, Default)]
pub struct MemoryIndex {
    files: BTreeMap<String, Indexed>,
    points: BTreeMap<(String, String), i64>,
}

/// The number of `facts`, which are added if they are new.
fn number<'f>(
    catalog: &mut Catalog,
    numbers: &mut BTreeMap<&'f [HardwareFact], i64>,
    facts: &'f [HardwareFact],
) -> i64 {
    *numbers.entry(facts).or_insert_with(|| {
        let next = catalog.hardware.len() as i64;
        catalog.hardware.insert(next, facts.to_vec());
        next
    })
}

impl Index for MemoryIndex {
    fn stamps(&mut self) -> Result<BTreeMap<String, Stamp>, IndexError> {
        let files = self.files.iter();
        Ok(files
            .map(|(path, file)| (path.clone(), file.stamp))
            .collect())
    }

    fn put(&mut self, files: &[Indexed]) -> Result<(), IndexError> {
        for file in files {
            for value in file.content.iter().flat_map(|m| &m.values) {
                let next = self.points.len() as i64;
                let point = (value.point.clone(), value.family.to_owned());
                self.points.entry(point).or_insert(next);
            }
            self.files.insert(file.path.clone(), file.clone());
        }
        Ok(())
    }

    fn remove(&mut self, paths: &[String]) -> Result<(), IndexError> {
        for path in paths {
            self.files.remove(path);
        }
        Ok(())
    }

    fn catalog(&mut self) -> Result<Catalog, IndexError> {
        let points = self.points.iter();
        let mut catalog = Catalog {
            points: points.map(|(point, id)| (*id, point.clone())).collect(),
            ..Catalog::default()
        };
        let mut numbers = BTreeMap::new();
        for (id, file) in self.files.values().enumerate() {
            let mut entry = RecordEntry {
                id: id as i64,
                path: file.path.clone(),
                node: String::new(),
                started: String::new(),
                hardware: -1,
                settings: -1,
                problem: String::new(),
            };
            match &file.content {
                Ok(of) => {
                    entry.hardware = number(&mut catalog, &mut numbers, &of.hardware);
                    entry.settings = number(&mut catalog, &mut numbers, &of.settings);
                    entry.node.clone_from(&of.node);
                    entry.started.clone_from(&of.started);
                }
                Err(why) => entry.problem.clone_from(why),
            }
            catalog.records.push(entry);
        }
        Ok(catalog)
    }

    fn values(&mut self, records: &[i64], take: &mut Take<'_>) -> Result<(), IndexError> {
        let files: Vec<&Indexed> = self.files.values().collect();
        for &record in records {
            let file = usize::try_from(record).ok().and_then(|at| files.get(at));
            let values = file.iter().flat_map(|f| &f.content).flat_map(|m| &m.values);
            for value in values {
                let point = (value.point.clone(), value.family.to_owned());
                if let Some(point) = self.points.get(&point) {
                    take(record, *point, value.log);
                }
            }
        }
        Ok(())
    }
}
