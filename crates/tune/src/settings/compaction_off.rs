//! No compaction in the background.

use whyslow_conditions::KernelSetting;

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "compaction-off",
    what: "The kernel does not compact memory in the background.",
    rank: 33,
    change: Change::Kernel {
        setting: KernelSetting::Compaction,
        value: "0",
        lasting: |_| "sysctl.d: vm.compaction_proactiveness = 0".into(),
    },
    fits: |_| Ok(()),
};
