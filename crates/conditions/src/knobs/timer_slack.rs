//! Timer slack.

use std::num::NonZeroU64;

use crate::error::ConditionError;
use crate::knob::Knob;
use crate::value::number;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "timer-slack",
    value: "nanoseconds",
    what: "Allows the kernel to delay the program's wake-ups by this much, to combine several.",
    enter: |value, _| {
        let slack: NonZeroU64 = number(value, "nanoseconds")?;
        rustix::thread::set_current_timer_slack(Some(slack))
            .map_err(|e| ConditionError::call("timer slack", e))
    },
};
