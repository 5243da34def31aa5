//! `whyslow load`: any command under load levels.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use whyslow_model::document::Document;
use whyslow_model::record::End;
use whyslow_runner::Target;
use whyslow_runner::load::{
    CommandOutput, CommandSpec, CommandText, Hooks, LoadRequest, Parameter, ParameterError,
    Tolerate,
};

use super::run::{build, seed, usual_places};
use crate::exit;
use crate::output;
use crate::progress::Progress;
use crate::signals;

/// The shell of `--shell default`.
const DEFAULT_SHELL: &str = "/bin/sh";

#[derive(Debug, Args)]
pub(crate) struct Load {
    /// Load levels, such as 1,2,4: what {j} in the command stands for, or how many copies of it run
    /// at once where it has no {j}
    #[arg(short, long, value_name = "LEVELS", value_delimiter = ',',
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) jobs: Vec<u32>,
    /// Values for {NAME} in the command, in --prepare and the like: NAME=a,b,c or NAME=1..10 or
    /// NAME=1..10..3; can be given for several names
    #[arg(short = 'L', long, value_name = "NAME=VALUES")]
    pub(crate) param: Vec<String>,
    /// Another command line, run next to the first in ABBA blocks and compared with it; can be
    /// given several times
    #[arg(long, value_name = "COMMAND")]
    pub(crate) against: Vec<String>,
    /// Measured runs of each variant; made even with --against
    #[arg(short, long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) repeat: u32,
    /// Runs of each variant before those, which do not count
    #[arg(short, long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(0..=1_000))]
    pub(crate) warmup: u32,
    /// Shell command before each run, such as 'make clean'
    #[arg(short, long, value_name = "COMMAND")]
    pub(crate) prepare: Option<String>,
    /// Shell command after each run
    #[arg(long, value_name = "COMMAND")]
    pub(crate) conclude: Option<String>,
    /// Shell command before the first run; with {NAME}s once for each of their values. The order of
    /// runs is random: what must hold for one run alone belongs into --prepare
    #[arg(short, long, value_name = "COMMAND")]
    pub(crate) setup: Option<String>,
    /// Shell command after the last run, even an interrupted one
    #[arg(short, long, value_name = "COMMAND")]
    pub(crate) cleanup: Option<String>,
    /// none: start the program directly; default: by /bin/sh -c; or the path of a shell. Its own
    /// start is measured and shown, and not taken off
    #[arg(short = 'S', long, value_name = "SHELL", default_value = "none")]
    pub(crate) shell: String,
    /// Runs that end with a code other than 0 count all the same: all of them, or those with these
    /// codes
    #[arg(short, long, value_name = "CODES", num_args = 0..=1, require_equals = true,
          default_missing_value = "all")]
    pub(crate) ignore_failure: Option<String>,
    /// Kill a run that takes longer; it does not count
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Seconds to measure for at most; the first round is always finished
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) budget: Option<Duration>,
    /// Where the command's output goes: null, inherit (the terminal), pipe, or the path of a file
    #[arg(long, value_name = "WHERE", default_value = "null")]
    pub(crate) output: String,
    /// File that the command reads from; each run from its beginning [default: /dev/null]
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
    /// Name of a command in points and tables; the first for the command, others for --against
    #[arg(short, long, value_name = "NAME")]
    pub(crate) name: Vec<String>,
    /// Seed of everything random [default: from the clock]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// The record to write [default: whyslow-HOST-TIME.whyslow in this folder]
    #[arg(short = 'o', long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// The command and its arguments, after --
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// Measures, shows the result, and says where the record is.
pub(crate) fn load(args: &Load) -> Result<ExitCode> {
    whyslow_leftovers::sweep_all();
    let request = resolve(args)?;
    let mut progress = Progress::new();
    let loaded = whyslow_runner::load::load(&request, &mut |event| progress.on(&event));
    progress.done();
    let loaded = loaded?;
    let finished = loaded.finished;
    let summary = whyslow_stats::record::summarise(&finished.record);
    let end = finished.record.footer.as_ref().map(|f| f.end);
    let place = finished
        .kept
        .as_ref()
        .ok()
        .map(|path| format!("record: {}", path.display()));
    let shown = if args.json {
        let record = finished.record;
        serde_json::to_string(&Document { record, summary })? + "\n"
    } else {
        let text = whyslow_report::load(&finished.record, &summary, output::look());
        text + &place.as_ref().map_or(String::new(), |p| format!("{p}\n"))
    };
    let shown = output::print(&shown);
    // Standard output is one JSON document; or nobody got what was printed there.
    if let Some(place) = place.filter(|_| args.json || shown.is_err()) {
        output::warn(&place);
    }
    // The record matters more than who listens: say first that it was not kept.
    finished
        .kept
        .context("the record could not be kept; the numbers above are all there is")?;
    shown?;
    if let Some(trouble) = loaded.trouble {
        return Err(anyhow!(trouble));
    }
    Ok(match end {
        Some(End::Complete | End::Budget) => ExitCode::SUCCESS,
        Some(End::Interrupted) | None => ExitCode::from(exit::INTERRUPTED),
    })
}

