//! Stopped: the state in which a process waits for its tracer.

use rustix::process::{Signal, getpid, kill_process};

use crate::error::ConditionError;
use crate::knob::Knob;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "stopped",
    value: "",
    what: "Stops the process until it is resumed.",
    enter: |_, _| {
        kill_process(getpid(), Signal::STOP).map_err(|e| ConditionError::call("stopping", e))
    },
};
