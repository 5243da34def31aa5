//! The folder of a fleet and its index, as every command about fleets takes them.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct FleetFolder {
    /// The folder of records: FOLDER/NODE/TIME.whyslow
    pub(crate) folder: PathBuf,
    /// The file of the index [default: .whyslow-index.db in the folder], or a database of PostgreSQL for this folder alone:
    /// postgresql://USER@HOST/DATABASE
    #[arg(long, value_name = "FILE")]
    pub(crate) index: Option<PathBuf>,
}
