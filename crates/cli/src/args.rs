//! The command line, as typed.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

mod card;
mod color;
mod compare;
mod examples;
mod explain;
mod fleet;
mod folder;
mod help;
mod history;
mod load;
mod report;
mod sim;
mod tune;
mod under;

pub(crate) use card::Card;
pub(crate) use color::{Color, ColorBench, ColorCommand, ColorFormat, ColorMap, ColorRun};
pub(crate) use compare::{Compare, CompareFormat, FailOnArgument, SelfCheck, SelfCheckFormat};
pub(crate) use explain::{Explain, ExplainFormat};
pub(crate) use fleet::{
    Fleet, FleetFormat, FleetIndex, FleetNodeRun, FleetReport, FleetRun, FleetWhat,
};
pub(crate) use folder::FleetFolder;
pub(crate) use help::{command, examples, says_exit_codes, shown};
pub(crate) use history::{FleetHistory, HistoryFormat};
pub(crate) use load::{Load, LoadFormat};
pub(crate) use report::{
    Doctor, DoctorFormat, MOST_OF_PAGE, MOST_RECORDS, Plot, PlotFormat, Report, ThemeArgument,
};
pub(crate) use sim::{
    DramFormat, PagesArgument, PatternArgument, PolicyArgument, Sim, SimFormat, TraceFormatArgument,
};
pub(crate) use tune::{Tune, TuneFormat, TuneLibc, TuneRun, TuneSettings, TuneWhat};
pub(crate) use under::{Beside, Guard, Under};

use crate::exit;

/// Measures this Linux machine from its caches up to its processes, and says what stands out.
///
/// Without a command: a quick run of this machine.
#[derive(Debug, Parser)]
#[command(name = "whyslow", version, max_term_width = 100, after_help = exit::help())]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure this machine into a record
    Run(Run),
    /// List the probes: what each measures, how, and what it needs
    List(List),
    /// Print facts and state of this host
    Host(Host),
    /// Show a record, finished or not
    Show(Show),
    /// Turn other tools' results into records
    Import(Import),
    /// Compare two records: which differences are real
    #[command(after_help = exit::help())]
    Compare(Compare),
    /// Say why two records differ, or what holds one machine back
    Explain(Explain),
    /// Put one record, or several compared, on one HTML page that needs nothing but itself
    Report(Report),
    /// List the machines of the catalog, among which values of records are shown: figures, dates and sources
    Catalog,
    /// Draw a chart of some points into an SVG or PNG file
    Plot(Plot),
    /// Draw one record, or two compared, as a picture for a post or a slide
    Card(Card),
    /// Say before a run what on this host would spoil its numbers, and how to mend it (exit code 1
    /// if there is something)
    #[command(after_help = exit::help())]
    Doctor(Doctor),
    /// Page colors: how many this host has, and what placing pages by them gains
    #[command(after_help = exit::help())]
    Color(Color),
    /// Measure a command under levels of load
    Load(Box<Load>),
    /// Try settings on a command, each against the command as it is, and say which gain; nothing is applied
    #[command(after_help = exit::help())]
    Tune(Tune),
    /// What if, by simulation: caches, placement of pages, traces
    Sim(Box<Sim>),
    /// How often chance alone looks like a difference here, and how often a planted slowdown is found
    #[command(name = "selfcheck")]
    SelfCheck(SelfCheck),
    /// Many nodes: which are slow, in what, and why
    Fleet(Fleet),
    /// Put back what an interrupted experiment changed, and remove what killed runs left
    Restore,
    /// Offer commands to an agent as tools, by the Model Context Protocol on standard input and output
    Mcp,
    /// Print completions of commands and options for a shell
    Completions(Completions),
    /// Print the manual page of whyslow or of one of its commands
    Man(Man),
    /// Run a program under conditions (internal)
    #[command(name = "__under", hide = true)]
    Under(Under),
    /// Play a part beside a measured program (internal)
    #[command(name = "__beside", hide = true)]
    Beside(Beside),
    /// Put back what the parent leaves behind when it is killed (internal)
    #[command(name = "__guard", hide = true)]
    Guard(Guard),
    /// Say what a process sees of its surroundings (internal)
    #[command(name = "__sense", hide = true)]
    Sense,
    /// Measure on a node of a fleet (internal)
    #[command(name = "__node", hide = true)]
    Node(FleetNodeRun),
}

