//! What stands here for the floating-point unit of old: pairs of 64-bit floating-point registers.

use super::pairs::{eight, groups};
use super::per_cycle;
use crate::bandwidth::{GRAIN, Op, Shape};
use std::arch::asm;

/// Bytes that one turn of a loop covers.
const BODY: usize = 256;

#[macro_use]
#[rustfmt::skip]
mod line {
    macro_rules! add_f64 { ($at:literal) => { concat!(
        "ldp d0, d1, [{at}, #", $at, "]\nldp d2, d3, [{at}, #", $at, " + 16]\n",
        "ldp d4, d5, [{at}, #", $at, " + 32]\nldp d6, d7, [{at}, #", $at, " + 48]\n",
        "add d16, d16, d0\nadd d17, d17, d1\nadd d18, d18, d2\nadd d19, d19, d3\n",
        "add d20, d20, d4\nadd d21, d21, d5\nadd d22, d22, d6\nadd d23, d23, d7\n") } }
    macro_rules! store_f64 { ($at:literal) => { concat!(
        "stp d0, d0, [{at}, #", $at, "]\nstp d0, d0, [{at}, #", $at, " + 16]\n",
        "stp d0, d0, [{at}, #", $at, " + 32]\nstp d0, d0, [{at}, #", $at, " + 48]\n") } }
    macro_rules! zero { ($i:literal $g:literal $v:literal) => { concat!("movi v", $v, ".2d, #0\n") } }
    macro_rules! save { ($i:literal $g:literal $v:literal) => { concat!("str d", $v, ", [{sums}, #8*", $i, "]\n") } }
}

#[inline(never)]
unsafe fn read(_: *mut u8, src: *const u8, bytes: usize, passes: u64, _: u64) -> u64 {
    const { assert!(GRAIN.is_multiple_of(BODY)) };
    let mut sums = [0_u64; 8];
    // SAFETY: reads `bytes` bytes from `src`, which the caller of `Shape::run` vouches for, and
    // writes 64 bytes to `sums`. All registers are declared.
    unsafe {
        asm!(
            eight!(zero),
            "2:",
            "mov {at}, {src}",
            ".p2align 6",
            "3:",
            groups!(4 64 add_f64),
            "add {at}, {at}, {body}",
            "cmp {at}, {end}",
            "b.ne 3b",
            "subs {passes}, {passes}, #1",
            "b.ne 2b",
            eight!(save),
            body = const BODY,
            at = out(reg) _,
            src = in(reg) src,
            end = in(reg) src.wrapping_add(bytes),
            passes = inout(reg) passes => _,
            sums = in(reg) sums.as_mut_ptr(),
            out("v0") _, out("v1") _, out("v2") _, out("v3") _,
            out("v4") _, out("v5") _, out("v6") _, out("v7") _,
            out("v16") _, out("v17") _, out("v18") _, out("v19") _,
            out("v20") _, out("v21") _, out("v22") _, out("v23") _,
            options(nostack),
        );
    }
    sums.iter().copied().fold(0, u64::wrapping_add)
}

#[inline(never)]
unsafe fn write(dst: *mut u8, _: *const u8, bytes: usize, passes: u64, fill: u64) -> u64 {
    // SAFETY: writes `bytes` bytes to `dst`, which the caller of `Shape::run` vouches for. All
    // registers are declared.
    unsafe {
        asm!(
            "fmov d0, {fill}",
            "2:",
            "mov {at}, {dst}",
            ".p2align 6",
            "3:",
            groups!(4 64 store_f64),
            "add {at}, {at}, {body}",
            "cmp {at}, {end}",
            "b.ne 3b",
            "subs {passes}, {passes}, #1",
            "b.ne 2b",
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

const fn f64(op: Op, kernel: crate::bandwidth::Kernel) -> Shape {
    Shape {
        name: "f64",
        op,
        width: 16,
        non_temporal: false,
        summary: "pairs of 64-bit floating-point registers",
        per_cycle: per_cycle(16),
        available: || true,
        kernel,
    }
}

pub(in crate::bandwidth) static HISTORIC: &[Shape] = &[f64(Op::Read, read), f64(Op::Write, write)];
