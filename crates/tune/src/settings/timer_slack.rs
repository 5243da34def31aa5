//! Precise timers.

use crate::setting::{Change, Setting};
use crate::shows::Shows;

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "timer-slack",
    what: "Sleeps end after 1 ns at most instead of 50 µs.",
    rank: 16,
    change: Change::Condition {
        condition: "timer-slack=1",
        shows: Shows::TimerSlack,
        value: "1",
        lasting: "unit file: TimerSlackNSec=1",
    },
    fits: |_| Ok(()),
};
