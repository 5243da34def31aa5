//! The parent of a process: a process whose parent died before the parent-death signal was set
//! exits at once.

use crate::beside::still;
use crate::knob::Knob;
use crate::value::number;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "child-of",
    value: "process id",
    what: "Runs only while that process is the parent.",
    enter: |value, _| still(number(value, "a process")?),
};
