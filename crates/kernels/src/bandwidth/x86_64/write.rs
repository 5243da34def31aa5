//! Loops that write.

use super::unroll::lines;
use crate::bandwidth::{GRAIN, Op, Shape};
use std::arch::asm;

/// Declares the loop `$name`: `$spread` fills the register that is stored from `{fill}`, `$n` times
/// the line `$store` make the body, which covers `$bytes` bytes.
macro_rules! write_loop {
    ($name:ident, $spread:expr, $n:tt $store:ident covers $bytes:literal, $end:literal) => {
        #[inline(never)]
        unsafe fn $name(dst: *mut u8, _: *const u8, bytes: usize, passes: u64, fill: u64) -> u64 {
            const { assert!(GRAIN.is_multiple_of($bytes)) };
            // SAFETY: writes `bytes` bytes to `dst`, which the caller of `Shape::run` vouches for.
            // All registers are declared.
            unsafe {
                asm!(
                    $spread,
                    "2:",
                    "mov {at}, {dst}",
                    ".p2align 6",
                    "3:",
                    lines!($n $store),
                    concat!("add {at}, ", $bytes),
                    "cmp {at}, {end}",
                    "jne 3b",
                    "dec {passes}",
                    "jnz 2b",
                    $end,
                    at = out(reg) _,
                    dst = in(reg) dst,
                    end = in(reg) dst.wrapping_add(bytes),
                    passes = inout(reg) passes => _,
                    in("r8") fill,
                    out("xmm0") _,
                    options(nostack),
                );
            }
            0
        }
    };
}

/// Declares a loop around a `rep` store of `$unit` bytes a time.
macro_rules! rep_loop {
    ($name:ident, $instruction:literal, $unit:literal) => {
        #[inline(never)]
        unsafe fn $name(dst: *mut u8, _: *const u8, bytes: usize, passes: u64, fill: u64) -> u64 {
            // SAFETY: writes `bytes` bytes upward from `dst` (the direction flag is clear at the
            // entry of every asm block), which the caller of `Shape::run` vouches for.
            unsafe {
                asm!(
                    "2:",
                    "mov rdi, {dst}",
                    "mov rcx, {count}",
                    $instruction,
                    "dec {passes}",
                    "jnz 2b",
                    dst = in(reg) dst,
                    count = in(reg) bytes / $unit,
                    passes = inout(reg) passes => _,
                    in("rax") fill,
                    out("rdi") _,
                    out("rcx") _,
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
    macro_rules! mov_u64 { ($i:literal $v:literal $g:literal) => { concat!("mov qword ptr [{at} + 8*", $i, "], r8\n") } }
    macro_rules! nt_u64 { ($i:literal $v:literal $g:literal) => { concat!("movnti qword ptr [{at} + 8*", $i, "], r8\n") } }
    macro_rules! mov_xmm { ($i:literal $v:literal $g:literal) => { concat!("movdqa xmmword ptr [{at} + 16*", $i, "], xmm0\n") } }
    macro_rules! nt_xmm { ($i:literal $v:literal $g:literal) => { concat!("movntdq xmmword ptr [{at} + 16*", $i, "], xmm0\n") } }
    macro_rules! mov_ymm { ($i:literal $v:literal $g:literal) => { concat!("vmovdqa ymmword ptr [{at} + 32*", $i, "], ymm0\n") } }
    macro_rules! nt_ymm { ($i:literal $v:literal $g:literal) => { concat!("vmovntdq ymmword ptr [{at} + 32*", $i, "], ymm0\n") } }
    macro_rules! mov_zmm { ($i:literal $v:literal $g:literal) => { concat!("vmovdqa64 zmmword ptr [{at} + 64*", $i, "], zmm0\n") } }
    macro_rules! nt_zmm { ($i:literal $v:literal $g:literal) => { concat!("vmovntdq zmmword ptr [{at} + 64*", $i, "], zmm0\n") } }
}

/// r8 to all of xmm0.
macro_rules! to_xmm {
    () => {
        "movq xmm0, r8\npunpcklqdq xmm0, xmm0"
    };
}
/// r8 to all of ymm0, without AVX2.
macro_rules! to_ymm {
    () => {
        "vmovq xmm0, r8\nvpunpcklqdq xmm0, xmm0, xmm0\nvinsertf128 ymm0, ymm0, xmm0, 1"
    };
}
/// r8 to all of zmm0.
macro_rules! to_zmm {
    () => {
        "vpbroadcastq zmm0, r8"
    };
}

write_loop!(u64, "", 32 mov_u64 covers 256, "");
write_loop!(sse2, to_xmm!(), 16 mov_xmm covers 256, "");
write_loop!(avx, to_ymm!(), 8 mov_ymm covers 256, "vzeroupper");
write_loop!(avx512, to_zmm!(), 8 mov_zmm covers 512, "vzeroupper");
write_loop!(nt_u64, "", 32 nt_u64 covers 256, "sfence");
write_loop!(nt_sse2, to_xmm!(), 16 nt_xmm covers 256, "sfence");
write_loop!(nt_avx, to_ymm!(), 8 nt_ymm covers 256, "vzeroupper\nsfence");
write_loop!(nt_avx512, to_zmm!(), 8 nt_zmm covers 512, "vzeroupper\nsfence");
rep_loop!(rep_stosb, "rep stosb", 1);
rep_loop!(rep_stosq, "rep stosq", 8);

fn has_avx() -> bool {
    std::is_x86_feature_detected!("avx")
}

fn has_avx512() -> bool {
    std::is_x86_feature_detected!("avx512f")
}

const fn plain(name: &'static str, width: u32, summary: &'static str) -> Shape {
    Shape {
        name,
        op: Op::Write,
        width,
        non_temporal: false,
        summary,
        // Zen 3 and Ice Lake onwards complete two stores a cycle up to 256 bits, one of 512 bits.
        per_cycle: Some(if width == 64 { 1 } else { 2 }),
        available: || true,
        kernel: u64,
    }
}

const fn around(name: &'static str, width: u32, summary: &'static str) -> Shape {
    Shape {
        non_temporal: true,
        per_cycle: None,
        ..plain(name, width, summary)
    }
}

pub(in crate::bandwidth) static WRITE: &[Shape] = &[
    Shape {
        kernel: u64,
        ..plain("u64", 8, "64-bit stores")
    },
    Shape {
        kernel: sse2,
        ..plain("sse2", 16, "128-bit stores")
    },
    Shape {
        available: has_avx,
        kernel: avx,
        ..plain("avx", 32, "256-bit stores")
    },
    Shape {
        available: has_avx512,
        kernel: avx512,
        ..plain("avx512", 64, "512-bit stores")
    },
    Shape {
        kernel: nt_u64,
        ..around("nt-u64", 8, "64-bit non-temporal stores")
    },
    Shape {
        kernel: nt_sse2,
        ..around("nt-sse2", 16, "128-bit non-temporal stores")
    },
    Shape {
        available: has_avx,
        kernel: nt_avx,
        ..around("nt-avx", 32, "256-bit non-temporal stores")
    },
    Shape {
        available: has_avx512,
        kernel: nt_avx512,
        ..around("nt-avx512", 64, "512-bit non-temporal stores")
    },
    Shape {
        kernel: rep_stosb,
        per_cycle: None,
        ..plain("rep-stosb", 1, "one string instruction a pass, by bytes")
    },
    Shape {
        kernel: rep_stosq,
        per_cycle: None,
        ..plain(
            "rep-stosq",
            8,
            "one string instruction a pass, by 64-bit words",
        )
    },
];
