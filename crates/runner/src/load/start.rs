//! From a cell to its processes, and what to say when they do not do well.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use whyslow_probes::child::{self, ChildEnd};
use whyslow_probes::tools;

use super::cells::Cells;
use super::error::LoadError;
use super::{CommandOutput, LoadRequest};

/// The shell of hooks, and the default one of commands.
pub(super) const SHELL: &str = "/bin/sh";

/// The folder in which the load was begun.
pub(super) struct Place {
    pub(super) path: PathBuf,
    id: (u64, u64),
}

impl Place {
    /// The current one.
    pub(super) fn here() -> io::Result<Place> {
        let path = std::env::current_dir()?;
        let id = id(Path::new("."))?;
        Ok(Place { path, id })
    }

    /// The folder to start in: none while it is still ours, its path where another took its place.
    ///
    /// # Errors
    /// When there is none any more.
    fn now(&self) -> Result<Option<&Path>, LoadError> {
        match id(&self.path) {
            Ok(id) if id == self.id => Ok(None),
            Ok(_) => Ok(Some(&self.path)),
            Err(e) if e.kind() == ErrorKind::NotFound => Err(LoadError::Gone(self.path.clone())),
            // Not for us to see from outside, but we are in it.
            Err(_) => Ok(None),
        }
    }
}

fn id(path: &Path) -> io::Result<(u64, u64)> {
    let found = fs::metadata(path)?;
    Ok((found.dev(), found.ino()))
}

/// Looks for the programs of all `cells` before the first is run, unless a hook may be what makes them.
///
/// # Errors
/// When one is missing: one line, what to do.
pub(super) fn all_there(request: &LoadRequest, cells: &Cells) -> Result<(), LoadError> {
    if request.hooks.setup.is_some() || request.hooks.prepare.is_some() {
        return Ok(());
    }
    let there = |program: &str| match program.contains('/') {
        true => Path::new(program).exists(),
        false => tools::find(program).is_ok(),
    };
    let mut all = cells.cells.iter().map(|c| &c.argv);
    match all.find(|argv| argv.first().is_some_and(|p| !there(p))) {
        Some(argv) => Err(unstarted(argv, ErrorKind::NotFound.into())),
        None => Ok(()),
    }
}

/// Runs the words of `argv`, those that start it and its own, in so many copies.
///
/// # Errors
/// When it cannot be started: one line, what to do.
pub(super) fn run(
    request: &LoadRequest,
    argv: [&[String]; 2],
    copies: u32,
    env_bytes: u32,
    place: &Place,
) -> Result<ChildEnd, LoadError> {
    let argv = argv.concat();
    let mut commands = Vec::new();
    for _ in 0..copies {
        let mut command = command(&argv, place)?;
        // Fills the environment by a length of the run's own randomization, which moves the stack.
        command.env("WHYSLOW_LUCK", "x".repeat(env_bytes as usize));
        let input = request.input.as_deref();
        command.stdin(input.map_or(Ok(Stdio::null()), open_input)?);
        match &request.output {
            CommandOutput::Null => command.stdout(Stdio::null()).stderr(Stdio::null()),
            CommandOutput::Inherit => command.stdout(Stdio::inherit()).stderr(Stdio::inherit()),
            CommandOutput::Pipe => command.stdout(Stdio::piped()).stderr(Stdio::null()),
            CommandOutput::File(path) => command.stdout(create(path)?).stderr(Stdio::null()),
        };
        commands.push(command);
    }
    child::run(&mut commands, request.timeout, &request.stop).map_err(|e| unstarted(&argv, e))
}

/// Runs a hook. Its output goes where the command's does, errors included.
///
/// # Errors
/// When it cannot be started.
pub(super) fn hook(
    request: &LoadRequest,
    text: &str,
    place: &Place,
) -> Result<ChildEnd, LoadError> {
    let shell = request.shell.as_deref().unwrap_or(SHELL);
    let argv = [shell, "-c", text].map(str::to_owned);
    let mut command = command(&argv, place)?;
    command.stdin(Stdio::null());
    if request.output == CommandOutput::Inherit {
        command.stdout(Stdio::inherit()).stderr(Stdio::inherit());
    } else {
        command.stdout(Stdio::null()).stderr(Stdio::null());
    }
    child::run(&mut [command], None, &request.stop).map_err(|e| unstarted(&argv, e))
}

/// Cleans up after the user stopped: this one is not stopped by that.
pub(super) fn last_hook(
    request: &LoadRequest,
    text: &str,
    place: &Place,
) -> Result<ChildEnd, LoadError> {
    let mut request = request.clone();
    request.stop = std::sync::Arc::new(AtomicBool::new(false));
    hook(&request, text, place)
}

fn command(argv: &[String], place: &Place) -> Result<Command, LoadError> {
    let [program, arguments @ ..] = argv else {
        return Err(LoadError::Empty);
    };
    let mut command = Command::new(program);
    command.args(arguments);
    if let Some(path) = place.now()? {
        command.current_dir(path);
    }
    Ok(command)
}

fn open_input(path: &Path) -> Result<Stdio, LoadError> {
    let file = File::open(path).map_err(|error| no_file(path, error))?;
    Ok(file.into())
}

fn create(path: &Path) -> Result<Stdio, LoadError> {
    let file = File::create(path).map_err(|error| no_file(path, error))?;
    Ok(file.into())
}

fn no_file(path: &Path, error: io::Error) -> LoadError {
    let path = path.to_owned();
    LoadError::File { path, error }
}

/// Why `argv` did not start.
fn unstarted(argv: &[String], error: io::Error) -> LoadError {
    let program = argv.first().cloned().unwrap_or_default();
    if error.kind() != ErrorKind::NotFound {
        return LoadError::Start { program, error };
    }
    if program.contains(char::is_whitespace) && argv.len() == 1 {
        return LoadError::LineAsProgram(program);
    }
    match (program.contains('/'), Path::new(&program).exists()) {
        (true, true) => LoadError::Interpreter(program),
        (true, false) => LoadError::NoProgram(program),
        (false, _) => LoadError::NotInPath(program),
    }
}

/// How a command ended that did not end well.
pub(super) fn badly(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(9), _) => "was killed by signal 9 (out of memory, or by hand)".into(),
        (Some(signal), _) => format!("died of signal {signal}"),
        (None, Some(code @ 126..=127)) => format!(
            "ended with code {code}, by which a shell says that it could not start a program"
        ),
        (None, Some(code)) => format!("ended with code {code}"),
        (None, None) => "ended, it is not known how".into(),
    }
}

/// How long a hung command was waited for.
pub(super) fn too_late(patience: Option<Duration>) -> String {
    let seconds = patience.unwrap_or_default().as_secs_f64();
    format!("was still running after {seconds} s and was killed with its process group")
}
