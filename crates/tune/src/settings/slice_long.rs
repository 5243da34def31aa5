//! Long slices.

use whyslow_conditions::KernelSetting;

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "slice-long",
    what: "Tasks run for 20 ms before others of their weight have their turn: fewer switches.",
    rank: 29,
    change: Change::Kernel {
        setting: KernelSetting::Slice,
        value: "20000000",
        lasting: |_| "tmpfiles.d: w /sys/kernel/debug/sched/base_slice_ns - - - - 20000000".into(),
    },
    fits: |_| Ok(()),
};
