//! A tracer that stops the program at every system call, as strace does.

use crate::error::ConditionError;
use crate::knob::Knob;
use crate::setup::Parent;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "trace",
    value: "off, or nothing for on",
    what: "Has a tracer stop and resume the program at every system call, as strace -f does; off: a parent that only waits.",
    enter: |value, under| match value {
        "" => {
            under.parent(Parent::Traces);
            Ok(())
        }
        "off" => {
            under.parent(Parent::Waits);
            Ok(())
        }
        other => Err(ConditionError::bad_value(format!(
            "'{other}' is neither off nor nothing"
        ))),
    },
};
