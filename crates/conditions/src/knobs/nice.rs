//! Priority.

use rustix::process::nice;

use crate::error::ConditionError;
use crate::knob::Knob;
use crate::value::number;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "nice",
    value: "steps, -20 to 19; below 0 where it is permitted",
    what: "Lowers the priority (below 0: raises it) relative to other processes on the same CPU.",
    enter: |value, _| {
        let steps = number(value, "steps")?;
        nice(steps)
            .map(|_| ())
            .map_err(|e| ConditionError::call("nice", e))
    },
};
