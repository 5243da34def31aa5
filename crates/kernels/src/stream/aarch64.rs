//! STREAM's loops on aarch64: scalar doubles, pairs of 128-bit vectors, and these with the
//! non-temporal hint for stores.

use super::{Element, Op, Q, Shape, add_up, shape};
use crate::bandwidth::GRAIN;
use std::arch::asm;

/// Four pairs: elements or vectors 0 and 1, 2 and 3, and so on, each pair with its registers (the
/// second ones, from 16 on, hold the other input).
macro_rules! four {
    ($set:ident $op:ident $store:ident) => {
        concat!(
            $op!($set $store 0 0 1 16 17), $op!($set $store 1 2 3 18 19),
            $op!($set $store 2 4 5 20 21), $op!($set $store 3 6 7 22 23)
        )
    };
}

/// The operations on pair `$i` in registers `$x` and `$y`, or `$u` and `$v` for the other input.
#[macro_use]
#[rustfmt::skip]
mod op {
    macro_rules! copy { ($set:ident $store:ident $i:literal $x:literal $y:literal $u:literal $v:literal) => { concat!($set!(load $i $x $y "b"), $set!($store $i $x $y)) } }
    macro_rules! scale { ($set:ident $store:ident $i:literal $x:literal $y:literal $u:literal $v:literal) => { concat!($set!(load $i $x $y "b"), $set!(times_q $x $y), $set!($store $i $x $y)) } }
    macro_rules! add { ($set:ident $store:ident $i:literal $x:literal $y:literal $u:literal $v:literal) => { concat!($set!(load $i $x $y "b"), $set!(load $i $u $v "c"), $set!(plus $x $y $u $v), $set!($store $i $x $y)) } }
    macro_rules! triad { ($set:ident $store:ident $i:literal $x:literal $y:literal $u:literal $v:literal) => { concat!($set!(load $i $x $y "c"), $set!(load $i $u $v "b"), $set!(times_q $x $y), $set!(plus $x $y $u $v), $set!($store $i $x $y)) } }
    macro_rules! daxpy { ($set:ident $store:ident $i:literal $x:literal $y:literal $u:literal $v:literal) => { concat!($set!(load $i $x $y "b"), $set!(load $i $u $v "a"), $set!(times_q $x $y), $set!(plus $x $y $u $v), $set!($store $i $x $y)) } }
    macro_rules! fill { ($set:ident $store:ident $i:literal $x:literal $y:literal $u:literal $v:literal) => { $set!($store $i 24 24) } }
    macro_rules! sum { ($set:ident $store:ident $i:literal $x:literal $y:literal $u:literal $v:literal) => { concat!($set!(load $i $u $v "b"), $set!(plus $x $y $u $v)) } }
}

#[macro_use]
#[rustfmt::skip]
mod pieces {
    macro_rules! int {
        (bytes) => { 64 };
        (load $i:literal $x:literal $y:literal $p:literal) => { concat!("ldp x", $x, ", x", $y, ", [{", $p, "}, #16*", $i, "]\n") };
        (plus $x:literal $y:literal $u:literal $v:literal) => { concat!("add x", $x, ", x", $x, ", x", $u, "\nadd x", $y, ", x", $y, ", x", $v, "\n") };
        (times_q $x:literal $y:literal) => { concat!("mul x", $x, ", x", $x, ", x10\nmul x", $y, ", x", $y, ", x10\n") };
        (store $i:literal $x:literal $y:literal) => { concat!("stp x", $x, ", x", $y, ", [{a}, #16*", $i, "]\n") };
    }
    macro_rules! scalar {
        (bytes) => { 64 };
        (load $i:literal $x:literal $y:literal $p:literal) => { concat!("ldp d", $x, ", d", $y, ", [{", $p, "}, #16*", $i, "]\n") };
        (plus $x:literal $y:literal $u:literal $v:literal) => { concat!("fadd d", $x, ", d", $x, ", d", $u, "\nfadd d", $y, ", d", $y, ", d", $v, "\n") };
        (times_q $x:literal $y:literal) => { concat!("fmul d", $x, ", d", $x, ", d24\nfmul d", $y, ", d", $y, ", d24\n") };
        (store $i:literal $x:literal $y:literal) => { concat!("stp d", $x, ", d", $y, ", [{a}, #16*", $i, "]\n") };
    }
    macro_rules! neon {
        (bytes) => { 128 };
        (load $i:literal $x:literal $y:literal $p:literal) => { concat!("ldp q", $x, ", q", $y, ", [{", $p, "}, #32*", $i, "]\n") };
        (plus $x:literal $y:literal $u:literal $v:literal) => { concat!("fadd v", $x, ".2d, v", $x, ".2d, v", $u, ".2d\nfadd v", $y, ".2d, v", $y, ".2d, v", $v, ".2d\n") };
        (times_q $x:literal $y:literal) => { concat!("fmul v", $x, ".2d, v", $x, ".2d, v24.2d\nfmul v", $y, ".2d, v", $y, ".2d, v24.2d\n") };
        (store $i:literal $x:literal $y:literal) => { concat!("stp q", $x, ", q", $y, ", [{a}, #32*", $i, "]\n") };
        (around $i:literal $x:literal $y:literal) => { concat!("stnp q", $x, ", q", $y, ", [{a}, #32*", $i, "]\n") };
    }
}

