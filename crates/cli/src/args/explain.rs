//! Arguments of `whyslow explain`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use whyslow_explain::BLOCKS;
use whyslow_runner::LEAST_BLOCKS;

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The record to start from; not needed with --experiment
    #[arg(required_unless_present = "experiment")]
    pub(crate) a: Option<PathBuf>,
    /// The record that differs from it; without it, A is held against its own limits
    pub(crate) b: Option<PathBuf>,
    /// Further records of side A, such as another table of the same machine
    #[arg(long, value_name = "RECORD", requires = "b")]
    pub(crate) also_a: Vec<PathBuf>,
    /// Further records of side B
    #[arg(long, value_name = "RECORD", requires = "b")]
    pub(crate) also_b: Vec<PathBuf>,
    /// Switch a cause on and off on this host, with controls: the one named, or those that the records
    /// leave open, or all that can be switched
    #[arg(long, value_name = "CAUSE", num_args = 0..=1, default_missing_value = "")]
    pub(crate) experiment: Option<String>,
    /// Blocks of an experiment: each measures every condition there and back
    #[arg(long, value_name = "N", default_value_t = BLOCKS, value_parser = clap::value_parser!(u32).range(i64::from(LEAST_BLOCKS)..=1000), requires = "experiment")]
    pub(crate) blocks: u32,
    /// Seed of everything random in an experiment [default: from the clock]
    #[arg(long, requires = "experiment")]
    pub(crate) seed: Option<u64>,
    /// Also write it, with all charts, as one HTML page
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Do not show on the page of a single record where its values stand among the machines of the catalog
    #[arg(long, requires = "html")]
    pub(crate) no_catalog: bool,
    /// How to print it
    #[arg(long, value_enum, default_value_t = ExplainFormat::Table)]
    pub(crate) format: ExplainFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExplainFormat {
    /// A note for people
    Table,
    /// Everything, by the schema in schema/explanation.schema.json
    Json,
}
