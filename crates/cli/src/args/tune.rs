//! Arguments of `whyslow tune`.

use clap::{Args, Subcommand, ValueEnum};
use whyslow_runner::LEAST_BLOCKS;

#[derive(Debug, Args)]
pub(crate) struct Tune {
    #[command(subcommand)]
    pub(crate) what: TuneWhat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TuneWhat {
    /// Thresholds of the C library's copies: forces each way of copying in fresh processes, finds where they cross,
    /// and proves the settings by measuring with and without them in turns. Nothing is applied
    Libc(TuneLibc),
}

#[derive(Debug, Args)]
pub(crate) struct TuneLibc {
    /// Blocks of search and proof: each measures every condition there and back
    #[arg(long, value_name = "N", default_value_t = LEAST_BLOCKS, value_parser = clap::value_parser!(u32).range(i64::from(LEAST_BLOCKS)..=100))]
    pub(crate) blocks: u32,
    /// Runs of the command with and without the settings
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(4..=1000))]
    pub(crate) repeat: u32,
    /// Seed of everything random [default: from the clock]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = TuneFormat::Table)]
    pub(crate) format: TuneFormat,
    /// Also measure this command with and without the settings
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TuneFormat {
    /// A note for people
    Table,
    /// Everything, by the schema in schema/tune-libc.schema.json
    Json,
}
