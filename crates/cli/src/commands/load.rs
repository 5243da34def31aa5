//! `whyslow load`: any command under load levels.

mod arms;

use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use whyslow_model::document::Document;
use whyslow_model::record::End;
use whyslow_runner::Target;
use whyslow_runner::load::{
    CommandOutput, CommandSpec, CommandText, Hooks, LoadRequest, Parameter, ParameterError,
    Tolerate,
};

use self::arms::Arms;
use super::run::{build, seed, usual_places};
use crate::args::{Load, LoadFormat};
use crate::exit;
use crate::output;
use crate::progress::Progress;
use crate::signals;

/// The shell of `--shell default`.
const DEFAULT_SHELL: &str = "/bin/sh";

/// Measures, shows the result, and says where the record is.
pub(crate) fn load(args: &Load) -> Result<ExitCode> {
    whyslow_leftovers::sweep_all();
    let format = if args.json {
        LoadFormat::Json
    } else {
        args.format
    };
    if format == LoadFormat::Markdown && args.arm.is_empty() && args.against.is_empty() {
        bail!("--format markdown shows arms before and after; add --arm or --against");
    }
    let arms = Arms::of(&args.arm, &args.command)?;
    let request = resolve(args, &arms)?;
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
    let shown = match format {
        LoadFormat::Json => {
            let load = whyslow_compare::load::arms(&finished.record);
            let record = finished.record;
            let document = Document {
                record,
                summary,
                load,
            };
            serde_json::to_string(&document)? + "\n"
        }
        LoadFormat::Markdown => {
            whyslow_report::load_markdown(&whyslow_compare::load::arms(&finished.record))
        }
        LoadFormat::Table => {
            let text = whyslow_report::load(&finished.record, &summary, output::look());
            text + &place.as_ref().map_or(String::new(), |p| format!("{p}\n"))
        }
    };
    let shown = output::print(&shown);
    // Standard output is one document; or what was printed there was not read.
    if let Some(place) = place.filter(|_| format != LoadFormat::Table || shown.is_err()) {
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
fn resolve(args: &Load, arms: &Arms) -> Result<LoadRequest> {
    let commands = match arms.is_empty() {
        true => commands(args)?,
        false => arms.commands(&args.command),
    };
    let parameters: Result<Vec<Parameter>, ParameterError> = args
        .param
        .iter()
        .map(|text| Parameter::parse(text))
        .collect();
    let mut levels: Vec<u32> = args.jobs.iter().flat_map(|l| l.0.clone()).collect();
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

/// The command, and those that are run against it.
fn commands(args: &Load) -> Result<Vec<CommandSpec>> {
    let mut commands = vec![CommandText::Words(args.command.clone())];
    commands.extend(args.against.iter().cloned().map(CommandText::Line));
    if args.name.len() > commands.len() {
        bail!(
            "{} names for {} command(s)",
            args.name.len(),
            commands.len()
        );
    }
    let named = commands.into_iter().enumerate();
    let named = named.map(|(i, text)| CommandSpec {
        name: args.name.get(i).cloned(),
        text,
        start: None,
    });
    Ok(named.collect())
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
