//! Loops that read.
//!
//! Each load is also an addition to one of several sums. The addition costs nothing where it has
//! been measured (the load ports are the narrower place), and it proves coverage: the sum over the
//! block is checked against a slow one, so no byte can have been left out or read twice.
//!
//! The prefetching shapes ask for each line 4 KiB before they load it. On one Zen 5 guest that gained
//! 7 % at the size of the third-level cache, the same from 1 to 8 KiB ahead, and nothing elsewhere;
//! the non-temporal hint was as good there as the others and better in memory.

use super::streams;
use super::unroll::lines;
use crate::bandwidth::{GRAIN, Op, Shape};
use std::arch::asm;

/// Declares the loop `$name`: `$n` times the line `$add` make the body, which covers `$bytes`
/// bytes; `$zero` clears a sum and `$save` stores it, for each of the `$sums` sums.
macro_rules! read_loop {
    ($name:ident, $n:tt $add:ident covers $bytes:literal, $sums:tt $zero:ident $save:ident, $end:literal) => {
        #[inline(never)]
        unsafe fn $name(_: *mut u8, src: *const u8, bytes: usize, passes: u64, _: u64) -> u64 {
            const { assert!(GRAIN.is_multiple_of($bytes)) };
            // Room for eight sums of the widest vector.
            let mut sums = [0_u64; 64];
            // SAFETY: reads `bytes` bytes from `src`, which the caller of `Shape::run` vouches
            // for, and writes at most 512 bytes to `sums`. All other registers are declared.
            unsafe {
                asm!(
                    lines!($sums $zero),
                    "2:",
                    "mov {at}, {src}",
                    ".p2align 6",
                    "3:",
                    lines!($n $add),
                    concat!("add {at}, ", $bytes),
                    "cmp {at}, {end}",
                    "jne 3b",
                    "dec {passes}",
                    "jnz 2b",
                    lines!($sums $save),
                    $end,
                    at = out(reg) _,
                    src = in(reg) src,
                    end = in(reg) src.wrapping_add(bytes),
                    passes = inout(reg) passes => _,
                    sums = in(reg) sums.as_mut_ptr(),
                    out("r8") _, out("r9") _, out("r10") _, out("r11") _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                    out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                    options(nostack),
                );
            }
            sums.iter().copied().fold(0, u64::wrapping_add)
        }
    };
}

#[macro_use]
#[rustfmt::skip]
mod line {
    macro_rules! add_u64 { ($i:literal $v:literal $g:literal) => { concat!("add ", $g, ", qword ptr [{at} + 8*", $i, "]\n") } }
    macro_rules! zero_u64 { ($i:literal $v:literal $g:literal) => { concat!("xor ", $g, ", ", $g, "\n") } }
    macro_rules! save_u64 { ($i:literal $v:literal $g:literal) => { concat!("mov qword ptr [{sums} + 8*", $i, "], ", $g, "\n") } }

    macro_rules! add_xmm { ($i:literal $v:literal $g:literal) => { concat!("paddq xmm", $v, ", xmmword ptr [{at} + 16*", $i, "]\n") } }
    macro_rules! zero_xmm { ($i:literal $v:literal $g:literal) => { concat!("pxor xmm", $v, ", xmm", $v, "\n") } }
    macro_rules! save_xmm { ($i:literal $v:literal $g:literal) => { concat!("movdqu xmmword ptr [{sums} + 16*", $i, "], xmm", $v, "\n") } }

