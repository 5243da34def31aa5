//! STREAM's loops on x86-64: scalar, 128, 256 and 512 bits, with ordinary and non-temporal stores.

use super::{Element, Op, Q, Shape, add_up, shape};
use crate::bandwidth::GRAIN;
use std::arch::asm;

/// Eight times `$op` with the register set `$isa`.
macro_rules! eight {
    ($isa:ident $op:ident $store:ident) => {
        concat!(
            $op!($isa $store 0), $op!($isa $store 1), $op!($isa $store 2), $op!($isa $store 3),
            $op!($isa $store 4), $op!($isa $store 5), $op!($isa $store 6), $op!($isa $store 7)
        )
    };
}

/// The operations on element or vector number `$i`, in register number `$i`, by the pieces that a
/// register set has.
#[macro_use]
#[rustfmt::skip]
mod op {
    macro_rules! copy { ($isa:ident $store:ident $i:literal) => { concat!($isa!(load $i "b"), $isa!($store $i "a")) } }
    macro_rules! scale { ($isa:ident $store:ident $i:literal) => { concat!($isa!(load $i "b"), $isa!(times_q $i), $isa!($store $i "a")) } }
    macro_rules! add { ($isa:ident $store:ident $i:literal) => { concat!($isa!(load $i "b"), $isa!(plus $i "c"), $isa!($store $i "a")) } }
    macro_rules! triad { ($isa:ident $store:ident $i:literal) => { concat!($isa!(load $i "c"), $isa!(times_q $i), $isa!(plus $i "b"), $isa!($store $i "a")) } }
    macro_rules! daxpy { ($isa:ident $store:ident $i:literal) => { concat!($isa!(load $i "b"), $isa!(times_q $i), $isa!(plus $i "a"), $isa!($store $i "a")) } }
    macro_rules! fill { ($isa:ident $store:ident $i:literal) => { $isa!($store 8 "a" $i) } }
    macro_rules! sum { ($isa:ident $store:ident $i:literal) => { $isa!(plus $i "b") } }
}

