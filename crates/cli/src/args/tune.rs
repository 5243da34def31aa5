//! Arguments of `whyslow tune`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use whyslow_runner::LEAST_BLOCKS;

use super::load::seconds;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Tune {
    #[command(subcommand)]
    pub(crate) what: Option<TuneWhat>,
    #[command(flatten)]
    pub(crate) settings: TuneSettings,
}

#[derive(Debug, Args)]
pub(crate) struct TuneSettings {
    /// Only this setting (may be repeated), such as malloc-keep, or a variable of your own: env:NAME=VALUE. An unknown name
    /// lists all. Those that change the whole machine need root and are only tried when they are named
    #[arg(long, value_name = "NAME")]
    pub(crate) setting: Vec<String>,
    /// Seconds for all of it; how many settings and rounds fit follows from the time of a first run
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = seconds)]
    pub(crate) budget: Duration,
    /// Seed of everything random [default: from the clock]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = TuneFormat::Table)]
    pub(crate) format: TuneFormat,
    /// The command to try settings on: it is run again and again, with nothing to read and its output to nowhere
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TuneWhat {
    /// Thresholds of the C library's copies: forces each way of copying in fresh processes, finds where they cross,
    /// and proves the settings by measuring with and without them in turns. Nothing is applied
    Libc(TuneLibc),
    /// Run a program on memory routines of whyslow's own, put in front of the C library's: for musl, old versions of glibc,
    /// and where no setting helps. They are chosen by measuring in the first run, which takes some seconds more
    Run(TuneRun),
}

#[derive(Debug, Args)]
pub(crate) struct TuneRun {
    /// Choose anew, although a choice for this machine is kept
    #[arg(long)]
    pub(crate) choose: bool,
    /// Where to write what was chosen and how many programs used it
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The program and its arguments, after --
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
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
    /// Everything, by the schema in schema/tune.schema.json (of tune libc: schema/tune-libc.schema.json)
    Json,
}
