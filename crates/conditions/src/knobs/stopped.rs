//! Stopped: the state in which a process waits for its tracer.

use rustix::process::{Signal, getpid, kill_process};

use crate::condition::Knob;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "stopped",
    value: "",
    what: "Stops the process until it is resumed.",
    enter: |_, _| kill_process(getpid(), Signal::STOP).map_err(|e| format!("stopping: {e}")),
};
