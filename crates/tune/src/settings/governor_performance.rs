//! The highest frequencies.

use whyslow_conditions::KernelSetting;

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "governor-performance",
    what: "The governor keeps all CPUs at their highest frequency (cpufreq).",
    rank: 20,
    change: Change::Kernel {
        setting: KernelSetting::Governor,
        value: "performance",
        lasting: |_| {
            "tmpfiles.d: w /sys/devices/system/cpu/cpufreq/policy*/scaling_governor - - - - performance".into()
        },
    },
    fits: |place| {
        match (place.kernel)(KernelSetting::EnergyPreference) {
        Ok(_) => Err("the CPUs choose their frequencies themselves, by an energy preference: --setting energy-performance".into()),
        Err(_) => Ok(()),
    }
    },
};
