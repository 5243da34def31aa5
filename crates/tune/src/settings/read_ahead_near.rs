//! Reading hardly ahead.

use whyslow_conditions::KernelSetting;

use crate::place::read_ahead_rule;
use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "read-ahead-near",
    what: "Files on the device of the current folder are read 64 KiB ahead at most, one page of the largest size.",
    rank: 32,
    change: Change::Kernel {
        setting: KernelSetting::ReadAhead,
        value: "64",
        lasting: |files| read_ahead_rule(files, "64"),
    },
    fits: |_| Ok(()),
};
