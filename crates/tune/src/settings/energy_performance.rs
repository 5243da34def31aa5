//! Speed before energy.

use whyslow_conditions::KernelSetting;

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "energy-performance",
    what: "The CPUs prefer speed to energy where they choose their frequencies themselves.",
    rank: 21,
    change: Change::Kernel {
        setting: KernelSetting::EnergyPreference,
        value: "performance",
        lasting: |_| {
            "tmpfiles.d: w /sys/devices/system/cpu/cpufreq/policy*/energy_performance_preference - - - - performance".into()
        },
    },
    fits: |_| Ok(()),
};
