//! Polling before halting.

use whyslow_conditions::KernelSetting;

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "guest-poll",
    what: "Idle CPUs of this guest poll for up to 200 µs before they halt, which leaves the guest.",
    rank: 22,
    change: Change::Kernel {
        setting: KernelSetting::GuestHaltPoll,
        value: "200000",
        lasting: |_| "kernel command line: haltpoll.guest_halt_poll_ns=200000".into(),
    },
    fits: |place| match place.idle_governor.as_deref() {
        Some("haltpoll") => Ok(()),
        Some(other) => Err(format!(
            "idle CPUs wait by {other}, which does not poll (cpuidle governor)"
        )),
        None => Err("the kernel shows no cpuidle governor".into()),
    },
};
