//! The scheduling class for batch work.

use crate::setting::{Change, Setting};
use crate::shows::Shows;

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "batch",
    what: "Puts the program into the scheduling class SCHED_BATCH, which preempts others less on wake-up.",
    rank: 10,
    change: Change::Condition {
        condition: "scheduler=batch",
        shows: Shows::Stat(41),
        value: "3",
        lasting: "chrt --batch 0 COMMAND (unit file: CPUSchedulingPolicy=batch)",
    },
    fits: |_| Ok(()),
};
