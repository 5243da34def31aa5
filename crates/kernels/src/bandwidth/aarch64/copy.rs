//! Loops that copy.

use super::pairs::groups;
use super::per_cycle;
use crate::bandwidth::{GRAIN, Op, Shape};
use std::arch::asm;

/// Bytes that one turn of a loop copies.
const BODY: usize = 256;

/// Declares the loop `$name`: `$n` groups of `$size` bytes make the body.
macro_rules! copy_loop {
    ($name:ident, $n:tt $size:tt $group:ident, $end:literal) => {
        #[inline(never)]
        unsafe fn $name(dst: *mut u8, src: *const u8, bytes: usize, passes: u64, _: u64) -> u64 {
            const { assert!(GRAIN.is_multiple_of(BODY) && $n * $size == BODY) };
            // SAFETY: reads `bytes` bytes from `src` and writes as many to `dst`, which the caller
            // of `Shape::run` vouches for. All registers are declared.
            unsafe {
                asm!(
                    "2:",
                    "mov {at}, {src}",
                    "mov {to}, {dst}",
                    ".p2align 6",
                    "3:",
                    groups!($n $size $group),
                    "add {at}, {at}, {body}",
                    "add {to}, {to}, {body}",
                    "cmp {at}, {end}",
                    "b.ne 3b",
                    "subs {passes}, {passes}, #1",
                    "b.ne 2b",
                    $end,
                    body = const BODY,
                    at = out(reg) _,
                    to = out(reg) _,
                    src = in(reg) src,
                    dst = in(reg) dst,
                    end = in(reg) src.wrapping_add(bytes),
                    passes = inout(reg) passes => _,
                    out("x0") _, out("x1") _, out("x2") _, out("x3") _,
                    out("x4") _, out("x5") _, out("x6") _, out("x7") _,
                    out("v0") _, out("v1") _, out("v2") _, out("v3") _,
                    out("v4") _, out("v5") _, out("v6") _, out("v7") _,
                    options(nostack),
                );
            }
            0
        }
    };
}

#[macro_use]
#[rustfmt::skip]
mod line {
    macro_rules! move_u64 { ($at:literal) => { concat!(
        "ldp x0, x1, [{at}, #", $at, "]\n",
        "ldp x2, x3, [{at}, #", $at, " + 16]\n",
        "ldp x4, x5, [{at}, #", $at, " + 32]\n",
        "ldp x6, x7, [{at}, #", $at, " + 48]\n",
        "stp x0, x1, [{to}, #", $at, "]\n",
        "stp x2, x3, [{to}, #", $at, " + 16]\n",
        "stp x4, x5, [{to}, #", $at, " + 32]\n",
        "stp x6, x7, [{to}, #", $at, " + 48]\n") } }
    macro_rules! load_neon { ($at:literal) => { concat!(
        "ldp q0, q1, [{at}, #", $at, "]\n",
        "ldp q2, q3, [{at}, #", $at, " + 32]\n",
        "ldp q4, q5, [{at}, #", $at, " + 64]\n",
        "ldp q6, q7, [{at}, #", $at, " + 96]\n") } }
    macro_rules! move_neon { ($at:literal) => { concat!(
        load_neon!($at),
        "stp q0, q1, [{to}, #", $at, "]\n",
        "stp q2, q3, [{to}, #", $at, " + 32]\n",
        "stp q4, q5, [{to}, #", $at, " + 64]\n",
        "stp q6, q7, [{to}, #", $at, " + 96]\n") } }
    macro_rules! around_neon { ($at:literal) => { concat!(
        load_neon!($at),
        "stnp q0, q1, [{to}, #", $at, "]\n",
        "stnp q2, q3, [{to}, #", $at, " + 32]\n",
        "stnp q4, q5, [{to}, #", $at, " + 64]\n",
        "stnp q6, q7, [{to}, #", $at, " + 96]\n") } }
}

copy_loop!(u64, 4 64 move_u64, "");
copy_loop!(neon, 2 128 move_neon, "");
copy_loop!(nt_neon, 2 128 around_neon, "dsb ishst");

const fn copy(name: &'static str, width: u32, summary: &'static str) -> Shape {
    Shape {
        name,
        op: Op::Copy,
        width,
        non_temporal: false,
        summary,
        // Loads and stores together.
        per_cycle: per_cycle(width),
        available: || true,
        kernel: u64,
    }
}

pub(in crate::bandwidth) static COPY: &[Shape] = &[
    Shape {
        kernel: u64,
        ..copy("u64", 16, "pairs of 64-bit loads and stores")
    },
    Shape {
        kernel: neon,
        ..copy("neon", 32, "pairs of 128-bit loads and stores")
    },
    Shape {
        non_temporal: true,
        per_cycle: None,
        kernel: nt_neon,
        ..copy(
            "nt-neon",
            32,
            "pairs of 128-bit loads, stores with the non-temporal hint",
        )
    },
];
