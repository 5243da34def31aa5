//! Compaction at page faults.

use whyslow_conditions::KernelSetting;

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "thp-defrag-always",
    what: "A page fault compacts memory at once where no huge page is free.",
    rank: 27,
    change: Change::Kernel {
        setting: KernelSetting::ThpDefrag,
        value: "always",
        lasting: |_| {
            "tmpfiles.d: w /sys/kernel/mm/transparent_hugepage/defrag - - - - always".into()
        },
    },
    fits: |_| Ok(()),
};
