//! Priority.

use rustix::process::nice;

use crate::condition::{Knob, number};

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "nice",
    value: "steps, 0 to 19",
    what: "Lowers the priority relative to other processes on the same CPU.",
    enter: |value, _| {
        let steps = number(value, "steps")?;
        nice(steps).map(|_| ()).map_err(|e| format!("nice: {e}"))
    },
};
