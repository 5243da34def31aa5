//! The mixes on x86-64, with 128, 256 and 512 bits.

use super::{GRAIN, Shape};
use std::arch::asm;

/// Twelve lines: each is read; those that the mix writes, which are named `w`, are filled then.
macro_rules! twelve {
    ($isa:ident $($i:literal $what:ident)*) => { concat!($(twelve!(@ $isa $i $what)),*) };
    (@ $isa:ident $i:literal r) => { $isa!(read $i) };
    (@ $isa:ident $i:literal w) => { concat!($isa!(read $i), $isa!(write $i)) };
}
macro_rules! mix {
    ($isa:ident 1) => { twelve!($isa 0 w 1 w 2 w 3 w 4 w 5 w 6 w 7 w 8 w 9 w 10 w 11 w) };
    ($isa:ident 2) => { twelve!($isa 0 w 1 r 2 w 3 r 4 w 5 r 6 w 7 r 8 w 9 r 10 w 11 r) };
    ($isa:ident 3) => { twelve!($isa 0 w 1 r 2 r 3 w 4 r 5 r 6 w 7 r 8 r 9 w 10 r 11 r) };
}

#[macro_use]
#[rustfmt::skip]
mod pieces {
    macro_rules! sse2 {
        (read $i:literal) => { concat!(
            "paddq xmm0, xmmword ptr [{at} + 64*", $i, "]\npaddq xmm1, xmmword ptr [{at} + 64*", $i, " + 16]\n",
            "paddq xmm2, xmmword ptr [{at} + 64*", $i, " + 32]\npaddq xmm3, xmmword ptr [{at} + 64*", $i, " + 48]\n") };
        (write $i:literal) => { concat!(
            "movdqa xmmword ptr [{at} + 64*", $i, "], xmm4\nmovdqa xmmword ptr [{at} + 64*", $i, " + 16], xmm4\n",
            "movdqa xmmword ptr [{at} + 64*", $i, " + 32], xmm4\nmovdqa xmmword ptr [{at} + 64*", $i, " + 48], xmm4\n") };
        (start) => { "movq xmm4, {fill}\npunpcklqdq xmm4, xmm4\npxor xmm0, xmm0\npxor xmm1, xmm1\npxor xmm2, xmm2\npxor xmm3, xmm3" };
        (end) => { "paddq xmm0, xmm1\npaddq xmm2, xmm3\npaddq xmm0, xmm2\nmovdqu xmmword ptr [{sums}], xmm0" };
    }
    macro_rules! avx {
        (read $i:literal) => { concat!(
            "vpaddq ymm0, ymm0, ymmword ptr [{at} + 64*", $i, "]\nvpaddq ymm1, ymm1, ymmword ptr [{at} + 64*", $i, " + 32]\n") };
        (write $i:literal) => { concat!(
            "vmovdqa ymmword ptr [{at} + 64*", $i, "], ymm4\nvmovdqa ymmword ptr [{at} + 64*", $i, " + 32], ymm4\n") };
        (start) => { "vmovq xmm4, {fill}\nvpbroadcastq ymm4, xmm4\nvpxor xmm0, xmm0, xmm0\nvpxor xmm1, xmm1, xmm1" };
        (end) => { "vpaddq ymm0, ymm0, ymm1\nvmovdqu ymmword ptr [{sums}], ymm0\nvzeroupper" };
    }
    macro_rules! avx512 {
        (read $i:literal) => { concat!("vpaddq zmm0, zmm0, zmmword ptr [{at} + 64*", $i, "]\n") };
        (write $i:literal) => { concat!("vmovdqa64 zmmword ptr [{at} + 64*", $i, "], zmm4\n") };
        (start) => { "vpbroadcastq zmm4, {fill}\nvpxor xmm0, xmm0, xmm0" };
        (end) => { "vmovdqu64 zmmword ptr [{sums}], zmm0\nvzeroupper" };
    }
}

/// Declares the loop `$name` that reads `$reads` lines for each that it writes.
macro_rules! mix_loop {
    ($name:ident, $isa:ident $reads:tt) => {
        #[inline(never)]
        unsafe fn $name(block: *mut u8, bytes: usize, passes: u64, fill: u64) -> u64 {
            let mut sums = [0_u64; 8];
            // SAFETY: reads and writes `bytes` bytes of the block, for which the caller of
            // `Shape::run` vouches, and at most 64 bytes of `sums`. All registers are declared.
            unsafe {
                asm!(
                    $isa!(start),
                    "2:",
                    "mov {at}, {block}",
                    ".p2align 6",
                    "3:",
                    mix!($isa $reads),
                    "add {at}, {body}",
                    "cmp {at}, {end}",
                    "jne 3b",
                    "dec {passes}",
                    "jnz 2b",
                    $isa!(end),
                    body = const GRAIN,
                    at = out(reg) _,
                    block = in(reg) block,
                    end = in(reg) block.wrapping_add(bytes),
                    passes = inout(reg) passes => _,
                    fill = in(reg) fill,
                    sums = in(reg) sums.as_mut_ptr(),
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _,
                    options(nostack),
                );
            }
            sums.iter().copied().fold(0, u64::wrapping_add)
        }
    };
}

mix_loop!(sse2_1, sse2 1);
mix_loop!(sse2_2, sse2 2);
mix_loop!(sse2_3, sse2 3);
mix_loop!(avx_1, avx 1);
mix_loop!(avx_2, avx 2);
mix_loop!(avx_3, avx 3);
mix_loop!(avx512_1, avx512 1);
mix_loop!(avx512_2, avx512 2);
mix_loop!(avx512_3, avx512 3);

fn always() -> bool {
    true
}
fn has_avx2() -> bool {
    std::is_x86_feature_detected!("avx2")
}
fn has_avx512() -> bool {
    std::is_x86_feature_detected!("avx512f")
}

macro_rules! three {
    ($($name:literal $width:literal $available:ident: $one:ident $two:ident $three:ident)*) => {
        &[$(
            Shape { name: $name, reads: 1, width: $width, available: $available, kernel: $one },
            Shape { name: $name, reads: 2, width: $width, available: $available, kernel: $two },
            Shape { name: $name, reads: 3, width: $width, available: $available, kernel: $three },
        )*]
    };
}

pub(super) static MIXES: &[Shape] = three!(
    "sse2" 16 always: sse2_1 sse2_2 sse2_3
    "avx" 32 has_avx2: avx_1 avx_2 avx_3
    "avx512" 64 has_avx512: avx512_1 avx512_2 avx512_3
);