    macro_rules! add_ymm { ($i:literal $v:literal $g:literal) => { concat!("vpaddq ymm", $v, ", ymm", $v, ", ymmword ptr [{at} + 32*", $i, "]\n") } }
    macro_rules! ahead_ymm { ($i:literal $v:literal $g:literal) => { concat!("prefetchnta byte ptr [{at} + 4096 + 64*", $i, "]\nvpaddq ymm", $v, ", ymm", $v, ", ymmword ptr [{at} + 64*", $i, "]\nvpaddq ymm", $v, ", ymm", $v, ", ymmword ptr [{at} + 64*", $i, " + 32]\n") } }
    macro_rules! zero_vex { ($i:literal $v:literal $g:literal) => { concat!("vpxor xmm", $v, ", xmm", $v, ", xmm", $v, "\n") } }
    macro_rules! save_ymm { ($i:literal $v:literal $g:literal) => { concat!("vmovdqu ymmword ptr [{sums} + 32*", $i, "], ymm", $v, "\n") } }

    macro_rules! add_zmm { ($i:literal $v:literal $g:literal) => { concat!("vpaddq zmm", $v, ", zmm", $v, ", zmmword ptr [{at} + 64*", $i, "]\n") } }
    macro_rules! ahead_zmm { ($i:literal $v:literal $g:literal) => { concat!("prefetchnta byte ptr [{at} + 4096 + 64*", $i, "]\nvpaddq zmm", $v, ", zmm", $v, ", zmmword ptr [{at} + 64*", $i, "]\n") } }
    macro_rules! save_zmm { ($i:literal $v:literal $g:literal) => { concat!("vmovdqu64 zmmword ptr [{sums} + 64*", $i, "], zmm", $v, "\n") } }

}

read_loop!(u64, 32 add_u64 covers 256, 4 zero_u64 save_u64, "");
read_loop!(sse2, 16 add_xmm covers 256, 8 zero_xmm save_xmm, "");
read_loop!(avx, 8 add_ymm covers 256, 8 zero_vex save_ymm, "vzeroupper");
read_loop!(avx512, 8 add_zmm covers 512, 8 zero_vex save_zmm, "vzeroupper");

read_loop!(avx_ahead, 4 ahead_ymm covers 256, 8 zero_vex save_ymm, "vzeroupper");
read_loop!(avx512_ahead, 8 ahead_zmm covers 512, 8 zero_vex save_zmm, "vzeroupper");

fn has_avx2() -> bool {
    std::is_x86_feature_detected!("avx2")
}

fn has_avx512() -> bool {
    std::is_x86_feature_detected!("avx512f")
}

const fn read(name: &'static str, width: u32, summary: &'static str) -> Shape {
    Shape {
        name,
        op: Op::Read,
        width,
        non_temporal: false,
        summary,
        // Zen 5 completes four 64-bit loads a cycle; Golden Cove three loads up to 256 bits; every
        // core so far two of 512 bits.
        per_cycle: Some(match width {
            8 => 4,
            64 => 2,
            _ => 3,
        }),
        available: || true,
        kernel: u64,
    }
}

pub(in crate::bandwidth) static READ: &[Shape] = &[
    Shape {
        kernel: u64,
        ..read("u64", 8, "64-bit loads")
    },
    Shape {
        kernel: sse2,
        ..read("sse2", 16, "128-bit loads")
    },
    Shape {
        // The 256-bit addition came with AVX2.
        available: has_avx2,
        kernel: avx,
        ..read("avx", 32, "256-bit loads")
    },
    Shape {
        available: has_avx2,
        kernel: avx_ahead,
        ..read(
            "avx-prefetch",
            32,
            "256-bit loads, lines prefetched 4 KiB ahead",
        )
    },
    Shape {
        available: has_avx2,
        kernel: streams::read_avx,
        ..read("avx-streams", 32, "256-bit loads, four prefetched streams")
    },
    Shape {
        available: has_avx512,
        kernel: avx512,
        ..read("avx512", 64, "512-bit loads")
    },
    Shape {
        available: has_avx512,
        kernel: avx512_ahead,
        ..read(
            "avx512-prefetch",
            64,
            "512-bit loads, lines prefetched 4 KiB ahead",
        )
    },
    Shape {
        available: has_avx512,
        kernel: streams::read_avx512,
        ..read(
            "avx512-streams",
            64,
            "512-bit loads, four prefetched streams",
        )
    },
];
