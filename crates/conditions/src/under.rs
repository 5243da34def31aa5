//! Runs a program under conditions.

use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus};

use rustix::process::{Signal, set_parent_process_death_signal};

use crate::condition::Condition;
use crate::error::ConditionError;
use crate::setup::{Parent, Under};
use crate::tracer::until_the_end;

/// Added to the signal number in exit codes, as in shells.
const SIGNALED: i32 = 128;

/// Applies `conditions` to this process and runs `program` with its arguments. `own` is this
/// executable and `command` its subcommand for this function, as it starts itself again.
///
/// # Errors
/// When a condition cannot be applied, or the program cannot be started. Returns the exit code of a
/// program that ran with helpers; one without helpers replaces this process.
pub fn under(
    conditions: &[Condition],
    own: &Path,
    command: &'static str,
    program: &[OsString],
) -> Result<i32, ConditionError> {
    // All of it is killed if the starting process is killed. If that cannot be arranged, the program
    // ends on its own.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    let mut under = Under::new(own, command);
    for condition in conditions {
        let entered = (condition.knob.enter)(&condition.value, &mut under);
        entered.map_err(|why| ConditionError::Condition {
            condition: condition.to_string(),
            source: Box::new(why),
        })?;
    }
    run(under, program)
}

/// Runs `program` as `under` has it.
fn run(mut under: Under, program: &[OsString]) -> Result<i32, ConditionError> {
    let [name, args @ ..] = program else {
        return Err(ConditionError::bad_value("no program to run"));
    };
    let failed = |e: std::io::Error| ConditionError::at(Path::new(name), e);
    if under.beside.is_empty() && under.parent == Parent::None {
        let mut command = Command::new(name);
        return Err(failed(
            command
                .args(args)
                .envs(std::mem::take(&mut under.env))
                .exec(),
        ));
    }
    // Through this executable, so that the program is killed when this process is.
    let mut again = Command::new(&under.own);
    again.arg(under.command);
    again.arg(format!("child-of={}", std::process::id()));
    if under.parent == Parent::Traces {
        again.arg("stopped");
    }
    again.arg("--").args(program);
    again.envs(std::mem::take(&mut under.env));
    let mut child = again.spawn().map_err(failed)?;
    let status = match under.parent {
        Parent::Traces => ExitStatus::from_raw(until_the_end(child.id())?),
        Parent::None | Parent::Waits => child.wait().map_err(failed)?,
    };
    Ok(match (status.code(), status.signal()) {
        (Some(code), _) => code,
        (None, signal) => SIGNALED + signal.unwrap_or(0),
    })
}
