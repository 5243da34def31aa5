//! Writing an imported record to a file.

use std::path::{Path, PathBuf};

use whyslow_model::Record;
use whyslow_model::record::{End, Line};
use whyslow_model::store::{Journal, StoreError};

/// Writes `record` to `path`, which must not exist yet, as a closed record. Returns where it is.
///
/// # Errors
/// When the file exists or cannot be written; nothing is left behind then.
pub fn save(record: Record, path: &Path) -> Result<PathBuf, StoreError> {
    let mut journal = Journal::create(path)?;
    let written = fill(&mut journal, record).and_then(|()| {
        // When the figures were measured is not known.
        journal.close(End::Complete, String::new(), &[])
    });
    if written.is_err() {
        // Best effort: it was made here, and half of it is of no use to anybody.
        let _ = std::fs::remove_file(path);
    }
    written
}

fn fill(journal: &mut Journal, record: Record) -> Result<(), StoreError> {
    journal.add(&Line::Header(record.header))?;
    if let Some(origin) = record.origin {
        journal.add(&Line::Origin(origin))?;
    }
    journal.add(&Line::Plan(record.plan))?;
    for process in record.processes {
        journal.add(&Line::Process(Box::new(process)))?;
    }
    for note in record.notes {
        journal.add(&Line::Note(note))?;
    }
    Ok(())
}

/// `name` as part of a file name: lower case letters, digits and `_`.
pub fn slug(name: &str) -> String {
    crate::slug::slug(name)
}
