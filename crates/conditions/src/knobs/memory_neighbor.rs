//! Competing load on the memory system.

use crate::beside::only;
use crate::error::ConditionError;
use crate::knob::Knob;
use crate::knobs::cpus::mask;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "memory-neighbor",
    value: "stream or sleep",
    what: "Reserves the first CPU for the program and copies memory on all others, or sleeps there.",
    enter: |value, under| {
        if !["stream", "sleep"].contains(&value) {
            return Err(ConditionError::bad_value(format!(
                "'{value}' is neither stream nor sleep"
            )));
        }
        let cpus = mask()?;
        let [first, others @ ..] = &cpus[..] else {
            return Err(ConditionError::unavailable("no CPU is allowed"));
        };
        if others.is_empty() {
            return Err(ConditionError::unavailable(
                "only one CPU is allowed; memory load needs a second",
            ));
        }
        for cpu in others {
            under.neighbor(&[value, &cpu.to_string()])?;
        }
        only(&[*first])
    },
};