/// Declares the loop of doubles `$op` with the registers of `$set`; `$fence` waits for its stores.
macro_rules! double_loop {
    ($name:ident, $set:ident $op:ident $store:ident, $fence:literal) => {
        #[inline(never)]
        pub(super) unsafe fn $name(a: *mut u8, b: *const u8, c: *const u8, bytes: usize, passes: u64) -> u64 {
            const { assert!(GRAIN.is_multiple_of($set!(bytes))) };
            let mut sums = [0.0_f64; 16];
            let starts = [a.addr(), b.addr(), c.addr()];
            // SAFETY: reads and writes `bytes` bytes of the arrays that the operation uses, for which
            // the caller of `Shape::run` vouches, and writes 128 bytes to `sums`. All registers are
            // declared.
            unsafe {
                asm!(
                    "dup v24.2d, v24.d[0]",
                    "movi v0.2d, #0", "movi v1.2d, #0", "movi v2.2d, #0", "movi v3.2d, #0",
                    "movi v4.2d, #0", "movi v5.2d, #0", "movi v6.2d, #0", "movi v7.2d, #0",
                    "2:",
                    "ldp {a}, {b}, [{starts}]",
                    "ldr {c}, [{starts}, #16]",
                    "mov {left}, {bytes}",
                    ".p2align 6",
                    "3:",
                    four!($set $op $store),
                    "add {a}, {a}, {body}",
                    "add {b}, {b}, {body}",
                    "add {c}, {c}, {body}",
                    "subs {left}, {left}, {body}",
                    "b.ne 3b",
                    "subs {passes}, {passes}, #1",
                    "b.ne 2b",
                    "stp q0, q1, [{sums}]", "stp q2, q3, [{sums}, #32]",
                    "stp q4, q5, [{sums}, #64]", "stp q6, q7, [{sums}, #96]",
                    $fence,
                    body = const $set!(bytes),
                    a = out(reg) _,
                    b = out(reg) _,
                    c = out(reg) _,
                    left = out(reg) _,
                    starts = in(reg) starts.as_ptr(),
                    bytes = in(reg) bytes,
                    passes = inout(reg) passes => _,
                    sums = in(reg) sums.as_mut_ptr(),
                    inout("v24") Q as f64 => _,
                    out("v0") _, out("v1") _, out("v2") _, out("v3") _,
                    out("v4") _, out("v5") _, out("v6") _, out("v7") _,
                    out("v16") _, out("v17") _, out("v18") _, out("v19") _,
                    out("v20") _, out("v21") _, out("v22") _, out("v23") _,
                    options(nostack),
                );
            }
            add_up(&sums)
        }
    };
}

