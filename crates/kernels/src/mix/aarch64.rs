//! The mixes on aarch64, with pairs of 128-bit vectors.

use super::{GRAIN, Shape};
use std::arch::asm;

/// Twelve lines: each is read; those that the mix writes, which are named `w`, are filled then.
macro_rules! twelve {
    ($($i:literal $what:ident)*) => { concat!($(twelve!(@ $i $what)),*) };
    (@ $i:literal r) => { concat!(
        "ldp q4, q5, [{at}, #64*", $i, "]\nldp q6, q7, [{at}, #64*", $i, " + 32]\n",
        "add v0.2d, v0.2d, v4.2d\nadd v1.2d, v1.2d, v5.2d\n",
        "add v2.2d, v2.2d, v6.2d\nadd v3.2d, v3.2d, v7.2d\n") };
    (@ $i:literal w) => { concat!(
        twelve!(@ $i r),
        "stp q16, q16, [{at}, #64*", $i, "]\nstp q16, q16, [{at}, #64*", $i, " + 32]\n") };
}
macro_rules! mix {
    (1) => { twelve!(0 w 1 w 2 w 3 w 4 w 5 w 6 w 7 w 8 w 9 w 10 w 11 w) };
    (2) => { twelve!(0 w 1 r 2 w 3 r 4 w 5 r 6 w 7 r 8 w 9 r 10 w 11 r) };
    (3) => { twelve!(0 w 1 r 2 r 3 w 4 r 5 r 6 w 7 r 8 r 9 w 10 r 11 r) };
}

/// Declares the loop `$name` that reads `$reads` lines for each that it writes.
macro_rules! mix_loop {
    ($name:ident, $reads:tt) => {
        #[inline(never)]
        unsafe fn $name(block: *mut u8, bytes: usize, passes: u64, fill: u64) -> u64 {
            let mut sums = [0_u64; 8];
            // SAFETY: reads and writes `bytes` bytes of the block, for which the caller of
            // `Shape::run` vouches, and 64 bytes of `sums`. All registers are declared.
            unsafe {
                asm!(
                    "dup v16.2d, {fill}",
                    "movi v0.2d, #0", "movi v1.2d, #0", "movi v2.2d, #0", "movi v3.2d, #0",
                    "2:",
                    "mov {at}, {block}",
                    ".p2align 6",
                    "3:",
                    mix!($reads),
                    "add {at}, {at}, {body}",
                    "cmp {at}, {end}",
                    "b.ne 3b",
                    "subs {passes}, {passes}, #1",
                    "b.ne 2b",
                    "stp q0, q1, [{sums}]",
                    "stp q2, q3, [{sums}, #32]",
                    body = const GRAIN,
                    at = out(reg) _,
                    block = in(reg) block,
                    end = in(reg) block.wrapping_add(bytes),
                    passes = inout(reg) passes => _,
                    fill = in(reg) fill,
                    sums = in(reg) sums.as_mut_ptr(),
                    out("v0") _, out("v1") _, out("v2") _, out("v3") _,
                    out("v4") _, out("v5") _, out("v6") _, out("v7") _, out("v16") _,
                    options(nostack),
                );
            }
            sums.iter().copied().fold(0, u64::wrapping_add)
        }
    };
}

mix_loop!(neon_1, 1);
mix_loop!(neon_2, 2);
mix_loop!(neon_3, 3);

const fn neon(reads: u32, kernel: super::Kernel) -> Shape {
    Shape {
        name: "neon",
        reads,
        width: 32,
        available: || true,
        kernel,
    }
}

pub(super) static MIXES: &[Shape] = &[neon(1, neon_1), neon(2, neon_2), neon(3, neon_3)];
