//! Files are reclaimed first.

use whyslow_conditions::KernelSetting;

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "swappiness-low",
    what: "The kernel reclaims pages of files before it swaps those of processes.",
    rank: 34,
    change: Change::Kernel {
        setting: KernelSetting::Swappiness,
        value: "10",
        lasting: |_| "sysctl.d: vm.swappiness = 10".into(),
    },
    fits: |_| Ok(()),
};
