//! No polling before halting.

use whyslow_conditions::KernelSetting;

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "guest-poll-off",
    what: "Idle CPUs of this guest halt at once and do not poll before.",
    rank: 23,
    change: Change::Kernel {
        setting: KernelSetting::GuestHaltPoll,
        value: "0",
        lasting: |_| "kernel command line: haltpoll.guest_halt_poll_ns=0".into(),
    },
    fits: |place| match place.idle_governor.as_deref() {
        Some("haltpoll") => Ok(()),
        Some(other) => Err(format!(
            "idle CPUs wait by {other}, which does not poll (cpuidle governor)"
        )),
        None => Err("the kernel shows no cpuidle governor".into()),
    },
};