/// The pieces: loading, adding and storing register `$v` at the element of its number (or `$i`),
/// multiplying it by q, which lies in register 8. `spread` brings q there, `save` stores a register
/// to the sums, `zero` clears one, `end` leaves the register set.
#[macro_use]
#[rustfmt::skip]
mod pieces {
    macro_rules! int {
        (load $v:literal $p:literal) => { concat!("mov r", $v, ", qword ptr [{", $p, "} + 8*", $v, " - 64]\n") };
        (plus $v:literal $p:literal) => { concat!("add r", $v, ", qword ptr [{", $p, "} + 8*", $v, " - 64]\n") };
        (times_q $v:literal) => { concat!("imul r", $v, ", rax\n") };
        (store $v:literal $p:literal) => { concat!("mov qword ptr [{", $p, "} + 8*", $v, " - 64], r", $v, "\n") };
    }
    macro_rules! scalar {
        (bytes) => { 8 };
        (load $v:literal $p:literal) => { concat!("movsd xmm", $v, ", qword ptr [{", $p, "} + 8*", $v, "]\n") };
        (plus $v:literal $p:literal) => { concat!("addsd xmm", $v, ", qword ptr [{", $p, "} + 8*", $v, "]\n") };
        (times_q $v:literal) => { concat!("mulsd xmm", $v, ", xmm8\n") };
        (store $v:literal $p:literal) => { scalar!(store $v $p $v) };
        (store $v:literal $p:literal $i:literal) => { concat!("movsd qword ptr [{", $p, "} + 8*", $i, "], xmm", $v, "\n") };
        (spread) => { "" };
        (zero $v:literal) => { concat!("xorps xmm", $v, ", xmm", $v, "\n") };
        (save $v:literal) => { concat!("movsd qword ptr [{sums} + 8*", $v, "], xmm", $v, "\n") };
        (end) => { "" };
    }
    macro_rules! sse2 {
        (bytes) => { 16 };
        (load $v:literal $p:literal) => { concat!("movapd xmm", $v, ", xmmword ptr [{", $p, "} + 16*", $v, "]\n") };
        (plus $v:literal $p:literal) => { concat!("addpd xmm", $v, ", xmmword ptr [{", $p, "} + 16*", $v, "]\n") };
        (times_q $v:literal) => { concat!("mulpd xmm", $v, ", xmm8\n") };
        (store $v:literal $p:literal) => { sse2!(store $v $p $v) };
        (store $v:literal $p:literal $i:literal) => { concat!("movapd xmmword ptr [{", $p, "} + 16*", $i, "], xmm", $v, "\n") };
        (around $v:literal $p:literal) => { sse2!(around $v $p $v) };
        (around $v:literal $p:literal $i:literal) => { concat!("movntpd xmmword ptr [{", $p, "} + 16*", $i, "], xmm", $v, "\n") };
        (spread) => { "unpcklpd xmm8, xmm8" };
        (zero $v:literal) => { concat!("xorps xmm", $v, ", xmm", $v, "\n") };
        (save $v:literal) => { concat!("movupd xmmword ptr [{sums} + 16*", $v, "], xmm", $v, "\n") };
        (end) => { "" };
    }
    macro_rules! avx {
        (bytes) => { 32 };
        (load $v:literal $p:literal) => { concat!("vmovapd ymm", $v, ", ymmword ptr [{", $p, "} + 32*", $v, "]\n") };
        (plus $v:literal $p:literal) => { concat!("vaddpd ymm", $v, ", ymm", $v, ", ymmword ptr [{", $p, "} + 32*", $v, "]\n") };
        (times_q $v:literal) => { concat!("vmulpd ymm", $v, ", ymm", $v, ", ymm8\n") };
        (store $v:literal $p:literal) => { avx!(store $v $p $v) };
        (store $v:literal $p:literal $i:literal) => { concat!("vmovapd ymmword ptr [{", $p, "} + 32*", $i, "], ymm", $v, "\n") };
        (around $v:literal $p:literal) => { avx!(around $v $p $v) };
        (around $v:literal $p:literal $i:literal) => { concat!("vmovntpd ymmword ptr [{", $p, "} + 32*", $i, "], ymm", $v, "\n") };
        (spread) => { "vunpcklpd xmm8, xmm8, xmm8\nvinsertf128 ymm8, ymm8, xmm8, 1" };
        (zero $v:literal) => { concat!("vxorps xmm", $v, ", xmm", $v, ", xmm", $v, "\n") };
        (save $v:literal) => { concat!("vmovupd ymmword ptr [{sums} + 32*", $v, "], ymm", $v, "\n") };
        (end) => { "vzeroupper" };
    }
    macro_rules! avx512 {
        (bytes) => { 64 };
        (load $v:literal $p:literal) => { concat!("vmovapd zmm", $v, ", zmmword ptr [{", $p, "} + 64*", $v, "]\n") };
        (plus $v:literal $p:literal) => { concat!("vaddpd zmm", $v, ", zmm", $v, ", zmmword ptr [{", $p, "} + 64*", $v, "]\n") };
        (times_q $v:literal) => { concat!("vmulpd zmm", $v, ", zmm", $v, ", zmm8\n") };
        (store $v:literal $p:literal) => { avx512!(store $v $p $v) };
        (store $v:literal $p:literal $i:literal) => { concat!("vmovapd zmmword ptr [{", $p, "} + 64*", $i, "], zmm", $v, "\n") };
        (around $v:literal $p:literal) => { avx512!(around $v $p $v) };
        (around $v:literal $p:literal $i:literal) => { concat!("vmovntpd zmmword ptr [{", $p, "} + 64*", $i, "], zmm", $v, "\n") };
        (spread) => { "vbroadcastsd zmm8, xmm8" };
        (zero $v:literal) => { concat!("vxorps xmm", $v, ", xmm", $v, ", xmm", $v, "\n") };
        (save $v:literal) => { concat!("vmovupd zmmword ptr [{sums} + 64*", $v, "], zmm", $v, "\n") };
        (end) => { "vzeroupper" };
    }
}

/// Declares the loop of doubles `$op` with the register set `$isa`; `$fence` waits for its stores.
macro_rules! double_loop {
    ($name:ident, $isa:ident $op:ident $store:ident, $fence:literal) => {
        #[inline(never)]
        pub(super) unsafe fn $name(a: *mut u8, b: *const u8, c: *const u8, bytes: usize, passes: u64) -> u64 {
            const { assert!(GRAIN.is_multiple_of(8 * $isa!(bytes))) };
            // Room for eight sums of the widest vector.
            let mut sums = [0.0_f64; 64];
            // SAFETY: reads and writes `bytes` bytes of the arrays that the operation uses, for which
            // the caller of `Shape::run` vouches, and writes at most 512 bytes to `sums`. All
            // registers are declared.
            unsafe {
                asm!(
                    $isa!(spread),
                    $isa!(zero 0), $isa!(zero 1), $isa!(zero 2), $isa!(zero 3),
                    $isa!(zero 4), $isa!(zero 5), $isa!(zero 6), $isa!(zero 7),
                    "2:",
                    "push {a}", "push {b}", "push {c}", "push {left}",
                    ".p2align 6",
                    "3:",
                    eight!($isa $op $store),
                    concat!("add {a}, 8*", $isa!(bytes)),
                    concat!("add {b}, 8*", $isa!(bytes)),
                    concat!("add {c}, 8*", $isa!(bytes)),
                    concat!("sub {left}, 8*", $isa!(bytes)),
                    "jnz 3b",
                    "pop {left}", "pop {c}", "pop {b}", "pop {a}",
                    "dec {passes}",
                    "jnz 2b",
                    $isa!(save 0), $isa!(save 1), $isa!(save 2), $isa!(save 3),
                    $isa!(save 4), $isa!(save 5), $isa!(save 6), $isa!(save 7),
                    $isa!(end),
                    $fence,
                    a = inout(reg) a => _,
                    b = inout(reg) b => _,
                    c = inout(reg) c => _,
                    left = inout(reg) bytes => _,
                    passes = inout(reg) passes => _,
                    sums = in(reg) sums.as_mut_ptr(),
                    inout("xmm8") Q as f64 => _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                    out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                );
            }
            add_up(&sums)
        }
    };
}

