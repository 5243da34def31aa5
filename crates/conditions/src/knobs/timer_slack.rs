//! How late a timer may be.

use std::num::NonZeroU64;

use crate::condition::{Knob, number};

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "timer-slack",
    value: "nanoseconds",
    what: "Lets the kernel wake the program from a sleep so much late, to wake several at once.",
    enter: |value, _| {
        let slack: NonZeroU64 = number(value, "nanoseconds")?;
        rustix::thread::set_current_timer_slack(Some(slack))
            .map_err(|e| format!("timer slack: {e}"))
    },
};
