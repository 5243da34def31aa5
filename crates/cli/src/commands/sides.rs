//! The records of one side of a comparison, under the names that their files have.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use whyslow_compare::Named;
use whyslow_model::{Record, store};

use crate::args::MOST_RECORDS;

/// Each with its name.
pub(crate) type Records = Vec<(String, Record)>;

/// Reads them, the first first.
pub(crate) fn read(first: &Path, also: &[PathBuf]) -> Result<Records> {
    std::iter::once(first)
        .chain(also.iter().map(PathBuf::as_path))
        .map(|path| Ok((path.display().to_string(), store::read(path)?)))
        .collect()
}

/// Refuses more records than a page or a chart can show; `instead` says what takes more.
pub(crate) fn not_too_many(count: usize, instead: &str) -> Result<()> {
    if count > MOST_RECORDS {
        bail!(
            "{count} records are given and at most {MOST_RECORDS} can be shown side by side; {instead}"
        );
    }
    Ok(())
}

/// As comparing takes them.
pub(crate) fn named(side: &[(String, Record)]) -> Vec<Named<'_>> {
    let named = side.iter().map(|(name, record)| Named { name, record });
    named.collect()
}
