//! `whyslow run`, and `whyslow` alone: measure this machine.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use whyslow_model::document::Document;
use whyslow_model::record::{Build, End};
use whyslow_model::shell::quote;
use whyslow_probes::Intensity;
use whyslow_runner::{Request, Target, WorkerCommand};

use crate::args::Run;
use crate::commands::{catalog, restore};
use crate::exit;
use crate::globs;
use crate::output;
use crate::program::own_program;
use crate::progress::Progress;
use crate::signals;

/// A worker is given this long beyond twenty times what its work should take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Most processes of a point where their number follows from the intervals: that of a rigorous run.
const MOST_UNTIL: u32 = 30;

/// Measures, shows the result, and says where the record is.
pub(crate) fn run(args: &Run) -> Result<ExitCode> {
    restore::warn_of_left_behind();
    let request = resolve(args)?;
    let mut progress = Progress::new();
    let finished = whyslow_runner::run(&request, &mut |event| progress.on(&event));
    progress.done();
    let finished = finished?;
    let summary = whyslow_stats::record::summarise(&finished.record);
    let footer = finished.record.footer.as_ref();
    let end = footer.map_or(End::Interrupted, |f| f.end);
    let place = finished.kept.as_ref().ok().map(|path| kept(path, end));
    let shown = if args.json {
        let document = Document {
            record: finished.record,
            summary,
            load: Vec::new(),
        };
        serde_json::to_string(&document)? + "\n"
    } else {
        let among = catalog::standings(&summary, args.no_catalog);
        let look = output::look();
        let text = whyslow_report::summary_among(&finished.record, &summary, &among, look);
        let place = place.as_ref().map_or(String::new(), |p| format!("{p}\n"));
        let next = match &finished.kept {
            Ok(path) if end != End::Interrupted => next(path, &finished.record.header.suite),
            _ => String::new(),
        };
        text + &place + &next
    };
    let shown = output::print(&shown);
    // Standard output is one JSON document; or what was printed there was not read.
    if let Some(place) = place.filter(|_| args.json || shown.is_err()) {
        output::warn(&place);
    }
    // The record matters more than who listens: say first that it was not kept.
    finished
        .kept
        .context("the record could not be kept; the numbers above are all there is")?;
    shown?;
    Ok(match end {
        End::Complete | End::Budget => ExitCode::SUCCESS,
        End::Interrupted => ExitCode::from(exit::INTERRUPTED),
    })
}

/// Where the record is and what can be done with it.
fn kept(path: &Path, end: End) -> String {
    let (shown, word) = (path.display(), quote(&path.to_string_lossy()));
    match end {
        End::Complete => format!("record: {shown}"),
        End::Budget | End::Interrupted => {
            format!("record: {shown} (unfinished; go on with: whyslow run --resume {word})")
        }
    }
}

/// What the record is good for next, the tables of the old suite that it is a run of, and all of its points. Lines of
/// their own below the page, because the page breaks its lines and a command is copied whole.
pub(crate) fn next(record: &Path, suite: &str) -> String {
    let word = quote(&record.to_string_lossy());
    let tables = match suite {
        "lmbench" | "byte" => format!("tables: whyslow show {word} --format {suite}\n"),
        _ => String::new(),
    };
    format!("next:   whyslow explain {word}\n{tables}all:    whyslow show {word} --format table\n")
}

/// From what was typed to what is asked of the runner.
pub(crate) fn resolve(args: &Run) -> Result<Request> {
    let intensity = match (args.standard || args.until.is_some(), args.rigorous) {
        (true, _) => Intensity::Standard,
        (_, true) => Intensity::Rigorous,
        _ => Intensity::Quick,
    };
    let budget = match (args.budget, intensity) {
        (Some(seconds), _) => Some(seconds),
        // What it was begun with, which its header says.
        (None, _) if args.resume.is_some() || args.until.is_some() => None,
        // So many processes are no fewer.
        (None, _) if args.rounds.is_some() => None,
        // A minute and five minutes in all, less reading the host and writing the record.
        // A suite in four minutes, its first round always whole.
        (None, Intensity::Quick) if args.suite.is_some() => Some(235),
        (None, Intensity::Quick) => Some(55),
        (None, Intensity::Standard) => Some(285),
        (None, Intensity::Rigorous) => None,
    };
    let only = globs::typed(args.only.as_deref()).context("--only")?;
    let stop = signals::stop()?;
    Ok(Request {
        intensity,
        rounds: args.rounds.or(args.until.map(|_| MOST_UNTIL)),
        until: args.until,
        // A run that is resumed has used an unknown part of its time: it is given all of it again.
        budget: budget.map(|s| Duration::from_secs(s.into())),
        firm: args.budget.is_some(),
        only,
        only_text: args.only.clone().unwrap_or_default(),
        suite: args.suite.clone(),
        copies: args.copies.clone(),
        against: None,
        seed: args.seed.unwrap_or_else(seed),
        target: match (&args.resume, &args.output) {
            (Some(path), _) => Target::Resume(path.clone()),
            (None, Some(path)) => Target::File(path.clone()),
            (None, None) => Target::FirstOf(usual_places()),
        },
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build: build(),
        worker: WorkerCommand {
            program: own_program(),
            args: vec![OsString::from(super::worker::NAME)],
            faults: Vec::new(),
        },
        patience: PATIENCE,
        stop,
    })
}

/// A seed from the clock: any will do, it is in the record.
pub(crate) fn seed() -> u64 {
    jiff::Timestamp::now().as_nanosecond() as u64
}

/// Where a record goes by default: this folder, else the temporary one.
pub(crate) fn usual_places() -> Vec<PathBuf> {
    let host = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    let host: String = host
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c))
        .collect();
    let time = jiff::Timestamp::now().strftime("%Y%m%d-%H%M%S").to_string();
    let name = format!("whyslow-{host}-{time}.whyslow");
    vec![PathBuf::from(&name), env::temp_dir().join(&name)]
}

/// How this program was built.
pub(crate) fn build() -> Build {
    let libc = match (
        cfg!(target_env = "musl"),
        cfg!(target_feature = "crt-static"),
    ) {
        (true, true) => "musl static",
        (true, false) => "musl dynamic",
        (false, true) => "gnu static",
        (false, false) => "gnu dynamic",
    };
    Build {
        arch: env::consts::ARCH.to_owned(),
        libc: libc.to_owned(),
        profile: if cfg!(debug_assertions) {
            "debug"
        } else {
            "release"
        }
        .to_owned(),
        kernels: if cfg!(any(target_arch = "aarch64", target_arch = "x86_64")) {
            "assembly"
        } else {
            "portable"
        }
        .to_owned(),
    }
}
