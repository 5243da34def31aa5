//! What the examples that read records share.

use std::path::Path;

use whyslow_model::Record;
use whyslow_model::store::{self, StoreError};

/// The records of these files.
///
/// # Errors
/// The first that cannot be read.
pub(crate) fn records(files: impl Iterator<Item = String>) -> Result<Vec<Record>, StoreError> {
    files.map(|file| store::read(Path::new(&file))).collect()
}
