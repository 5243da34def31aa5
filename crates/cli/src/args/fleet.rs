//! Arguments of `whyslow fleet`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};

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
    /// Measure many nodes through Slurm, Kubernetes, ssh or another launcher, a job a node; called again, it goes on with
    /// the nodes that have no whole record (exit code 3 if a node was not measured)
    #[command(after_help = exit::help())]
    Run(Box<FleetRun>),
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
#[command(group = ArgGroup::new("engine").required(true))]
pub(crate) struct FleetRun {
    /// The folder of records: each becomes FOLDER/NODE/TIME.whyslow
    pub(crate) folder: PathBuf,
    /// By batch jobs of Slurm; the folder is on a file system that all nodes share
    #[arg(long, group = "engine")]
    pub(crate) slurm: bool,
    /// By steps of the Slurm allocation that this runs in
    #[arg(long, group = "engine")]
    pub(crate) in_allocation: bool,
    /// By ssh, to these hosts: h1,h2 or h[01-16], or a file with a host a line
    #[arg(long, group = "engine", value_name = "HOSTS")]
    pub(crate) ssh: Option<String>,
    /// By Jobs of Kubernetes with this image: their manifests are printed, or applied with --apply
    #[arg(long, group = "engine", value_name = "IMAGE")]
    pub(crate) kubernetes: Option<String>,
    /// By any launcher that passes output on: a command line with {node} and {command}; {line} is the command as one word
    #[arg(long, group = "engine", value_name = "TEMPLATE")]
    pub(crate) launcher: Option<String>,
    /// Only these nodes: n1,n2 or n[01-16]
    #[arg(long, value_name = "LIST", conflicts_with = "ssh")]
    pub(crate) nodes: Option<String>,
    /// The partition of Slurm [default: of each node, the default one first]
    #[arg(long, value_name = "NAME", requires = "slurm")]
    pub(crate) partition: Option<String>,
    /// Apply the manifests with kubectl, wait for the Jobs and collect their records
    #[arg(long, requires = "kubernetes")]
    pub(crate) apply: bool,
    /// The namespace of the Jobs
    #[arg(long, value_name = "NAME", requires = "kubernetes")]
    pub(crate) namespace: Option<String>,
    /// The program as nodes find it [default: where this one lies; in an image /whyslow]
    #[arg(long, value_name = "PATH", conflicts_with = "copy")]
    pub(crate) binary: Option<PathBuf>,
    /// Take this program along: to each host by ssh, or for Slurm into the folder
    #[arg(long, conflicts_with_all = ["in_allocation", "kubernetes", "launcher"])]
    pub(crate) copy: bool,
    /// Nodes that are at work or waited for at once; keep it below the limit on submitted jobs
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) width: u32,
    /// Seconds for each record, after which a node is given up
    #[arg(long, value_name = "SECONDS", default_value_t = 1800, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) timeout: u32,
    /// Seconds that a job may be in the queue, after which its node is given up
    #[arg(long, value_name = "SECONDS", default_value_t = 3600, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) wait: u32,
    /// Records of each node, one after the other in one job [default: 1; with --confirm what the report asks for]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) sessions: Option<u32>,
    /// Measure again what the report suspects, beside ordinary nodes
    #[arg(long)]
    pub(crate) confirm: bool,
    /// Begin another run of all nodes, also where one is unfinished
    #[arg(long)]
    pub(crate) new: bool,
    /// Print what would be submitted, and submit nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Arguments of `whyslow run` on each node, such as -- --standard
    #[arg(last = true, value_name = "RUN ARGUMENTS")]
    pub(crate) run: Vec<String>,
}

/// What runs on a node; internal.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("way").required(true))]
pub(crate) struct FleetNodeRun {
    /// Seconds for each record
    #[arg(long)]
    pub(crate) limit: u64,
    /// Write a record here, whole or not at all
    #[arg(long, group = "way")]
    pub(crate) into: Vec<PathBuf>,
    /// Send so many records over standard output
    #[arg(long, group = "way")]
    pub(crate) send: Option<u32>,
    /// End when standard input does
    #[arg(long)]
    pub(crate) until_eof: bool,
    /// Arguments of `whyslow run`
    #[arg(last = true)]
    pub(crate) run: Vec<OsString>,
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
    /// The values behind it: a line for each node, record and point
    Csv,
}
