//! No compaction at page faults.

use whyslow_conditions::KernelSetting;

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "thp-defrag-never",
    what: "A page fault never waits for a huge page.",
    rank: 28,
    change: Change::Kernel {
        setting: KernelSetting::ThpDefrag,
        value: "never",
        lasting: |_| {
            "tmpfiles.d: w /sys/kernel/mm/transparent_hugepage/defrag - - - - never".into()
        },
    },
    fits: |_| Ok(()),
};
