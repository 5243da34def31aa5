//! Loops that write.

use super::pairs::groups;
use super::per_cycle;
use crate::bandwidth::{GRAIN, Op, Shape};
use std::arch::asm;

/// Bytes that one turn of a loop covers.
const BODY: usize = 256;

/// Declares the loop `$name`: `$n` groups of `$size` bytes make the body.
macro_rules! write_loop {
    ($name:ident, $n:tt $size:tt $group:ident, $end:literal) => {
        #[inline(never)]
        unsafe fn $name(dst: *mut u8, _: *const u8, bytes: usize, passes: u64, fill: u64) -> u64 {
            const { assert!(GRAIN.is_multiple_of(BODY) && $n * $size == BODY) };
            // SAFETY: writes `bytes` bytes to `dst`, which the caller of `Shape::run` vouches for.
            // All registers are declared.
            unsafe {
                asm!(
                    "dup v0.2d, {fill}",
                    "2:",
                    "mov {at}, {dst}",
                    ".p2align 6",
                    "3:",
                    groups!($n $size $group),
                    "add {at}, {at}, {body}",
                    "cmp {at}, {end}",
                    "b.ne 3b",
                    "subs {passes}, {passes}, #1",
                    "b.ne 2b",
                    $end,
                    body = const BODY,
                    at = out(reg) _,
                    dst = in(reg) dst,
                    end = in(reg) dst.wrapping_add(bytes),
                    passes = inout(reg) passes => _,
                    fill = in(reg) fill,
                    out("v0") _,
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
    macro_rules! store_u64 { ($at:literal) => { concat!(
        "stp {fill}, {fill}, [{at}, #", $at, "]\n",
        "stp {fill}, {fill}, [{at}, #", $at, " + 16]\n",
        "stp {fill}, {fill}, [{at}, #", $at, " + 32]\n",
        "stp {fill}, {fill}, [{at}, #", $at, " + 48]\n") } }
    macro_rules! store_neon { ($at:literal) => { concat!(
        "stp q0, q0, [{at}, #", $at, "]\n",
        "stp q0, q0, [{at}, #", $at, " + 32]\n",
        "stp q0, q0, [{at}, #", $at, " + 64]\n",
        "stp q0, q0, [{at}, #", $at, " + 96]\n") } }
    macro_rules! around_neon { ($at:literal) => { concat!(
        "stnp q0, q0, [{at}, #", $at, "]\n",
        "stnp q0, q0, [{at}, #", $at, " + 32]\n",
        "stnp q0, q0, [{at}, #", $at, " + 64]\n",
        "stnp q0, q0, [{at}, #", $at, " + 96]\n") } }
}

write_loop!(u64, 4 64 store_u64, "");
write_loop!(neon, 2 128 store_neon, "");
write_loop!(nt_neon, 2 128 around_neon, "dsb ishst");

const fn write(name: &'static str, width: u32, summary: &'static str) -> Shape {
    Shape {
        name,
        op: Op::Write,
        width,
        non_temporal: false,
        summary,
        per_cycle: per_cycle(width),
        available: || true,
        kernel: u64,
    }
}

pub(in crate::bandwidth) static WRITE: &[Shape] = &[
    Shape {
        kernel: u64,
        ..write("u64", 16, "pairs of 64-bit stores")
    },
    Shape {
        kernel: neon,
        ..write("neon", 32, "pairs of 128-bit stores")
    },
    Shape {
        non_temporal: true,
        per_cycle: None,
        kernel: nt_neon,
        ..write(
            "nt-neon",
            32,
            "pairs of 128-bit stores, with the non-temporal hint",
        )
    },
];
