//! Whose child a process is: one whose parent died before it could ask to die with it ends at once.

use rustix::process::{Pid, getppid};

use crate::condition::{Knob, number};

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "child-of",
    value: "number of a process",
    what: "Goes on only while that process is the parent.",
    enter: |value, _| still(number(value, "a process")?),
};

/// Is `parent` still the parent of this process, which has asked to die with it?
pub(crate) fn still(parent: i32) -> Result<(), String> {
    if getppid().map(Pid::as_raw_pid) == Some(parent) {
        Ok(())
    } else {
        Err("the process that started it is gone".to_owned())
    }
}
