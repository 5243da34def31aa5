//! One chain on x86-64.

use std::arch::asm;

/// `turns` times 64 loads. The decrement and the branch depend on nothing but each other, so the
/// core runs them while it waits for a load.
#[inline(never)]
pub(super) unsafe fn follow(start: *const u8, turns: u64) -> *const u8 {
    let at;
    // SAFETY: each load is of a pointer that the caller of `chase` vouches for.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 64",
            "mov {at}, qword ptr [{at}]",
            ".endr",
            "dec {turns}",
            "jnz 2b",
            at = inout(reg) start => at,
            turns = inout(reg) turns => _,
            options(nostack, readonly),
        );
    }
    at
}
