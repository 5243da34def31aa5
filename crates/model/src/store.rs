//! Record files: JSON Lines in zstd, written as a journal.
//!
//! During a run every line is a separate zstd frame, so that the file is readable up to the last
//! complete frame if the writer dies. Closing writes the same lines as one frame to a new file and
//! renames it into place, so a closed record is never half-written.

mod journal;
mod place;
mod read;

use std::io;
use std::path::{Path, PathBuf};

pub use journal::Journal;
pub use place::open_file;
pub use read::read;

/// Errors of record files. Every message says where and what to do.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file system error.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// The file is not a record, or not one that this can be done with.
    #[error("{path}: {what}")]
    Bad {
        /// The file.
        path: PathBuf,
        /// What is wrong, where, and what to do.
        what: String,
    },
}

impl StoreError {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> StoreError + '_ {
        |source| StoreError::Io {
            path: path.to_owned(),
            source,
        }
    }

    fn bad(path: &Path, what: impl Into<String>) -> StoreError {
        StoreError::Bad {
            path: path.to_owned(),
            what: what.into(),
        }
    }
}

#[cfg(test)]
mod tests;
