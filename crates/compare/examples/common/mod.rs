//! What the examples that read records share.

use std::path::Path;

use whyslow_model::Record;
use whyslow_model::store::{self, StoreError};

/// The records that the arguments name.
///
/// # Errors
/// The first that cannot be read.
pub(crate) fn records() -> Result<Vec<Record>, StoreError> {
    let files = std::env::args().skip(1);
    files.map(|file| store::read(Path::new(&file))).collect()
}
