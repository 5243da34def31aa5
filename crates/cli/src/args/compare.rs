//! Arguments of the commands that compare.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// The record, or file of host facts, that is compared with; or another tool's results, or a part of them, FILE#PART
    pub(crate) a: PathBuf,
    /// The one that is compared; a list, FILE#PART, PART, compares each part with A, or with its own in a list of as many
    pub(crate) b: PathBuf,
    /// One more record of A's side, such as another run or boot; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) also_a: Vec<PathBuf>,
    /// One more record of B's side; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) also_b: Vec<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = CompareFormat::Table)]
    pub(crate) format: CompareFormat,
    /// Also write it, explained and drawn, as one HTML page
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Differences below so many percent do not matter
    #[arg(long, value_name = "PERCENT", default_value_t = 2.0)]
    pub(crate) margin: f64,
    /// Only points that match
    #[arg(long, value_name = "GLOB")]
    pub(crate) only: Option<String>,
    /// Compare all values as measured, whatever the clock did and whatever else used the cores
    #[arg(long)]
    pub(crate) as_measured: bool,
    /// Which real differences end with exit code 1
    #[arg(long, value_enum, default_value_t = FailOnArgument::Any)]
    pub(crate) fail_on: FailOnArgument,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareFormat {
    /// For reading, 80 columns
    Table,
    /// Everything, by the schema in schema/comparison.schema.json
    Json,
    /// For issues and commit messages
    Markdown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOnArgument {
    /// Any
    Any,
    /// Only where B is slower
    Slower,
    /// None
    None,
}

#[derive(Debug, Args)]
pub(crate) struct SelfCheck {
    /// A record to check by [default: this host is measured]
    #[arg(conflicts_with_all = ["live", "standard", "causes"])]
    pub(crate) record: Option<PathBuf>,
    /// Measure twice and compare the two as if they were two hosts
    #[arg(long)]
    pub(crate) live: bool,
    /// Measure 10 processes a point, not 3 and more
    #[arg(long)]
    pub(crate) standard: bool,
    /// Only points that match
    #[arg(long, value_name = "GLOB")]
    pub(crate) only: Option<String>,
    /// Plant causes on this host, one after the other, and see whether explaining names them
    #[arg(long, conflicts_with_all = ["live", "standard", "only"])]
    pub(crate) causes: bool,
    /// Explain published results whose cause is known: every case below this folder, such as `cases/open`
    #[arg(long, value_name = "DIR", conflicts_with_all = ["live", "standard", "only", "causes", "record"])]
    pub(crate) cases: Option<PathBuf>,
    /// Times that each cause is planted
    #[arg(long, value_name = "N", default_value_t = 1, requires = "causes")]
    pub(crate) reps: u32,
    /// Pairs of records in which nothing is planted
    #[arg(long, value_name = "N", default_value_t = 2, requires = "causes")]
    pub(crate) aa: u32,
    /// Times that two causes are planted together
    #[arg(long, value_name = "N", default_value_t = 0, requires = "causes")]
    pub(crate) pairs: u32,
    /// Only these causes
    #[arg(
        long,
        value_name = "CAUSE,...",
        value_delimiter = ',',
        requires = "causes"
    )]
    pub(crate) plant: Vec<String>,
    /// Keep the records in this folder, and explain those that it already holds without measuring again
    #[arg(long, value_name = "DIR", requires = "causes")]
    pub(crate) keep: Option<PathBuf>,
    /// Seed of everything random [default: from the clock]
    #[arg(long, requires = "causes")]
    pub(crate) seed: Option<u64>,
    /// How to print the matrix
    #[arg(long, value_enum, default_value_t = SelfCheckFormat::Table)]
    pub(crate) format: SelfCheckFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SelfCheckFormat {
    /// For reading
    Table,
    /// For the documentation
    Markdown,
    /// Everything
    Json,
}
