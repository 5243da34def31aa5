//! Loops that read.
//!
//! Each word loaded is added to one of eight sums, which proves coverage: the sum over the block is
//! checked against a slow one. An instruction cannot load and add at once here, so that a pair of
//! general registers takes three instructions; in the first-level cache of a wide core these, and
//! not the loads, may limit the shape `u64`.
//!
//! The prefetching shape asks for each line 4 KiB before it loads it, with the hint that the line is
//! used once. The distance is the one that did well on x86-64; it has not been tuned here.

use super::pairs::{eight, groups};
use super::per_cycle;
use crate::bandwidth::{GRAIN, Op, Shape};
use std::arch::asm;

/// Bytes that one turn of a loop covers.
const BODY: usize = 256;

/// Declares the loop `$name`: `$n` groups of `$size` bytes make the body; `$zero` clears a sum and
/// `$save` stores it.
macro_rules! read_loop {
    ($name:ident, $n:tt $size:tt $group:ident, $zero:ident $save:ident) => {
        #[inline(never)]
        unsafe fn $name(_: *mut u8, src: *const u8, bytes: usize, passes: u64, _: u64) -> u64 {
            const { assert!(GRAIN.is_multiple_of(BODY) && $n * $size == BODY) };
            // Room for eight vectors.
            let mut sums = [0_u64; 16];
            // SAFETY: reads `bytes` bytes from `src`, which the caller of `Shape::run` vouches
            // for, and writes at most 128 bytes to `sums`; a prefetch beyond the block is a hint
            // that cannot fault. All other registers are declared.
            unsafe {
                asm!(
                    eight!($zero),
                    "2:",
                    "mov {at}, {src}",
                    ".p2align 6",
                    "3:",
                    groups!($n $size $group),
                    "add {at}, {at}, {body}",
                    "cmp {at}, {end}",
                    "b.ne 3b",
                    "subs {passes}, {passes}, #1",
                    "b.ne 2b",
                    eight!($save),
                    body = const BODY,
                    at = out(reg) _,
                    src = in(reg) src,
                    end = in(reg) src.wrapping_add(bytes),
                    passes = inout(reg) passes => _,
                    sums = in(reg) sums.as_mut_ptr(),
                    out("x0") _, out("x1") _, out("x2") _, out("x3") _,
                    out("x4") _, out("x5") _, out("x6") _, out("x7") _,
                    out("x8") _, out("x9") _, out("x10") _, out("x11") _,
                    out("x12") _, out("x13") _, out("x14") _, out("x15") _,
                    out("v0") _, out("v1") _, out("v2") _, out("v3") _,
                    out("v4") _, out("v5") _, out("v6") _, out("v7") _,
                    out("v16") _, out("v17") _, out("v18") _, out("v19") _,
                    out("v20") _, out("v21") _, out("v22") _, out("v23") _,
                    options(nostack),
                );
            }
            sums.iter().copied().fold(0, u64::wrapping_add)
        }
    };
}

/// Groups of four pairs, and what is done to a sum.
#[macro_use]
#[rustfmt::skip]
mod line {
    macro_rules! add_u64 { ($at:literal) => { concat!(
        "ldp x0, x1, [{at}, #", $at, "]\n",
        "ldp x2, x3, [{at}, #", $at, " + 16]\n",
        "ldp x4, x5, [{at}, #", $at, " + 32]\n",
        "ldp x6, x7, [{at}, #", $at, " + 48]\n",
        "add x8, x8, x0\nadd x9, x9, x1\nadd x10, x10, x2\nadd x11, x11, x3\n",
        "add x12, x12, x4\nadd x13, x13, x5\nadd x14, x14, x6\nadd x15, x15, x7\n") } }
    macro_rules! zero_u64 { ($i:literal $g:literal $v:literal) => { concat!("mov x", $g, ", xzr\n") } }
    macro_rules! save_u64 { ($i:literal $g:literal $v:literal) => { concat!("str x", $g, ", [{sums}, #8*", $i, "]\n") } }

    macro_rules! add_neon { ($at:literal) => { concat!(
        "ldp q0, q1, [{at}, #", $at, "]\n",
        "ldp q2, q3, [{at}, #", $at, " + 32]\n",
        "ldp q4, q5, [{at}, #", $at, " + 64]\n",
        "ldp q6, q7, [{at}, #", $at, " + 96]\n",
        "add v16.2d, v16.2d, v0.2d\nadd v17.2d, v17.2d, v1.2d\n",
        "add v18.2d, v18.2d, v2.2d\nadd v19.2d, v19.2d, v3.2d\n",
        "add v20.2d, v20.2d, v4.2d\nadd v21.2d, v21.2d, v5.2d\n",
        "add v22.2d, v22.2d, v6.2d\nadd v23.2d, v23.2d, v7.2d\n") } }
    macro_rules! ahead_neon { ($at:literal) => { concat!(
        "prfm pldl1strm, [{at}, #4096 + ", $at, "]\n",
        "prfm pldl1strm, [{at}, #4096 + 64 + ", $at, "]\n",
        add_neon!($at)) } }
    macro_rules! zero_neon { ($i:literal $g:literal $v:literal) => { concat!("movi v", $v, ".2d, #0\n") } }
    macro_rules! save_neon { ($i:literal $g:literal $v:literal) => { concat!("str q", $v, ", [{sums}, #16*", $i, "]\n") } }
}

read_loop!(u64, 4 64 add_u64, zero_u64 save_u64);
read_loop!(neon, 2 128 add_neon, zero_neon save_neon);
read_loop!(neon_ahead, 2 128 ahead_neon, zero_neon save_neon);

const fn read(name: &'static str, width: u32, summary: &'static str) -> Shape {
    Shape {
        name,
        op: Op::Read,
        width,
        non_temporal: false,
        summary,
        per_cycle: per_cycle(width),
        available: || true,
        kernel: u64,
    }
}

pub(in crate::bandwidth) static READ: &[Shape] = &[
    Shape {
        kernel: u64,
        ..read("u64", 16, "pairs of 64-bit loads")
    },
    Shape {
        kernel: neon,
        ..read("neon", 32, "pairs of 128-bit loads")
    },
    Shape {
        kernel: neon_ahead,
        ..read(
            "neon-prefetch",
            32,
            "pairs of 128-bit loads, lines prefetched 4 KiB ahead",
        )
    },
];
