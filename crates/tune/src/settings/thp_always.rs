//! Huge pages for all.

use whyslow_conditions::KernelSetting;

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "thp-always",
    what: "All anonymous memory may get huge pages, asked for or not.",
    rank: 25,
    change: Change::Kernel {
        setting: KernelSetting::ThpEnabled,
        value: "always",
        lasting: |_| "kernel command line: transparent_hugepage=always".into(),
    },
    fits: |_| Ok(()),
};
