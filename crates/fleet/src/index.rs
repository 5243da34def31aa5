//! The index of a folder: what its records say, so that a report need not read them all. It can be made again from the
//! folder at any time.

mod error;
mod memory;
mod open;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;
mod sync;

use std::collections::BTreeMap;

use whyslow_model::fleet::HardwareFact;

use crate::families::FAMILIES;
use crate::folder::Stamp;
use crate::measurement::Indexed;

pub use error::IndexError;
pub use memory::MemoryIndex;
pub use open::{anew, open};
#[cfg(feature = "postgres")]
pub use postgres::PostgresIndex;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteIndex;
pub use sync::{Synced, sync};

/// Version of what an index holds: an older one is emptied and made again, a newer one left alone.
const VERSION: u32 = 2;

/// A record in an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordEntry {
    /// Number in the index, another one in each index.
    pub id: i64,
    /// Below the folder.
    pub path: String,
    /// The node; empty for a file that is no record.
    pub node: String,
    /// Start of the run, RFC 3339 in UTC.
    pub started: String,
    /// Number of its hardware in the index.
    pub hardware: i64,
    /// Number of its settings, among those of hardware.
    pub settings: i64,
    /// Why the file cannot be used; empty if it can.
    pub problem: String,
}

/// Everything but the values.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Catalog {
    /// Points with their families, by number.
    pub points: BTreeMap<i64, (String, String)>,
    /// Hardware, and settings, by number.
    pub hardware: BTreeMap<i64, Vec<HardwareFact>>,
    /// Records.
    pub records: Vec<RecordEntry>,
}

/// Takes the record, the point and the logarithm of a value.
pub type Take<'t> = dyn FnMut(i64, i64, f64) + 't;

/// A place for what records say.
pub trait Index {
    /// The files that it knows.
    ///
    /// # Errors
    /// When it cannot be read.
    fn stamps(&mut self) -> Result<BTreeMap<String, Stamp>, IndexError>;

    /// Adds files, each in place of what was known of it.
    ///
    /// # Errors
    /// When it cannot be written.
    fn put(&mut self, files: &[Indexed]) -> Result<(), IndexError>;

    /// Forgets files.
    ///
    /// # Errors
    /// When it cannot be written.
    fn remove(&mut self, paths: &[String]) -> Result<(), IndexError>;

    /// Everything but the values. From here to [`done`](Self::done) the index reads as it is now, whatever others write.
    ///
    /// # Errors
    /// When it cannot be read.
    fn catalog(&mut self) -> Result<Catalog, IndexError>;

    /// Ends what [`catalog`](Self::catalog) began, so that others may write; so does a change.
    ///
    /// # Errors
    /// When it cannot be reached.
    fn done(&mut self) -> Result<(), IndexError> {
        Ok(())
    }

    /// The values of some records, in any order.
    ///
    /// # Errors
    /// When it cannot be read.
    fn values(&mut self, records: &[i64], take: &mut Take<'_>) -> Result<(), IndexError>;
}

/// What an index has to be of to be used: its version, and the families that points were put into.
fn version() -> String {
    let families = FAMILIES.iter().map(|(name, roles)| {
        let roles: Vec<&str> = roles.iter().map(|role| role.name()).collect();
        format!("{name}: {}", roles.join(", "))
    });
    let families: Vec<String> = families.collect();
    let hash = blake3::hash(families.join("; ").as_bytes()).to_hex();
    format!("{VERSION} {}", &hash[..16])
}

/// What an index of some version is to this program.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Age {
    /// Its own.
    Same,
    /// Of an older version, or of other families: to be made again.
    Older,
    /// Of a newer version, which is another program's to use.
    Newer,
}

#[cfg(any(feature = "sqlite", feature = "postgres"))]
fn age(found: Option<&str>) -> Age {
    let number = |text: &str| text.split(' ').next().and_then(|n| n.parse::<u32>().ok());
    match found {
        Some(text) if text == version() => Age::Same,
        Some(text) if number(text).is_some_and(|n| n > VERSION) => Age::Newer,
        _ => Age::Older,
    }
}

/// Hardware as a line of text each, and back.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod text {
    use whyslow_model::fleet::HardwareFact;

    pub(super) fn of(facts: &[HardwareFact]) -> String {
        let lines = facts.iter();
        let lines = lines.map(|fact| format!("{}\t{}", fact.name, fact.value));
        lines.collect::<Vec<String>>().join("\n")
    }

    pub(super) fn back(text: &str) -> Vec<HardwareFact> {
        let fact = |(name, value): (&str, &str)| HardwareFact {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        text.lines()
            .filter_map(|line| line.split_once('\t').map(fact))
            .collect()
    }
}

#[cfg(test)]
mod tests;
