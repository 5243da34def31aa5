//! From conditions to a running program.

use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};

use rustix::process::{Signal, set_parent_process_death_signal};

use crate::condition::Condition;
use crate::knobs::trace;

/// What a shell adds to the number of the signal that a program died of.
const SIGNALED: i32 = 128;

/// A program's surroundings in the making.
#[derive(Debug)]
pub struct Under {
    /// This program, which also plays the parts beside the measured one.
    own: PathBuf,
    /// The hidden command of this program that puts a process under conditions.
    command: &'static str,
    env: Vec<(OsString, OsString)>,
    beside: Vec<Beside>,
    parent: Parent,
}

/// What lives beside the program and goes with it.
#[derive(Debug)]
pub(crate) enum Beside {
    /// A neighbor.
    Neighbor(Child),
    /// Ends by being dropped.
    Guard(#[expect(dead_code, reason = "held for its end")] Box<dyn Guard>),
}

/// Something that is put back when it is dropped.
pub(crate) trait Guard: std::fmt::Debug {}

/// What the program needs of the process that starts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parent {
    /// Nothing: it may take the process over.
    None,
    /// That it waits.
    Waits,
    /// That it stops and resumes the program at every system call.
    Traces,
}

/// Puts this process under `conditions` and runs `program` with its arguments. `own` is this very
/// program and `command` the name under which it offers this function, as it starts itself again.
///
/// # Errors
/// When a condition cannot be had, or the program not be started. Gives the exit code of a program that
/// ran beside something; one that needs nothing beside it takes this process over.
pub fn under(
    conditions: &[Condition],
    own: &Path,
    command: &'static str,
    program: &[OsString],
) -> Result<i32, String> {
    // Whoever started this and is killed takes all of it along. Where that cannot be had, the program
    // ends by itself.
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

    /// Has the starting process wait, or trace.
    pub(crate) fn parent(&mut self, parent: Parent) {
        if self.parent != Parent::Traces {
            self.parent = parent;
        }
    }

    /// Keeps `guard` until the program has ended.
    pub(crate) fn guard(&mut self, guard: impl Guard + 'static) {
        self.beside.push(Beside::Guard(Box::new(guard)));
    }

    /// Starts this program in the part `args` beside the measured one, and waits until it says that it
    /// is ready.
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
        // By way of ourselves, so that the program dies when this process does.
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
                // It may have died by itself.
                let _ = child.kill();
                let _ = child.wait();
            }
        }
    }
}
