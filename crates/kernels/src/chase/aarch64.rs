//! The chases on aarch64: one chain, and one to sixteen in parallel.
//!
//! Sixteen chains, the counter and the array all fit the registers, so the loops touch no memory
//! but the chains.

use std::arch::asm;

/// `turns` times 64 loads. The counter and the branch depend on nothing but each other, so the core
/// runs them while it waits for a load.
#[inline(never)]
pub(super) unsafe fn follow(start: *const u8, turns: u64) -> *const u8 {
    let at;
    // SAFETY: each load is of a pointer that the caller of `chase` vouches for.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 64",
            "ldr {at}, [{at}]",
            ".endr",
            "subs {turns}, {turns}, #1",
            "b.ne 2b",
            at = inout(reg) start => at,
            turns = inout(reg) turns => _,
            options(nostack, readonly),
        );
    }
    at
}

/// One load for each chain, eight times.
macro_rules! steps {
    ($($r:literal)*) => { steps!(@8 concat!($("ldr x", $r, ", [x", $r, "]\n"),*)) };
    (@8 $one:expr) => { concat!($one, $one, $one, $one, $one, $one, $one, $one) };
}

/// Declares the loop for the chains numbered `$r`, each held in the register of that number.
macro_rules! follow {
    ($name:ident, [$($r:literal)*]) => {
        #[inline(never)]
        unsafe fn $name(starts: *mut *const u8, turns: u64) {
            // SAFETY: each load is of a pointer that the caller of `chase_many` vouches for, or of
            // an element of `starts`. Every register is declared.
            unsafe {
                asm!(
                    concat!($("ldr x", $r, ", [x16, #8*", $r, "]\n"),*),
                    ".p2align 6",
                    "2:",
                    steps!($($r)*),
                    "subs x17, x17, #1",
                    "b.ne 2b",
                    concat!($("str x", $r, ", [x16, #8*", $r, "]\n"),*),
                    in("x16") starts,
                    inout("x17") turns => _,
                    out("x0") _, out("x1") _, out("x2") _, out("x3") _,
                    out("x4") _, out("x5") _, out("x6") _, out("x7") _,
                    out("x8") _, out("x9") _, out("x10") _, out("x11") _,
                    out("x12") _, out("x13") _, out("x14") _, out("x15") _,
                    options(nostack),
                );
            }
        }
    };
}

follow!(one, [0]);
follow!(two, [0 1]);
follow!(three, [0 1 2]);
follow!(four, [0 1 2 3]);
follow!(five, [0 1 2 3 4]);
follow!(six, [0 1 2 3 4 5]);
follow!(seven, [0 1 2 3 4 5 6]);
follow!(eight, [0 1 2 3 4 5 6 7]);
follow!(nine, [0 1 2 3 4 5 6 7 8]);
follow!(ten, [0 1 2 3 4 5 6 7 8 9]);
follow!(eleven, [0 1 2 3 4 5 6 7 8 9 10]);
follow!(twelve, [0 1 2 3 4 5 6 7 8 9 10 11]);
follow!(thirteen, [0 1 2 3 4 5 6 7 8 9 10 11 12]);
follow!(fourteen, [0 1 2 3 4 5 6 7 8 9 10 11 12 13]);
follow!(fifteen, [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14]);
follow!(sixteen, [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]);

/// The loop for n chains is at n - 1.
#[rustfmt::skip]
pub(super) static LOOPS: [unsafe fn(*mut *const u8, u64); super::CHAINS_MAX] = [
    one, two, three, four, five, six, seven, eight,
    nine, ten, eleven, twelve, thirteen, fourteen, fifteen, sixteen,
];

/// `turns` times eight steps of every chain. `starts` holds 1 to 16 of them.
pub(super) unsafe fn follow_many(starts: &mut [*const u8], turns: u64) {
    // SAFETY: the loop at n - 1 touches n elements of `starts`, and what they lead to.
    unsafe { LOOPS[starts.len() - 1](starts.as_mut_ptr(), turns) }
}
