//! Loops that read.
//!
//! Each load is also an addition to one of several sums. The addition costs nothing where it has
//! been measured (the load ports are the narrower place), and it proves coverage: the sum over the
//! block is checked against a slow one, so no byte can have been left out or read twice.

use super::unroll::lines;
use super::{Op, Shape};
use std::arch::asm;

/// Declares the loop `$name`: `$n` times the line `$add` make the body, which covers `$bytes`
/// bytes; `$zero` clears a sum and `$save` stores it, for each of the `$sums` sums.
macro_rules! read_loop {
    ($name:ident, $n:tt $add:ident covers $bytes:literal, $sums:tt $zero:ident $save:ident, $end:literal) => {
        #[inline(never)]
        unsafe fn $name(_: *mut u8, src: *const u8, bytes: usize, passes: u64, _: u64) -> u64 {
            const { assert!(super::GRAIN.is_multiple_of($bytes)) };
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

#[rustfmt::skip]
mod line {
    macro_rules! add_u64 { ($i:literal $v:literal $g:literal) => { concat!("add ", $g, ", qword ptr [{at} + 8*", $i, "]\n") } }
    macro_rules! zero_u64 { ($i:literal $v:literal $g:literal) => { concat!("xor ", $g, ", ", $g, "\n") } }
    macro_rules! save_u64 { ($i:literal $v:literal $g:literal) => { concat!("mov qword ptr [{sums} + 8*", $i, "], ", $g, "\n") } }

    macro_rules! add_xmm { ($i:literal $v:literal $g:literal) => { concat!("paddq xmm", $v, ", xmmword ptr [{at} + 16*", $i, "]\n") } }
    macro_rules! zero_xmm { ($i:literal $v:literal $g:literal) => { concat!("pxor xmm", $v, ", xmm", $v, "\n") } }
    macro_rules! save_xmm { ($i:literal $v:literal $g:literal) => { concat!("movdqu xmmword ptr [{sums} + 16*", $i, "], xmm", $v, "\n") } }

    macro_rules! add_ymm { ($i:literal $v:literal $g:literal) => { concat!("vpaddq ymm", $v, ", ymm", $v, ", ymmword ptr [{at} + 32*", $i, "]\n") } }
    macro_rules! zero_vex { ($i:literal $v:literal $g:literal) => { concat!("vpxor xmm", $v, ", xmm", $v, ", xmm", $v, "\n") } }
    macro_rules! save_ymm { ($i:literal $v:literal $g:literal) => { concat!("vmovdqu ymmword ptr [{sums} + 32*", $i, "], ymm", $v, "\n") } }

    macro_rules! add_zmm { ($i:literal $v:literal $g:literal) => { concat!("vpaddq zmm", $v, ", zmm", $v, ", zmmword ptr [{at} + 64*", $i, "]\n") } }
    macro_rules! save_zmm { ($i:literal $v:literal $g:literal) => { concat!("vmovdqu64 zmmword ptr [{sums} + 64*", $i, "], zmm", $v, "\n") } }

    pub(super) use {add_u64, add_xmm, add_ymm, add_zmm, save_u64, save_xmm, save_ymm, save_zmm, zero_u64, zero_vex, zero_xmm};
}
use line::*;

read_loop!(u64, 32 add_u64 covers 256, 4 zero_u64 save_u64, "");
read_loop!(sse2, 32 add_xmm covers 512, 8 zero_xmm save_xmm, "");
read_loop!(avx, 32 add_ymm covers 1024, 8 zero_vex save_ymm, "vzeroupper");
read_loop!(avx512, 32 add_zmm covers 2048, 8 zero_vex save_zmm, "vzeroupper");

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

pub(super) static READ: &[Shape] = &[
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
        available: || std::is_x86_feature_detected!("avx2"),
        kernel: avx,
        ..read("avx", 32, "256-bit loads")
    },
    Shape {
        available: || std::is_x86_feature_detected!("avx512f"),
        kernel: avx512,
        ..read("avx512", 64, "512-bit loads")
    },
];
