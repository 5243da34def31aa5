//! `whyslow tune`: settings found by measuring.

mod counted;
mod program;
mod settings;

use std::process::ExitCode;
use std::sync::atomic::Ordering;

use anyhow::{Context, Result, bail};
use whyslow_host::HostRoot;
use whyslow_leftovers::{Kind, OwnFolder};
use whyslow_model::experiment::Trial;
use whyslow_model::host::Known;
use whyslow_model::shell::quote;
use whyslow_model::tune::{CommandGain, LibcTuning, TuneVerdict};
use whyslow_runner::load::{CommandOutput, CommandSpec, CommandText, Hooks, LoadRequest, Tolerate};
use whyslow_runner::{Request, RunError, Target, TrialPlan, TrialStep, trial};
use whyslow_tune::command;
use whyslow_tune::libc::{Bench, forecast, tune as tune_libc, variable};

use crate::args::{Run, Tune, TuneFormat, TuneLibc, TuneWhat};
use crate::commands::{restore, run};
use crate::progress::Progress;
use crate::{exit, output};

/// Measures, and prints what is to be set.
pub(crate) fn tune(args: &Tune) -> Result<ExitCode> {
    match &args.what {
        Some(TuneWhat::Libc(args)) => libc(args),
        Some(TuneWhat::Run(args)) => program::run(args),
        None => settings::settings(&args.settings),
    }
}

/// This host.
struct Here<'a> {
    request: &'a Request,
}

impl Bench for Here<'_> {
    fn measure(
        &self,
        plan: &TrialPlan,
        on: &mut dyn FnMut(TrialStep<'_>),
    ) -> Result<Trial, RunError> {
        trial(plan, self.request, on)
    }
}

fn libc(args: &TuneLibc) -> Result<ExitCode> {
    restore::warn_of_left_behind();
    let request = run::resolve(&Run {
        quick: true,
        seed: args.seed,
        ..Run::default()
    })?;
    let here = std::env::current_dir().unwrap_or_else(|_| "/".into());
    let state = HostRoot::live().state(&here, &std::env::temp_dir());
    let libc = &state.libc;
    if !libc.own.starts_with("gnu dynamic") {
        bail!(
            "this whyslow is linked with a C library of its own ({}), whose copies are not those of programs here; \
             build it with `cargo build --release` on this machine",
            libc.own
        );
    }
    if let Some(why) = libc.tunables.why() {
        bail!(
            "the C library here has no settings for its copies: {why}; `whyslow tune run -- {}` puts routines of \
             whyslow's own in front of its",
            words(&args.command)
        );
    }
    let memory = state.now.memory_budget_bytes.value().copied();
    let progress = Progress::new();
    // First, so that a command that cannot be run is known before all is measured.
    let copies = match args.command.is_empty() {
        true => None,
        false => {
            progress.says("counting what the command copies");
            let counted = counted::counted(&args.command, &request.stop);
            if !matches!(counted, Ok(Some(_))) {
                progress.done();
            }
            match counted? {
                None => return stopped(),
                counted => counted,
            }
        }
    };
    let mut on = |what: &str, step: TrialStep<'_>| {
        let text = format!("{what}  {}", step.next);
        progress.step(step.done, step.total, &text);
    };
    let found = tune_libc(
        &Here { request: &request },
        memory.unwrap_or(u64::MAX),
        args.blocks,
        &mut on,
    );
    progress.done();
    let mut found = match found {
        Err(_) if request.stop.load(Ordering::Relaxed) => return stopped(),
        found => found?,
    };
    found.copies = copies;
    let known = found.copies.as_ref().and_then(Known::value);
    found.forecast = known.and_then(|copies| forecast(&found, copies));
    if let Some(line) = whyslow_report::tune_forecast(&found) {
        output::note(&line);
    }
    if !args.command.is_empty() {
        match found.verdict {
            TuneVerdict::Set | TuneVerdict::Mixed => {
                found.command = tried(args, &found, &request)?;
            }
            _ => found
                .notes
                .push("the command was not run: there is no setting to try it with".into()),
        }
    }
    output::print(&match args.format {
        TuneFormat::Table => whyslow_report::tune_libc(&found, output::look()),
        TuneFormat::Json => serde_json::to_string_pretty(&found)? + "\n",
    })?;
    Ok(match request.stop.load(Ordering::Relaxed) {
        true => ExitCode::from(exit::INTERRUPTED),
        false => ExitCode::SUCCESS,
    })
}

fn stopped() -> Result<ExitCode> {
    output::warn("stopped; nothing was changed");
    Ok(ExitCode::from(exit::INTERRUPTED))
}

/// Runs the command with and without the settings in turns.
fn tried(args: &TuneLibc, found: &LibcTuning, request: &Request) -> Result<Option<CommandGain>> {
    // Both go through `env`, so that starting them is alike.
    let side = |name: &str, variable: String| {
        let words = ["env".to_owned(), variable].into_iter();
        CommandSpec {
            name: Some(name.to_owned()),
            text: CommandText::Words(words.chain(args.command.iter().cloned()).collect()),
            start: None,
        }
    };
    let records = records()?;
    let [default, tuned] = command::NAMES;
    let load = LoadRequest {
        commands: vec![
            side(default, "WHYSLOW_TUNE=default".into()),
            side(tuned, variable(&found.settings)),
        ],
        levels: Vec::new(),
        parameters: Vec::new(),
        shell: None,
        repeat: args.repeat.next_multiple_of(2),
        warmup: 1,
        hooks: Hooks::default(),
        tolerate: Tolerate::Nothing,
        timeout: None,
        budget: None,
        input: None,
        output: CommandOutput::Null,
        seed: request.seed,
        target: Target::FirstOf(vec![records.path().join("tune.whyslow")]),
        version: request.version.clone(),
        build: request.build.clone(),
        stop: request.stop.clone(),
    };
    let mut progress = Progress::new();
    let loaded = whyslow_runner::load::load(&load, &mut |event| progress.on(&event));
    progress.done();
    let loaded = loaded.context("the command could not be measured")?;
    let told = args.command.join(" ");
    Ok(command::gain(&loaded.finished.record, &told))
}

/// A folder for the records of runs, which are gone with it: what they say is in the answer.
fn records() -> Result<OwnFolder> {
    let place = std::env::temp_dir();
    OwnFolder::make(&place, Kind::Run).with_context(|| place.display().to_string())
}

/// A command as it is typed; what stands for one where none was given.
fn words(command: &[String]) -> String {
    let words: Vec<String> = command.iter().map(|word| quote(word)).collect();
    match words.is_empty() {
        true => "PROGRAM".to_owned(),
        false => words.join(" "),
    }
}
