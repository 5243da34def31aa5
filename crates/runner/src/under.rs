//! A worker under conditions, and a look at what such a process sees.

use std::ffi::OsString;
use std::process::{Command, Stdio};
use std::time::Duration;

use whyslow_model::experiment::Sensed;

use crate::errors::LookError;
use crate::request::WorkerCommand;
use crate::spawn;

/// `worker` under `conditions`.
pub(crate) fn under(worker: &WorkerCommand, conditions: &[String]) -> WorkerCommand {
    if conditions.is_empty() {
        return worker.clone();
    }
    let parent = format!("child-of={}", std::process::id());
    let mut args: Vec<OsString> = vec![UNDER.into(), parent.into()];
    args.extend(conditions.iter().map(OsString::from));
    args.extend(["--".into(), worker.program.clone().into_os_string()]);
    args.extend(worker.args.iter().cloned());
    WorkerCommand {
        program: worker.program.clone(),
        args,
        faults: Vec::new(),
    }
}

/// The hidden command that puts a process under conditions.
pub const UNDER: &str = "__under";

/// The hidden command that says what a process sees.
pub const SENSE: &str = "__sense";

/// What a process under `conditions` sees of its surroundings; or why there can be none.
///
/// # Errors
/// When it cannot be put under them, in the words of the condition.
pub fn look_around(
    worker: &WorkerCommand,
    conditions: &[String],
    patience: Duration,
) -> Result<Sensed, LookError> {
    let look = WorkerCommand {
        args: vec![SENSE.into()],
        ..worker.clone()
    };
    let look = under(&look, conditions);
    let failed = |error| LookError::Start {
        program: look.program.clone(),
        error,
    };
    let mut child = Command::new(&look.program)
        .args(&look.args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    spawn::wait_at_most(&mut child, patience);
    let said = child.wait_with_output().map_err(failed)?;
    serde_json::from_slice(&said.stdout).map_err(|_| {
        let error = String::from_utf8_lossy(&said.stderr);
        let last = error.lines().rfind(|l| !l.trim().is_empty());
        let last = last.map_or("it ended without a word", |l| {
            l.trim().trim_start_matches("whyslow: ")
        });
        LookError::Refused(last.to_owned())
    })
}
