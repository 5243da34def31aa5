//! Reading far ahead.

use whyslow_conditions::KernelSetting;

use crate::place::read_ahead_rule;
use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "read-ahead-far",
    what: "Files on the device of the current folder are read up to 4 MiB ahead.",
    rank: 31,
    change: Change::Kernel {
        setting: KernelSetting::ReadAhead,
        value: "4096",
        lasting: |files| read_ahead_rule(files, "4096"),
    },
    fits: |_| Ok(()),
};
