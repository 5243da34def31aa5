//! A higher priority.

use crate::setting::{Change, Setting};
use crate::shows::Shows;

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "priority",
    what: "Raises the priority relative to other processes (nice -5), which takes their time.",
    rank: 11,
    change: Change::Condition {
        condition: "nice=-5",
        shows: Shows::Stat(19),
        value: "-5",
        lasting: "nice -n -5 COMMAND (unit file: Nice=-5)",
    },
    fits: |_| Ok(()),
};
