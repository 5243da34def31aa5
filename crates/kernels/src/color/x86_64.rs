//! The timed walk and the sweep on x86-64.

use core::arch::asm;

/// The fences keep the loads between the two readings of the counter: LFENCE lets nothing behind it
/// begin before all before it has completed.
#[inline(never)]
pub(super) unsafe fn walk(start: *const u8, loads: u64) -> (u64, *const u8) {
    let mut at = start;
    let mut ticks = 0_u64;
    // SAFETY: each load is of a pointer that the caller of `timed_walk` vouches for.
    unsafe {
        asm!(
            "lfence",
            "rdtsc",
            "lfence",
            "shl rdx, 32",
            "or rax, rdx",
            "mov {begin}, rax",
            "2:",
            "mov {at}, qword ptr [{at}]",
            "dec {loads}",
            "jnz 2b",
            "lfence",
            "rdtsc",
            "shl rdx, 32",
            "or rax, rdx",
            "sub rax, {begin}",
            begin = out(reg) _,
            at = inout(reg) at,
            loads = inout(reg) loads => _,
            out("rdx") _,
            inout("rax") ticks,
            options(nostack, readonly),
        );
    }
    (ticks, at)
}

#[inline(never)]
pub(super) unsafe fn load(base: *const u8, offsets: &[u16]) -> u64 {
    let mut sum = 0_u64;
    // SAFETY: reads the offsets of the slice, which is not empty, and words that the caller of
    // `sweep` vouches for.
    unsafe {
        asm!(
            "2:",
            "movzx {offset:e}, word ptr [{next}]",
            "add {next}, 2",
            "add {sum}, qword ptr [{base} + {offset}]",
            "cmp {next}, {end}",
            "jne 2b",
            offset = out(reg) _,
            next = inout(reg) offsets.as_ptr() => _,
            end = in(reg) offsets.as_ptr_range().end,
            base = in(reg) base,
            sum = inout(reg) sum,
            options(nostack, readonly),
        );
    }
    sum
}
