//! The runs of a command, as it is and under settings.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use whyslow_conditions::Setting;
use whyslow_host::system_program;
use whyslow_model::tune::{SettingsTuning, UntriedSetting};
use whyslow_probes::child::{self, ChildEnd, Ended};
use whyslow_runner::load::{
    CommandOutput, CommandSpec, CommandText, Hooks, LoadError, LoadRequest, Loaded, Parameter,
    Tolerate,
};
use whyslow_runner::{Event, RunError, Target, UNDER};
use whyslow_tune::setting::Candidate;
use whyslow_tune::trial::fastest_s;

use crate::commands::run;

/// The condition of the command as it is: it changes nothing, and has the run start as all others do.
const NOTHING: &str = "nothing";

/// `load` puts levels in place of this. A command may have it for itself, so that it is written as a parameter
/// whose one value it is.
const LEVEL: &str = "{j}";

/// The name of that parameter.
const OWN_LEVEL: &str = "whyslow-level";

/// Share of the budget that a second run may take, which finds caches warm.
const SECOND: u32 = 20;

/// What the command is run by.
pub(super) struct Arms<'a> {
    /// This program.
    pub(super) own: PathBuf,
    /// The command.
    pub(super) command: &'a [String],
    /// The folder for the records of runs.
    pub(super) records: &'a Path,
    /// Seed of everything random.
    pub(super) seed: u64,
    /// Set when the user wants it to end.
    pub(super) stop: Arc<AtomicBool>,
}