/// From what was typed to what is asked of the runner.
fn resolve(args: &Load) -> Result<LoadRequest> {
    let mut commands = vec![CommandText::Words(args.command.clone())];
    commands.extend(args.against.iter().cloned().map(CommandText::Line));
    if args.name.len() > commands.len() {
        bail!(
            "{} names for {} command(s)",
            args.name.len(),
            commands.len()
        );
    }
    let commands: Vec<CommandSpec> = commands
        .into_iter()
        .enumerate()
        .map(|(i, text)| CommandSpec {
            name: args.name.get(i).cloned(),
            text,
        })
        .collect();
    let parameters: Result<Vec<Parameter>, ParameterError> = args
        .param
        .iter()
        .map(|text| Parameter::parse(text))
        .collect();
    let mut levels = args.jobs.clone();
    levels.dedup();
    let stop = signals::stop()?;
    Ok(LoadRequest {
        // Blocks are there and back.
        repeat: match commands.len() {
            1 => args.repeat,
            _ => args.repeat.next_multiple_of(2),
        },
        commands,
        levels,
        parameters: parameters?,
        shell: match args.shell.as_str() {
            "none" => None,
            "default" => Some(DEFAULT_SHELL.into()),
            path => Some(path.to_owned()),
        },
        warmup: args.warmup,
        hooks: Hooks {
            setup: args.setup.clone(),
            prepare: args.prepare.clone(),
            conclude: args.conclude.clone(),
            cleanup: args.cleanup.clone(),
        },
        tolerate: tolerate(args.ignore_failure.as_deref())?,
        timeout: args.timeout,
        budget: args.budget,
        input: args.input.clone(),
        output: match args.output.as_str() {
            "null" => CommandOutput::Null,
            "inherit" => CommandOutput::Inherit,
            "pipe" => CommandOutput::Pipe,
            path => CommandOutput::File(path.into()),
        },
        seed: args.seed.unwrap_or_else(seed),
        target: match &args.record {
            Some(path) => Target::File(path.clone()),
            None => Target::FirstOf(usual_places()),
        },
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build: build(),
        stop,
    })
}

fn tolerate(codes: Option<&str>) -> Result<Tolerate> {
    match codes {
        None => Ok(Tolerate::Nothing),
        Some("all") => Ok(Tolerate::Everything),
        Some(codes) => {
            let codes: Result<Vec<i32>, _> = codes.split(',').map(str::parse).collect();
            let codes = codes.map_err(|e| anyhow!("--ignore-failure: {e}; it looks like =1,2"))?;
            Ok(Tolerate::Codes(codes))
        }
    }
}

/// A time above zero, in seconds.
fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || "seconds are a number above 0, such as 2.5".to_owned();
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    let time = Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
    match time.is_zero() {
        true => Err(wrong()),
        false => Ok(time),
    }
}
