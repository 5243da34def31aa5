//! No polling for guests.

use whyslow_conditions::KernelSetting;

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "kvm-poll-off",
    what: "KVM does not poll when a CPU of a guest is idle: the CPU is free at once, and the guest is woken later.",
    rank: 24,
    change: Change::Kernel {
        setting: KernelSetting::HostHaltPoll,
        value: "0",
        lasting: |_| "modprobe.d: options kvm halt_poll_ns=0".into(),
    },
    fits: |_| Ok(()),
};