/// One pair of integers after the other, in registers that the compiler does not keep for itself.
macro_rules! int_loop {
    ($name:ident, $op:ident) => {
        #[inline(never)]
        pub(super) unsafe fn $name(a: *mut u8, b: *const u8, c: *const u8, bytes: usize, passes: u64) -> u64 {
            let starts = [a.addr(), b.addr(), c.addr()];
            // SAFETY: as for doubles.
            unsafe {
                asm!(
                    "2:",
                    "ldp {a}, {b}, [{starts}]",
                    "ldr {c}, [{starts}, #16]",
                    "mov {left}, {bytes}",
                    ".p2align 6",
                    "3:",
                    $op!(int store 0 0 1 2 3), $op!(int store 1 4 5 6 7),
                    $op!(int store 2 8 9 11 12), $op!(int store 3 13 14 15 16),
                    "add {a}, {a}, #64",
                    "add {b}, {b}, #64",
                    "add {c}, {c}, #64",
                    "subs {left}, {left}, #64",
                    "b.ne 3b",
                    "subs {passes}, {passes}, #1",
                    "b.ne 2b",
                    a = out(reg) _,
                    b = out(reg) _,
                    c = out(reg) _,
                    left = out(reg) _,
                    starts = in(reg) starts.as_ptr(),
                    bytes = in(reg) bytes,
                    passes = inout(reg) passes => _,
                    in("x10") Q,
                    out("x0") _, out("x1") _, out("x2") _, out("x3") _,
                    out("x4") _, out("x5") _, out("x6") _, out("x7") _,
                    out("x8") _, out("x9") _, out("x11") _, out("x12") _,
                    out("x13") _, out("x14") _, out("x15") _, out("x16") _,
                    options(nostack),
                );
            }
            0
        }
    };
}

mod by_8 {
    use super::*;
    double_loop!(copy, scalar copy store, "");
    double_loop!(scale, scalar scale store, "");
    double_loop!(add, scalar add store, "");
    double_loop!(triad, scalar triad store, "");
    double_loop!(fill, scalar fill store, "");
    double_loop!(daxpy, scalar daxpy store, "");
    double_loop!(sum, scalar sum store, "");
}
mod by_16 {
    use super::*;
    double_loop!(copy, neon copy store, "");
    double_loop!(scale, neon scale store, "");
    double_loop!(add, neon add store, "");
    double_loop!(triad, neon triad store, "");
    double_loop!(fill, neon fill store, "");
    double_loop!(daxpy, neon daxpy store, "");
    double_loop!(sum, neon sum store, "");
}
mod around {
    use super::*;
    double_loop!(copy, neon copy around, "dsb ishst");
    double_loop!(scale, neon scale around, "dsb ishst");
    double_loop!(add, neon add around, "dsb ishst");
    double_loop!(triad, neon triad around, "dsb ishst");
    double_loop!(fill, neon fill around, "dsb ishst");
    double_loop!(daxpy, neon daxpy around, "dsb ishst");
}
mod integers {
    use super::*;
    int_loop!(copy, copy);
    int_loop!(scale, scale);
    int_loop!(add, add);
    int_loop!(triad, triad);
}

fn always() -> bool {
    true
}

macro_rules! doubles {
    ($($op:ident $f:ident),*) => {
        &[
            $(shape(Element::Double, Op::$op, ("f64", 8, false), always, by_8::$f),
            shape(Element::Double, Op::$op, ("neon", 16, false), always, by_16::$f),
            shape(Element::Double, Op::$op, ("nt-neon", 16, true), always, around::$f),)*
            shape(Element::Double, Op::Sum, ("f64", 8, false), always, by_8::sum),
            shape(Element::Double, Op::Sum, ("neon", 16, false), always, by_16::sum),
        ]
    };
}

pub(super) static DOUBLE: &[Shape] =
    doubles!(Copy copy, Scale scale, Add add, Triad triad, Fill fill, Daxpy daxpy);

pub(super) static INT: &[Shape] = &[
    shape(
        Element::Int,
        Op::Copy,
        ("u64", 8, false),
        always,
        integers::copy,
    ),
    shape(
        Element::Int,
        Op::Scale,
        ("u64", 8, false),
        always,
        integers::scale,
    ),
    shape(
        Element::Int,
        Op::Add,
        ("u64", 8, false),
        always,
        integers::add,
    ),
    shape(
        Element::Int,
        Op::Triad,
        ("u64", 8, false),
        always,
        integers::triad,
    ),
];
