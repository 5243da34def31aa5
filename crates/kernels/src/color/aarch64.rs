//! The timed walk and the sweep on aarch64.

use core::arch::asm;

/// DSB waits for the loads; ISB keeps the reading of the counter from going ahead.
#[inline(never)]
pub(super) unsafe fn walk(start: *const u8, loads: u64) -> (u64, *const u8) {
    let mut at = start;
    let mut ticks = 0_u64;
    // SAFETY: each load is of a pointer that the caller of `timed_walk` vouches for; the virtual
    // counter may be read by programs under Linux.
    unsafe {
        asm!(
            "dsb ish",
            "isb",
            "mrs {begin}, cntvct_el0",
            "isb",
            "2:",
            "ldr {at}, [{at}]",
            "subs {loads}, {loads}, #1",
            "b.ne 2b",
            "dsb ish",
            "isb",
            "mrs {ticks}, cntvct_el0",
            "sub {ticks}, {ticks}, {begin}",
            begin = out(reg) _,
            at = inout(reg) at,
            loads = inout(reg) loads => _,
            ticks = inout(reg) ticks,
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
            "ldrh {offset:w}, [{next}], #2",
            "ldr {word}, [{base}, {offset}]",
            "add {sum}, {sum}, {word}",
            "cmp {next}, {end}",
            "b.ne 2b",
            offset = out(reg) _,
            word = out(reg) _,
            next = inout(reg) offsets.as_ptr() => _,
            end = in(reg) offsets.as_ptr_range().end,
            base = in(reg) base,
            sum = inout(reg) sum,
            options(nostack, readonly),
        );
    }
    sum
}
