//! `whyslow tune -- COMMAND`: the command as it is and under one setting after the other, in turns.

mod arms;
mod chosen;

use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use whyslow_model::record::End;
use whyslow_model::tune::{SCHEMA, SettingsTuning, UntriedSetting};
use whyslow_tune::place::Place;
use whyslow_tune::setting::Candidate;
use whyslow_tune::trial::{Fit, fit, judged, plain_s};

use self::arms::Arms;
use self::chosen::chosen;
use crate::args::{TuneFormat, TuneSettings};
use crate::commands::put_back::PutBack;
use crate::commands::{restore, run};
use crate::program::own_program;
use crate::progress::Progress;
use crate::{exit, output, signals};

/// What a measurement gets at least, so that its first block is not cut short by what came before.
const LEAST: Duration = Duration::from_secs(1);

/// A run's start through this program is said beside a command that it is a larger share of.
const SHARE: f64 = 0.05;

/// Tries settings on the command, and prints what each gains.
pub(crate) fn settings(args: &TuneSettings) -> Result<ExitCode> {
    let begun = Instant::now();
    whyslow_leftovers::sweep_all();
    let stop = signals::stop()?;
    let chosen = chosen(&args.setting)?;
    restore::warn_of_left_behind();
    let _put_back = PutBack::begin();
    let (place, _folder) = Place::live();
    let records = super::records()?;
    let arms = Arms {
        own: own_program(),
        command: &args.command,
        seed: args.seed.unwrap_or_else(run::seed),
        stop: stop.clone(),
        records: records.path(),
    };
    let stopped = || stop.load(Ordering::Relaxed);
    let progress = Progress::new();
    progress.says("a first run");
    let first_s = arms.first_s(args.budget)?;
    let Some(first_s) = first_s.filter(|_| !stopped()) else {
        progress.done();
        return nothing_whole();
    };
    progress.says("which settings can be tried here");
    let mut tuning = SettingsTuning {
        schema: SCHEMA,
        command: args.command.join(" "),
        budget_s: args.budget.as_secs_f64(),
        run_s: first_s,
        rounds: 0,
        corrected_for: 0,
        complete: true,
        tried: Vec::new(),
        untried: Vec::new(),
        notes: Vec::new(),
    };
    let mut candidates = chosen.possible(&arms.own, &place, &mut tuning.untried);
    progress.done();
    if !candidates.is_empty() {
        let left_s = (args.budget.as_secs_f64() - begun.elapsed().as_secs_f64()).max(0.0);
        let fit = fit(first_s, tuning.budget_s, left_s, candidates.len())?;
        cut(&mut candidates, fit, &mut tuning.untried);
        announce(&tuning, fit);
        let candidates = arms.warmed(candidates, &mut tuning)?;
        if !stopped() && !candidates.is_empty() {
            let left = args.budget.saturating_sub(begun.elapsed()).max(LEAST);
            tried(&arms, &candidates, fit.rounds, left, &mut tuning)?;
        }
    }
    if stopped() {
        tuning.complete = false;
        if tuning.tried.is_empty() {
            return nothing_whole();
        }
    }
    output::print(&match args.format {
        TuneFormat::Table => whyslow_report::tune_settings(&tuning, output::look()),
        TuneFormat::Json => serde_json::to_string_pretty(&tuning)? + "\n",
    })?;
    Ok(match stopped() {
        true => ExitCode::from(exit::INTERRUPTED),
        false => ExitCode::SUCCESS,
    })
}

fn nothing_whole() -> Result<ExitCode> {
    output::warn("stopped before a round was whole; nothing was changed");
    Ok(ExitCode::from(exit::INTERRUPTED))
}

/// Leaves the settings that the budget has time for.
fn cut(candidates: &mut Vec<Candidate>, fit: Fit, untried: &mut Vec<UntriedSetting>) {
    let left = candidates.split_off(fit.settings.min(candidates.len()));
    untried.extend(left.into_iter().map(|candidate| UntriedSetting {
        name: candidate.name,
        why: "no time for it within the budget".into(),
    }));
}

/// Says before the runs what they take.
fn announce(tuning: &SettingsTuning, fit: Fit) {
    let settings = match fit.settings {
        1 => "1 setting".to_owned(),
        n => format!("{n} settings"),
    };
    output::note(&format!(
        "a run takes {}; {settings} and the command as it is, up to {} runs of each: about {:.0} s, within the budget \
         of {:.0} s; Ctrl-C shows what is whole",
        whyslow_model::text::time(tuning.run_s * 1e9),
        fit.rounds,
        fit.takes_s,
        tuning.budget_s,
    ));
}

/// The runs, and what they say.
fn tried(
    arms: &Arms<'_>,
    candidates: &[Candidate],
    rounds: u32,
    left: Duration,
    tuning: &mut SettingsTuning,
) -> Result<()> {
    let mut progress = Progress::new();
    let loaded = arms.load(candidates, rounds, left, &mut |event| progress.on(&event));
    progress.done();
    let loaded = loaded.context("the command could not be measured under all settings")?;
    let record = &loaded.finished.record;
    let (tried, untried) = judged(record, candidates);
    tuning.rounds = rounds;
    tuning.corrected_for = u32::try_from(candidates.len()).unwrap_or(u32::MAX);
    tuning.tried = tried;
    tuning.untried.extend(untried);
    tuning.notes.extend(loaded.trouble);
    let end = record.footer.as_ref().map(|footer| footer.end);
    tuning.complete = matches!(end, Some(End::Complete | End::Budget));
    if let Some(run_s) = plain_s(record) {
        tuning.run_s = run_s;
    }
    if let Some(start_s) = arms.start_s().filter(|s| *s > SHARE * tuning.run_s) {
        tuning.notes.push(format!(
            "{:.0} % of each run is the start through whyslow, with and without settings: what the command itself \
             gains is more",
            100.0 * (start_s / tuning.run_s).min(1.0)
        ));
    }
    Ok(())
}
