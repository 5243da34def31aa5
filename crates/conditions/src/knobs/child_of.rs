//! The parent of a process: a process whose parent died before the parent-death signal was set
//! exits at once.

use rustix::process::{Pid, getppid};

use crate::condition::{Knob, number};

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "child-of",
    value: "process id",
    what: "Runs only while that process is the parent.",
    enter: |value, _| still(number(value, "a process")?),
};

/// True if `parent` is still the parent of this process, whose parent-death signal is set.
pub(crate) fn still(parent: i32) -> Result<(), String> {
    if getppid().map(Pid::as_raw_pid) == Some(parent) {
        Ok(())
    } else {
        Err("the parent process has exited".to_owned())
    }
}
