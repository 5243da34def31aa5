//! Arguments of `whyslow fleet history`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::folder::FleetFolder;

#[derive(Debug, Args)]
pub(crate) struct FleetHistory {
    #[command(flatten)]
    pub(crate) place: FleetFolder,
    /// The node
    pub(crate) node: String,
    /// Points in place of families, such as 'os.*'
    #[arg(long, value_name = "GLOB")]
    pub(crate) point: Option<String>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = HistoryFormat::Table)]
    pub(crate) format: HistoryFormat,
    /// Also write it as one HTML page with charts
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HistoryFormat {
    /// For reading
    Table,
    /// Everything, by the schema in schema/history.schema.json
    Json,
}
