//! Arguments of `whyslow fleet`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::folder::FleetFolder;
use super::history::FleetHistory;
use crate::exit;

#[derive(Debug, Args)]
pub(crate) struct Fleet {
    #[command(subcommand)]
    pub(crate) what: FleetWhat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FleetWhat {
    /// Which nodes are slow beside those of the same hardware, in what, and why (exit code 1 if one is)
    #[command(after_help = exit::help())]
    Report(FleetReport),
    /// Bring the index of a folder of records up to date; a report does so too
    Index(FleetIndex),
    /// One node over time: when it became slower, and for how long averaging helps (exit code 1 if it has a step)
    #[command(after_help = exit::help())]
    History(FleetHistory),
}

#[derive(Debug, Args)]
pub(crate) struct FleetIndex {
    #[command(flatten)]
    pub(crate) place: FleetFolder,
    /// Make it again from the records
    #[arg(long)]
    pub(crate) rebuild: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FleetReport {
    #[command(flatten)]
    pub(crate) place: FleetFolder,
    /// How to print it
    #[arg(long, value_enum, default_value_t = FleetFormat::Table)]
    pub(crate) format: FleetFormat,
    /// What the same has to be shown to be within, percent
    #[arg(
        long,
        value_name = "PERCENT",
        default_value_t = 5.0,
        allow_negative_numbers = true
    )]
    pub(crate) margin: f64,
    /// Records count that began at most so many hours before the newest of their node
    #[arg(
        long,
        value_name = "HOURS",
        default_value_t = 48.0,
        allow_negative_numbers = true
    )]
    pub(crate) within: f64,
    /// Explain so many slow nodes, each beside an ordinary node of its group
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) why: usize,
    /// Also write it as one HTML page
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Also write it as OpenMetrics, such as for the textfile collector of a node exporter
    #[arg(long, value_name = "FILE")]
    pub(crate) metrics: Option<PathBuf>,
    /// Also write a health check for the nodes: a shell script with exit code 0 for the same, 1 for slow, and 3 for not
    /// known, which is to leave the state of the node as it is
    #[arg(long, value_name = "FILE")]
    pub(crate) health: Option<PathBuf>,
    /// Drain the slow nodes in Slurm: run the lines that --format drain prints
    #[arg(long)]
    pub(crate) drain: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FleetFormat {
    /// For reading
    Table,
    /// Everything, by the schema in schema/fleet.schema.json
    Json,
    /// Lines that drain the slow nodes in Slurm, to look at or to pass to a shell
    Drain,
}
