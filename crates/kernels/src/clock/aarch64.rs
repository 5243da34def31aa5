//! The loops on aarch64.

use std::arch::asm;

#[inline(never)]
pub(super) fn count(turns: u64, step: u64) -> u64 {
    let mut sum = 0;
    // SAFETY: touches registers only.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 64",
            "add {sum}, {sum}, {step}",
            ".endr",
            "subs {turns}, {turns}, #1",
            "b.ne 2b",
            sum = inout(reg) sum,
            step = in(reg) step,
            turns = inout(reg) turns => _,
            options(nomem, nostack),
        );
    }
    sum
}

#[inline(never)]
pub(super) fn nothing(turns: u64) {
    // SAFETY: touches registers only.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 128",
            "nop",
            ".endr",
            "subs {turns}, {turns}, #1",
            "b.ne 2b",
            turns = inout(reg) turns => _,
            options(nomem, nostack),
        );
    }
}

#[inline(never)]
pub(super) fn turn(turns: u64) {
    // SAFETY: touches registers only.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            "subs {turns}, {turns}, #1",
            "b.ne 2b",
            turns = inout(reg) turns => _,
            options(nomem, nostack),
        );
    }
}
