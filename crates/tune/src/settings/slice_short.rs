//! Short slices.

use whyslow_conditions::KernelSetting;

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "slice-short",
    what: "Tasks run for 0.5 ms before others of their weight have their turn: less waiting.",
    rank: 30,
    change: Change::Kernel {
        setting: KernelSetting::Slice,
        value: "500000",
        lasting: |_| "tmpfiles.d: w /sys/kernel/debug/sched/base_slice_ns - - - - 500000".into(),
    },
    fits: |_| Ok(()),
};
