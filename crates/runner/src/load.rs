//! Any command under load: run again and again in interleaved order, with what it used each time.
//!
//! What is run are copies of a command of the user's, and no worker: there is no job to tell it and no
//! answer to hear, its figures are what the kernel counted, and its runs are as long as they are, so there are
//! no iterations to find. What is the same is shared with runs: the record in the making (`book`), what is not
//! tried again (`failures`) and the drawing of randomization (`randomization`).

mod cells;
pub(crate) mod error;
mod metrics;
mod parameter;
mod schedule;
mod session;
mod start;
mod words;

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use whyslow_model::record::Build;

use crate::event::Event;
use crate::request::{Finished, RunError, Target};

pub use error::{LoadError, NoParameter, ParameterError};
pub use metrics::roles;
pub use parameter::Parameter;

/// Everything that measuring commands needs to be told.
#[derive(Debug, Clone)]
pub struct LoadRequest {
    /// The commands; the others are compared with the first.
    pub commands: Vec<CommandSpec>,
    /// Load levels: what `{j}` stands for, or numbers of copies at once where no command has it.
    pub levels: Vec<u32>,
    /// Parameters; every combination of their values is measured.
    pub parameters: Vec<Parameter>,
    /// The shell that the commands are given to; none for running them as they are.
    pub shell: Option<String>,
    /// Measured runs of each command, level and combination.
    pub repeat: u32,
    /// Runs before those, which do not count.
    pub warmup: u32,
    /// Shell commands around the runs.
    pub hooks: Hooks,
    /// Which failures count as runs all the same.
    pub tolerate: Tolerate,
    /// A run that takes longer is killed and does not count.
    pub timeout: Option<Duration>,
    /// Time to measure for at most; the last round may then be incomplete.
    pub budget: Option<Duration>,
    /// What the commands read from; nothing without one.
    pub input: Option<PathBuf>,
    /// Where their output goes.
    pub output: CommandOutput,
    /// Seed of the order and of what randomization decides.
    pub seed: u64,
    /// Where the record goes; a record cannot be gone on with.
    pub target: Target,
    /// Version of whyslow.
    pub version: String,
    /// How this whyslow was built.
    pub build: Build,
    /// Set when the user wants the run to end.
    pub stop: Arc<AtomicBool>,
}

/// A command as the user gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandSpec {
    /// What points and tables call it; its number where there is none.
    pub name: Option<String>,
    /// The command.
    pub text: CommandText,
    /// What it is started by, where that is not this process alone.
    pub start: Option<Start>,
}

/// What starts a command in an arm: the same command under something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// Words in front of the command's.
    pub words: Vec<String>,
    /// What titles call it, such as the settings; nothing where it changes nothing.
    pub told: Option<String>,
}

/// The two ways in which a command can be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandText {
    /// A program and its arguments.
    Words(Vec<String>),
    /// One line, to be split into words or given to a shell.
    Line(String),
}

/// Commands of a shell around the runs; none of them is measured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hooks {
    /// Before the first run of each command and combination.
    pub setup: Option<String>,
    /// Before each run, warm-up or not.
    pub prepare: Option<String>,
    /// After each run, warm-up or not.
    pub conclude: Option<String>,
    /// After the last run, for each command and combination.
    pub cleanup: Option<String>,
}

/// Failures that count as runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Tolerate {
    /// None.
    #[default]
    Nothing,
    /// All.
    Everything,
    /// Those with these exit codes.
    Codes(Vec<i32>),
}

/// Where a command's standard output and errors go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum CommandOutput {
    /// Nowhere.
    #[default]
    Null,
    /// Where ours go.
    Inherit,
    /// Output into a pipe that is emptied, errors nowhere: for programs that see /dev/null and write
    /// nothing.
    Pipe,
    /// Output into this file, made anew by every run; errors nowhere.
    File(PathBuf),
}

/// What measuring commands brought.
#[derive(Debug)]
pub struct Loaded {
    /// The record and where it is.
    pub finished: Finished,
    /// What went wrong, in a line, when runs failed.
    pub trouble: Option<String>,
}

/// Measures what `request` asks for, and keeps it.
///
/// # Errors
/// When nothing could be measured: a missing program, a first run that failed, a name that the
/// command lacks.
pub fn load(request: &LoadRequest, on: &mut dyn FnMut(Event<'_>)) -> Result<Loaded, RunError> {
    load_within(request, &|_| Ok(Box::new(())), on)
}

/// What is held while a command runs, by the number of the command; or why it cannot be had.
pub type Within<'a> = &'a dyn Fn(usize) -> Result<Box<dyn Any>, String>;

/// As [`load`], with each run, warm-up or not, within what `within` gives for its command: had before the run and
/// dropped after it, neither of which is measured.
///
/// # Errors
/// As of [`load`], and when it cannot be had at first.
pub fn load_within(
    request: &LoadRequest,
    within: Within<'_>,
    on: &mut dyn FnMut(Event<'_>),
) -> Result<Loaded, RunError> {
    let cells = cells::cells(request)?;
    session::run(request, cells, within, on)
}

#[cfg(test)]
mod tests;