#[derive(Debug, Default, Args)]
pub(crate) struct Run {
    /// A screen: 3 processes a point, and more where they narrow intervals most, within a minute (the default)
    #[arg(long, group = "intensity")]
    pub(crate) quick: bool,
    /// 10 processes a point, for records that will be compared
    #[arg(long, group = "intensity")]
    pub(crate) standard: bool,
    /// 30 processes a point
    #[arg(long, group = "intensity")]
    pub(crate) rigorous: bool,
    /// Do not say where values stand among the machines of the catalog
    #[arg(long)]
    pub(crate) no_catalog: bool,
    /// Only points or probes that match, such as 'os.*' or 'mem.latency{*pages=thp}' (a
    /// comma-separated list; see `whyslow list`)
    #[arg(long, value_name = "GLOB")]
    pub(crate) only: Option<String>,
    /// The rows of a suite in place of the default set
    #[arg(long, value_name = "SUITE", value_parser = suites())]
    pub(crate) suite: Option<String>,
    /// Also measure work on one CPU with this many copies at once, such as 2,4; results are of all
    /// copies together
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) copies: Vec<u32>,
    /// Processes a point, no more and no fewer, in place of the intensity's number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) rounds: Option<u32>,
    /// Seconds for all of the run; what does not fit is left out and named [default: 55 for --quick, 285 for --standard, none for
    /// --rigorous or with --rounds]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) budget: Option<u32>,
    /// Go on until half of the points are known within this share, such as ±3% (at most 30 processes a point)
    #[arg(long, value_name = "±PERCENT", value_parser = share,
          conflicts_with_all = ["intensity", "rounds", "resume", "against"])]
    pub(crate) until: Option<f64>,
    /// Seed of everything random [default: from the clock]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// The record to write [default: whyslow-HOST-TIME.whyslow in this folder]
    #[arg(short, long, value_name = "FILE", conflicts_with = "resume")]
    pub(crate) output: Option<PathBuf>,
    /// Go on with an unfinished record
    #[arg(long, value_name = "FILE", conflicts_with_all = ["intensity", "only", "suite", "copies", "rounds", "seed"])]
    pub(crate) resume: Option<PathBuf>,
    /// Compare with this record: measure its points, each on only while its difference is open (at most 20 processes)
    #[arg(long, value_name = "RECORD")]
    pub(crate) against: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `±3%`, `3%` or `3`, as a share.
fn share(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_start_matches(['±', '+', '-', '/']);
    let number = number.trim_end_matches('%').trim();
    let percent: Option<f64> = number.parse().ok();
    let percent = percent.filter(|percent| (0.01..=100.0).contains(percent));
    let share = percent.map(|percent| percent / 100.0);
    share.ok_or_else(|| "a percentage from 0.01 to 100 is expected, such as ±3%".to_owned())
}

/// The suites, each with its meaning, for the help.
fn suites() -> PossibleValuesParser {
    let suites = whyslow_probes::SUITES.iter();
    let named = suites.map(|&(name, what)| PossibleValue::new(name).help(what));
    named
        .chain([PossibleValue::new("all").help("every row there is")])
        .into()
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only probes or points that match
    pub(crate) glob: Option<String>,
    /// Only probes that this suite has a row for
    #[arg(long, value_enum)]
    pub(crate) origin: Option<Origin>,
    /// List the points that a quick run would measure here; with a glob that names parameters,
    /// those beyond the default set too
    #[arg(long, conflicts_with = "origin")]
    pub(crate) points: bool,
    /// With --points: those of a suite
    #[arg(long, value_name = "SUITE", requires = "points", value_parser = suites())]
    pub(crate) suite: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Origin {
    Lmbench,
    Byte,
    Ramspeed,
}

#[derive(Debug, Args)]
pub(crate) struct Host {
    /// How to print it
    #[arg(long, value_enum, default_value_t = HostFormat::Table)]
    pub(crate) format: HostFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HostFormat {
    Table,
    Json,
}

/// The help of `import --format`: every format that there is.
fn formats() -> &'static str {
    static HELP: LazyLock<String> = LazyLock::new(|| {
        let names = whyslow_import::formats().into_iter().map(|(name, _)| name);
        let names: Vec<&str> = names.filter(|name| *name != "columns").collect();
        let names = names.join(", ");
        format!("What it is [default: recognized]: {names}, columns (any posted table)")
    });
    &HELP
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    #[arg(long, help = formats())]
    pub(crate) format: Option<String>,
    /// The results, - for standard input
    pub(crate) file: PathBuf,
    /// The record to write; several systems each go to their own file [default: FILE.whyslow here]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Only the system of that name
    #[arg(long, value_name = "NAME")]
    pub(crate) system: Option<String>,
    /// What is known of the machine, such as kernel=6.1.0 or hypervisor=kvm; may be repeated. Causes look at kernel,
    /// cpu, cores, memory, memory_kind, compiler, flags, libc, system, hypervisor, mitigations, pages, numa, scheduler,
    /// governor, clock_ghz, copies, file_system, patch
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) fact: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The record; the lmbench format takes several, a row each
    #[arg(required = true, value_name = "RECORD")]
    pub(crate) records: Vec<PathBuf>,
    /// Do not say where values stand among the machines of the catalog
    #[arg(long)]
    pub(crate) no_catalog: bool,
    /// How to print it
    #[arg(long, value_enum, default_value_t = ShowFormat::Summary)]
    pub(crate) format: ShowFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShowFormat {
    /// What a run prints at its end
    Summary,
    /// Every point with its interval
    Table,
    /// Everything, by the schema in schema/record.schema.json
    Json,
    /// Every point, comma-separated
    Csv,
    /// lmbench's summary tables
    Lmbench,
    /// The report of BYTE and UnixBench with its index
    Byte,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// Which shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The command, such as compare or color run [default: whyslow itself]
    #[arg(value_name = "COMMAND")]
    pub(crate) path: Vec<String>,
    /// Write the pages of all commands into this folder, as whyslow.1, whyslow-run.1 and so on
    #[arg(long, value_name = "DIR", conflicts_with = "path")]
    pub(crate) all: Option<PathBuf>,
}

#[cfg(test)]
mod tests;
