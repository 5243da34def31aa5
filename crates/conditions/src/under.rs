//! Runs a program under conditions.

use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};

use rustix::process::{Signal, set_parent_process_death_signal};

use crate::condition::Condition;
use crate::knobs::trace;

/// Added to the signal number in exit codes, as in shells.
const SIGNALED: i32 = 128;

/// The environment of a program, under construction.
#[derive(Debug)]
pub struct Under {
    /// This program, which also runs the helper processes.
    own: PathBuf,
    /// The hidden command of this program that applies conditions to a process.
    command: &'static str,
    env: Vec<(OsString, OsString)>,
    beside: Vec<Beside>,
    parent: Parent,
}

/// Helpers that end with the program.
#[derive(Debug)]
pub(crate) enum Beside {
    /// A neighbor.
    Neighbor(Child),
    /// Ends by being dropped.
    Guard(#[expect(dead_code, reason = "held for its end")] Box<dyn Guard>),
}

/// A change that is undone when dropped.
pub(crate) trait Guard: std::fmt::Debug {}

/// What the program requires of its starting process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parent {
    /// Nothing: it may replace the process by exec.
    None,
    /// That it waits.
    Waits,
    /// That it stops and resumes the program at every system call.
    Traces,
}

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
) -> Result<i32, String> {
    // All of it is killed if the starting process is killed. If that cannot be arranged, the program
    // ends on its own.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    let mut under = Under {
        own: own.to_owned(),
        command,
        env: Vec::new(),
        beside: Vec::new(),
        parent: Parent::None,
    };
    for condition in conditions {
        (condition.knob.enter)(&condition.value, &mut under)
            .map_err(|why| format!("{condition}: {why}"))?;
    }
    under.run(program)
}

impl Under {
    /// Adds a variable to the program's environment.
    pub(crate) fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.env.push((name.into(), value.into()));
    }

    /// Makes the starting process wait, or trace.
    pub(crate) fn parent(&mut self, parent: Parent) {
        if self.parent != Parent::Traces {
            self.parent = parent;
        }
    }

    /// Keeps `guard` until the program has exited.
    pub(crate) fn guard(&mut self, guard: impl Guard + 'static) {
        self.beside.push(Beside::Guard(Box::new(guard)));
    }

    /// Starts this program as the helper `args`, and waits until it reports that it is ready.
    pub(crate) fn neighbor(&mut self, args: &[&str]) -> Result<(), String> {
        let child = crate::beside::start(&self.own, args)?;
        self.beside.push(Beside::Neighbor(child));
        Ok(())
    }

    fn run(mut self, program: &[OsString]) -> Result<i32, String> {
        let [name, args @ ..] = program else {
            return Err("no program to run".to_owned());
        };
        let failed = |e: std::io::Error| format!("{}: {e}", name.display());
        if self.beside.is_empty() && self.parent == Parent::None {
            let mut command = Command::new(name);
            return Err(failed(
                command
                    .args(args)
                    .envs(std::mem::take(&mut self.env))
                    .exec(),
            ));
        }
        // Through this executable, so that the program is killed when this process is.
        let mut again = Command::new(&self.own);
        again.arg(self.command);
        again.arg(format!("child-of={}", std::process::id()));
        if self.parent == Parent::Traces {
            again.arg("stopped");
        }
        again.arg("--").args(program);
        again.envs(std::mem::take(&mut self.env));
        let mut child = again.spawn().map_err(failed)?;
        let status = match self.parent {
            Parent::Traces => ExitStatus::from_raw(trace::until_the_end(child.id())?),
            Parent::None | Parent::Waits => child.wait().map_err(failed)?,
        };
        Ok(match (status.code(), status.signal()) {
            (Some(code), _) => code,
            (None, signal) => SIGNALED + signal.unwrap_or(0),
        })
    }
}

impl Drop for Under {
    fn drop(&mut self) {
        for beside in &mut self.beside {
            if let Beside::Neighbor(child) = beside {
                // It may have exited already.
                let _ = child.kill();
                let _ = child.wait();
            }
        }
    }
}
