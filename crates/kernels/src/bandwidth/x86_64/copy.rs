//! Loops that copy.

use super::streams;
use super::unroll::lines;
use crate::bandwidth::{GRAIN, Op, Shape};
use std::arch::asm;

/// Declares the loop `$name`: `$n` times the line `$move` make the body, which copies `$bytes`
/// bytes. The source is addressed from `{at}`, the destination by its distance `{to}`.
macro_rules! copy_loop {
    ($name:ident, $n:tt $move:ident covers $bytes:literal, $end:literal) => {
        #[inline(never)]
        unsafe fn $name(dst: *mut u8, src: *const u8, bytes: usize, passes: u64, _: u64) -> u64 {
            const { assert!(GRAIN.is_multiple_of($bytes)) };
            // SAFETY: reads `bytes` bytes from `src` and writes as many to `dst`, which the caller
            // of `Shape::run` vouches for. All registers are declared.
            unsafe {
                asm!(
                    "2:",
                    "mov {at}, {src}",
                    "mov {to}, {dst}",
                    ".p2align 6",
                    "3:",
                    lines!($n $move),
                    concat!("add {at}, ", $bytes),
                    concat!("add {to}, ", $bytes),
                    "cmp {at}, {end}",
                    "jne 3b",
                    "dec {passes}",
                    "jnz 2b",
                    $end,
                    at = out(reg) _,
                    to = out(reg) _,
                    src = in(reg) src,
                    dst = in(reg) dst,
                    end = in(reg) src.wrapping_add(bytes),
                    passes = inout(reg) passes => _,
                    out("r8") _, out("r9") _, out("r10") _, out("r11") _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                    out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                    options(nostack),
                );
            }
            0
        }
    };
}

/// Declares a loop around a `rep` copy of `$unit` bytes a time.
macro_rules! rep_loop {
    ($name:ident, $instruction:literal, $unit:literal) => {
        #[inline(never)]
        unsafe fn $name(dst: *mut u8, src: *const u8, bytes: usize, passes: u64, _: u64) -> u64 {
            // SAFETY: copies `bytes` bytes upward (the direction flag is clear at the entry of
            // every asm block) from `src` to `dst`, which the caller of `Shape::run` vouches for.
            unsafe {
                asm!(
                    "2:",
                    "mov rsi, {src}",
                    "mov rdi, {dst}",
                    "mov rcx, {count}",
                    $instruction,
                    "dec {passes}",
                    "jnz 2b",
                    src = in(reg) src,
                    dst = in(reg) dst,
                    count = in(reg) bytes / $unit,
                    passes = inout(reg) passes => _,
                    out("rsi") _,
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
    macro_rules! mov_u64 { ($i:literal $v:literal $g:literal) => { concat!(
        "mov ", $g, ", qword ptr [{at} + 8*", $i, "]\nmov qword ptr [{to} + 8*", $i, "], ", $g, "\n") } }
    macro_rules! mov_xmm { ($i:literal $v:literal $g:literal) => { concat!(
        "movdqa xmm", $v, ", xmmword ptr [{at} + 16*", $i, "]\nmovdqa xmmword ptr [{to} + 16*", $i, "], xmm", $v, "\n") } }
    macro_rules! nt_xmm { ($i:literal $v:literal $g:literal) => { concat!(
        "movdqa xmm", $v, ", xmmword ptr [{at} + 16*", $i, "]\nmovntdq xmmword ptr [{to} + 16*", $i, "], xmm", $v, "\n") } }
    macro_rules! mov_ymm { ($i:literal $v:literal $g:literal) => { concat!(
        "vmovdqa ymm", $v, ", ymmword ptr [{at} + 32*", $i, "]\nvmovdqa ymmword ptr [{to} + 32*", $i, "], ymm", $v, "\n") } }
    macro_rules! nt_ymm { ($i:literal $v:literal $g:literal) => { concat!(
        "vmovdqa ymm", $v, ", ymmword ptr [{at} + 32*", $i, "]\nvmovntdq ymmword ptr [{to} + 32*", $i, "], ymm", $v, "\n") } }
    macro_rules! mov_zmm { ($i:literal $v:literal $g:literal) => { concat!(
        "vmovdqa64 zmm", $v, ", zmmword ptr [{at} + 64*", $i, "]\nvmovdqa64 zmmword ptr [{to} + 64*", $i, "], zmm", $v, "\n") } }
    macro_rules! nt_zmm { ($i:literal $v:literal $g:literal) => { concat!(
        "vmovdqa64 zmm", $v, ", zmmword ptr [{at} + 64*", $i, "]\nvmovntdq zmmword ptr [{to} + 64*", $i, "], zmm", $v, "\n") } }
}

copy_loop!(u64, 32 mov_u64 covers 256, "");
copy_loop!(sse2, 16 mov_xmm covers 256, "");
copy_loop!(avx, 8 mov_ymm covers 256, "vzeroupper");
copy_loop!(avx512, 8 mov_zmm covers 512, "vzeroupper");
copy_loop!(nt_sse2, 16 nt_xmm covers 256, "sfence");
copy_loop!(nt_avx, 8 nt_ymm covers 256, "vzeroupper\nsfence");
copy_loop!(nt_avx512, 8 nt_zmm covers 512, "vzeroupper\nsfence");
rep_loop!(rep_movsb, "rep movsb", 1);
rep_loop!(rep_movsq, "rep movsq", 8);

fn has_avx() -> bool {
    std::is_x86_feature_detected!("avx")
}

fn has_avx512() -> bool {
    std::is_x86_feature_detected!("avx512f")
}

const fn plain(name: &'static str, width: u32, summary: &'static str) -> Shape {
    Shape {
        name,
        op: Op::Copy,
        width,
        non_temporal: false,
        summary,
        // A copy needs a store for each load, so the stores limit it (see `write`): two a cycle up
        // to 256 bits, one of 512 bits, and as many loads.
        per_cycle: Some(if width == 64 { 2 } else { 4 }),
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

pub(in crate::bandwidth) static COPY: &[Shape] = &[
    Shape {
        kernel: u64,
        ..plain("u64", 8, "64-bit loads and stores")
    },
    Shape {
        kernel: sse2,
        ..plain("sse2", 16, "128-bit loads and stores")
    },
    Shape {
        available: has_avx,
        kernel: avx,
        ..plain("avx", 32, "256-bit loads and stores")
    },
    Shape {
        available: has_avx512,
        kernel: avx512,
        ..plain("avx512", 64, "512-bit loads and stores")
    },
    Shape {
        kernel: nt_sse2,
        ..around("nt-sse2", 16, "128-bit loads, non-temporal stores")
    },
    Shape {
        available: has_avx,
        kernel: nt_avx,
        ..around("nt-avx", 32, "256-bit loads, non-temporal stores")
    },
    Shape {
        available: has_avx512,
        kernel: nt_avx512,
        ..around("nt-avx512", 64, "512-bit loads, non-temporal stores")
    },
    Shape {
        available: has_avx,
        kernel: streams::copy_avx,
        ..around("nt-avx-streams", 32, "as nt-avx, four streams at once")
    },
    Shape {
        available: has_avx512,
        kernel: streams::copy_avx512,
        ..around(
            "nt-avx512-streams",
            64,
            "as nt-avx512, four streams at once",
        )
    },
    Shape {
        kernel: rep_movsb,
        per_cycle: None,
        ..plain("rep-movsb", 1, "one string instruction a pass, by bytes")
    },
    Shape {
        kernel: rep_movsq,
        per_cycle: None,
        ..plain(
            "rep-movsq",
            8,
            "one string instruction a pass, by 64-bit words",
        )
    },
];
