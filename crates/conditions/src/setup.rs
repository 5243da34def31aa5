//! What conditions ask for around a program: variables, helpers, guards, a parent.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Child;

use crate::beside::start;
use crate::error::ConditionError;

/// The environment of a program, under construction.
#[derive(Debug)]
pub struct Under {
    /// This program, which also runs the helper processes.
    pub(crate) own: PathBuf,
    /// The hidden command of this program that applies conditions to a process.
    pub(crate) command: &'static str,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) beside: Vec<Beside>,
    pub(crate) parent: Parent,
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

impl Under {
    /// Nothing yet, for this executable and its hidden command.
    pub(crate) fn new(own: &Path, command: &'static str) -> Under {
        Under {
            own: own.to_owned(),
            command,
            env: Vec::new(),
            beside: Vec::new(),
            parent: Parent::None,
        }
    }

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
    pub(crate) fn neighbor(&mut self, args: &[&str]) -> Result<(), ConditionError> {
        let child = start(&self.own, args)?;
        self.beside.push(Beside::Neighbor(child));
        Ok(())
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