/// Declares the loop of 64-bit integers `$op`, in general registers.
macro_rules! int_loop {
    ($name:ident, $op:ident) => {
        #[inline(never)]
        pub(super) unsafe fn $name(a: *mut u8, b: *const u8, c: *const u8, bytes: usize, passes: u64) -> u64 {
            // SAFETY: as for doubles.
            unsafe {
                asm!(
                    "2:",
                    "push {a}", "push {b}", "push {c}", "push {left}",
                    ".p2align 6",
                    "3:",
                    $op!(int store 8), $op!(int store 9), $op!(int store 10), $op!(int store 11),
                    "add {a}, 32", "add {b}, 32", "add {c}, 32",
                    "sub {left}, 32",
                    "jnz 3b",
                    "pop {left}", "pop {c}", "pop {b}", "pop {a}",
                    "dec {passes}",
                    "jnz 2b",
                    a = inout(reg) a => _,
                    b = inout(reg) b => _,
                    c = inout(reg) c => _,
                    left = inout(reg) bytes => _,
                    passes = inout(reg) passes => _,
                    in("rax") Q,
                    out("r8") _, out("r9") _, out("r10") _, out("r11") _,
                );
            }
            0
        }
    };
}

/// The seven loops of a register set, and the six with non-temporal stores, with their tables.
macro_rules! loops {
    ($($set:ident $isa:ident)*) => { $(
        mod $set {
            use super::*;
            double_loop!(copy, $isa copy store, "");
            double_loop!(scale, $isa scale store, "");
            double_loop!(add, $isa add store, "");
            double_loop!(triad, $isa triad store, "");
            double_loop!(fill, $isa fill store, "");
            double_loop!(daxpy, $isa daxpy store, "");
            double_loop!(sum, $isa sum store, "");
        }
    )* };
}
macro_rules! around_loops {
    ($($set:ident $isa:ident)*) => { $(
        mod $set {
            use super::*;
            double_loop!(copy, $isa copy around, "sfence");
            double_loop!(scale, $isa scale around, "sfence");
            double_loop!(add, $isa add around, "sfence");
            double_loop!(triad, $isa triad around, "sfence");
            double_loop!(fill, $isa fill around, "sfence");
            double_loop!(daxpy, $isa daxpy around, "sfence");
        }
    )* };
}
loops!(by_8 scalar by_16 sse2 by_32 avx by_64 avx512);
around_loops!(nt_16 sse2 nt_32 avx nt_64 avx512);

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
fn has_avx() -> bool {
    std::is_x86_feature_detected!("avx")
}
fn has_avx512() -> bool {
    std::is_x86_feature_detected!("avx512f")
}

macro_rules! doubles {
    ($($op:ident $f:ident),* ; $($sum:ident $s:ident)?) => {
        &[
            $(shape(Element::Double, Op::$op, ("f64", 8, false), always, by_8::$f),
            shape(Element::Double, Op::$op, ("sse2", 16, false), always, by_16::$f),
            shape(Element::Double, Op::$op, ("avx", 32, false), has_avx, by_32::$f),
            shape(Element::Double, Op::$op, ("avx512", 64, false), has_avx512, by_64::$f),
            shape(Element::Double, Op::$op, ("nt-sse2", 16, true), always, nt_16::$f),
            shape(Element::Double, Op::$op, ("nt-avx", 32, true), has_avx, nt_32::$f),
            shape(Element::Double, Op::$op, ("nt-avx512", 64, true), has_avx512, nt_64::$f),)*
            $(shape(Element::Double, Op::$sum, ("f64", 8, false), always, by_8::$s),
            shape(Element::Double, Op::$sum, ("sse2", 16, false), always, by_16::$s),
            shape(Element::Double, Op::$sum, ("avx", 32, false), has_avx, by_32::$s),
            shape(Element::Double, Op::$sum, ("avx512", 64, false), has_avx512, by_64::$s),)?
        ]
    };
}

pub(super) static DOUBLE: &[Shape] = doubles!(
    Copy copy, Scale scale, Add add, Triad triad, Fill fill, Daxpy daxpy; Sum sum
);

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
