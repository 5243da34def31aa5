//! The scheduling class.
#![allow(unsafe_code)]

use libc::{SCHED_BATCH, SCHED_IDLE, SCHED_OTHER, c_int, sched_param};

use crate::error::ConditionError;
use crate::knob::Knob;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "scheduler",
    value: "other, batch or idle",
    what: "Puts the program into this scheduling class, which its descendants inherit.",
    enter: |value, _| match value {
        "other" => class(SCHED_OTHER),
        "batch" => class(SCHED_BATCH),
        "idle" => class(SCHED_IDLE),
        other => Err(ConditionError::bad_value(format!(
            "'{other}' is neither other, batch nor idle"
        ))),
    },
};

fn class(policy: c_int) -> Result<(), ConditionError> {
    // SAFETY: a structure of numbers, for which zero is a value: these classes take no other priority.
    let parameters: sched_param = unsafe { std::mem::zeroed() };
    // SAFETY: 0 is the calling thread, and the parameters outlive the call, which reads them.
    match unsafe { libc::sched_setscheduler(0, policy, &raw const parameters) } {
        0 => Ok(()),
        _ => Err(ConditionError::call(
            "the scheduling class",
            std::io::Error::last_os_error(),
        )),
    }
}
