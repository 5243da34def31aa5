//! A hypervisor, emulator or sandbox between the program and the machine.

use crate::cause::Cause;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "hypervisor",
    title: "a hypervisor, emulator or sandbox between the program and the machine",
    said: include_str!("hypervisor.txt"),
    reaches: &[],
    what: "What traps to a hypervisor or is handled by a sandbox takes far longer there: page tables, interrupts, timers, devices, every system call of a sandbox. Arithmetic in registers does not follow.",
    advice: &["Compare with the host itself or another hypervisor, call by call."],
    judge: |_| None,
    switch: None,
    plants: &[],
};