impl Arms<'_> {
    /// Time of a run as it is, s, and whether the command can be run at all; nothing if it was stopped.
    pub(super) fn first_s(&self, budget: Duration) -> Result<Option<f64>> {
        let request = LoadRequest {
            timeout: Some(budget),
            ..self.request(vec![self.command.to_vec()], 2, budget / SECOND)
        };
        let loaded = whyslow_runner::load::load(&request, &mut |_| ());
        match loaded {
            Ok(loaded) => Ok(fastest_s(&loaded.finished.record)),
            Err(RunError::Load(LoadError::LineAsProgram(line))) => {
                bail!(
                    "'{line}': no such program; a whole command line goes to a shell: -- sh -c '...'"
                )
            }
            Err(RunError::Load(LoadError::Command { title, why, .. })) if why.contains("still") => {
                bail!("'{title}' {why}; it is too long for this --budget")
            }
            Err(RunError::Load(LoadError::Command { title, why, .. })) => {
                bail!("'{title}' {why}; settings are tried on commands that end with code 0")
            }
            Err(why) => Err(why.into()),
        }
    }

    /// A run of each arm that does not count; settings under which the command fails are left out.
    pub(super) fn warmed(
        &self,
        candidates: Vec<Candidate>,
        tuning: &mut SettingsTuning,
    ) -> Result<Vec<Candidate>> {
        let plain = self.once(&[NOTHING.to_owned()], self.command)?;
        if let Some(why) = plain.and_then(failed) {
            bail!("the command {why}, although it did well before");
        }
        let mut well = Vec::new();
        for candidate in candidates {
            let ended = self.once(&candidate.under(), self.command)?;
            match ended.and_then(failed) {
                None => well.push(candidate),
                Some(why) => tuning.untried.push(UntriedSetting {
                    name: candidate.name,
                    why: format!("the command {why} under it"),
                }),
            }
        }
        Ok(well)
    }

    /// The least time of a start under a condition, s.
    pub(super) fn start_s(&self) -> Option<f64> {
        let nothing = [system_program("true").display().to_string()];
        let runs = (0..3).filter_map(|_| self.once(&[NOTHING.to_owned()], &nothing).ok()?);
        let times = runs.map(|ended| ended.real_ns / 1e9);
        times.min_by(f64::total_cmp)
    }

    /// Rounds of the command as it is and under each of `candidates`, there and back.
    pub(super) fn load(
        &self,
        candidates: &[Candidate],
        rounds: u32,
        left: Duration,
        on: &mut dyn FnMut(Event<'_>),
    ) -> Result<Loaded, RunError> {
        let nothing = vec![NOTHING.to_owned()];
        let conditions = candidates.iter().map(|c| &c.conditions);
        let arms = [&nothing].into_iter().chain(conditions);
        let words = arms.map(|conditions| self.words(conditions, self.command));
        let request = self.request(words.collect(), rounds, left);
        let within = |arm: usize| held(candidates, arm);
        whyslow_runner::load::load_within(&request, &within, on)
    }

    /// `command`, started under `conditions`.
    fn words(&self, conditions: &[String], command: &[String]) -> Vec<String> {
        let start = [self.own.display().to_string(), UNDER.to_owned()];
        let mut words: Vec<String> = start.into();
        words.extend(conditions.iter().cloned());
        words.push("--".into());
        words.extend(command.iter().cloned());
        words
    }

    /// One run; nothing if it was stopped.
    fn once(&self, conditions: &[String], command: &[String]) -> Result<Option<Ended>> {
        let words = self.words(conditions, command);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let end = child::run(&mut [command], None, &self.stop);
        match end.map_err(|e| anyhow!("{}: {e}", self.own.display()))? {
            ChildEnd::Ended(ended) => Ok(Some(ended)),
            ChildEnd::Stopped | ChildEnd::TooLate => Ok(None),
        }
    }

    /// What `load` is asked for, with arms named by their numbers. Nothing is kept on disk.
    fn request(&self, arms: Vec<Vec<String>>, repeat: u32, budget: Duration) -> LoadRequest {
        let level = format!("{{{OWN_LEVEL}}}");
        let has = |words: &Vec<String>| words.iter().any(|word| word.contains(LEVEL));
        let own_level = Parameter {
            name: OWN_LEVEL.into(),
            values: vec![LEVEL.into()],
        };
        let parameters = arms.iter().any(has).then_some(own_level);
        let commands = arms.into_iter().enumerate().map(|(arm, words)| {
            let words = words.iter().map(|word| word.replace(LEVEL, &level));
            CommandSpec {
                name: Some(arm.to_string()),
                text: CommandText::Words(words.collect()),
                start: None,
            }
        });
        LoadRequest {
            commands: commands.collect(),
            levels: Vec::new(),
            parameters: parameters.into_iter().collect(),
            shell: None,
            repeat,
            warmup: 0,
            hooks: Hooks::default(),
            tolerate: Tolerate::Nothing,
            timeout: None,
            budget: Some(budget),
            input: None,
            output: CommandOutput::Null,
            seed: self.seed,
            target: Target::FirstOf(vec![self.records.join("tune.whyslow")]),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build: run::build(),
            stop: self.stop.clone(),
        }
    }
}

/// What the machine is set to while arm `arm` runs. Where a setting of the machine is among the candidates, all other
/// arms have it written as it is: what goes around a change is then the same before every run.
fn held(candidates: &[Candidate], arm: usize) -> Result<Box<dyn Any>, String> {
    let own = arm.checked_sub(1).and_then(|at| candidates.get(at));
    let own = own.and_then(|candidate| candidate.machine.as_ref());
    let some = candidates.iter().find_map(|c| c.machine.as_ref());
    let set = match (own, some) {
        (Some(own), _) => Setting::set(&own.files, Some(own.value)),
        (None, Some(some)) => Setting::set(&some.files, None),
        (None, None) => return Ok(Box::new(())),
    };
    match set {
        Ok(setting) => Ok(Box::new(setting)),
        Err(why) => Err(why.to_string()),
    }
}

/// How a command ended that did not end well.
fn failed(ended: Ended) -> Option<String> {
    if ended.status.success() {
        return None;
    }
    Some(match ended.status.code() {
        Some(code) => format!("ends with code {code}"),
        None => "is killed by a signal".to_owned(),
    })
}
