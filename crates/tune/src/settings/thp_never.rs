//! No huge pages on this machine.

use whyslow_conditions::KernelSetting;

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "thp-never",
    what: "No memory gets transparent huge pages.",
    rank: 26,
    change: Change::Kernel {
        setting: KernelSetting::ThpEnabled,
        value: "never",
        lasting: |_| "kernel command line: transparent_hugepage=never".into(),
    },
    fits: |_| Ok(()),
};
