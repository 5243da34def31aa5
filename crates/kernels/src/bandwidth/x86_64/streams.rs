//! Loops over four streams at once: the four quarters of a block in parallel.
//!
//! A page holds one stream for 64 lines only; at its end the prefetchers start anew. With four
//! streams the others go on meanwhile. On one Zen 5 guest that read a tenth more from memory than one
//! stream did, with or without prefetching, and was slower than one in the caches. Two streams
//! gained half of it.

use crate::bandwidth::GRAIN;
use std::arch::asm;

/// The same line for each stream: `{at}` walks through the first quarter of the block, `{quarter}`
/// is the length of a quarter and `{three}` that of three.
macro_rules! four {
    ($line:ident) => {
        concat!(
            $line!(""),
            $line!(" + {quarter}"),
            $line!(" + 2*{quarter}"),
            $line!(" + {three}")
        )
    };
}

/// Two lines of a stream, each asked for 1 KiB before: with four streams that is as far ahead in
/// time as 4 KiB with one.
#[macro_use]
#[rustfmt::skip]
mod line {
    macro_rules! read_ymm { ($stream:literal) => { concat!(
        "prefetchnta byte ptr [{at}", $stream, " + 1024]\n",
        "prefetchnta byte ptr [{at}", $stream, " + 1088]\n",
        "vpaddq ymm0, ymm0, ymmword ptr [{at}", $stream, "]\n",
        "vpaddq ymm1, ymm1, ymmword ptr [{at}", $stream, " + 32]\n",
        "vpaddq ymm2, ymm2, ymmword ptr [{at}", $stream, " + 64]\n",
        "vpaddq ymm3, ymm3, ymmword ptr [{at}", $stream, " + 96]\n") } }
    macro_rules! read_zmm { ($stream:literal) => { concat!(
        "prefetchnta byte ptr [{at}", $stream, " + 1024]\n",
        "prefetchnta byte ptr [{at}", $stream, " + 1088]\n",
        "vpaddq zmm0, zmm0, zmmword ptr [{at}", $stream, "]\n",
        "vpaddq zmm1, zmm1, zmmword ptr [{at}", $stream, " + 64]\n") } }
    macro_rules! copy_ymm { ($stream:literal) => { concat!(
        "vmovdqa ymm0, ymmword ptr [{at}", $stream, "]\n",
        "vmovdqa ymm1, ymmword ptr [{at}", $stream, " + 32]\n",
        "vmovdqa ymm2, ymmword ptr [{at}", $stream, " + 64]\n",
        "vmovdqa ymm3, ymmword ptr [{at}", $stream, " + 96]\n",
        "vmovntdq ymmword ptr [{to}", $stream, "], ymm0\n",
        "vmovntdq ymmword ptr [{to}", $stream, " + 32], ymm1\n",
        "vmovntdq ymmword ptr [{to}", $stream, " + 64], ymm2\n",
        "vmovntdq ymmword ptr [{to}", $stream, " + 96], ymm3\n") } }
    macro_rules! copy_zmm { ($stream:literal) => { concat!(
        "vmovdqa64 zmm0, zmmword ptr [{at}", $stream, "]\n",
        "vmovdqa64 zmm1, zmmword ptr [{at}", $stream, " + 64]\n",
        "vmovntdq zmmword ptr [{to}", $stream, "], zmm0\n",
        "vmovntdq zmmword ptr [{to}", $stream, " + 64], zmm1\n") } }
}

/// Bytes that one turn of a loop moves: two lines of each stream.
const BODY: usize = 4 * 2 * 64;

/// Declares a loop that reads with the line `$add`, whose sums `$save` stores to `{sums}`.
macro_rules! read_streams {
    ($name:ident, $add:ident, $save:expr) => {
        #[inline(never)]
        pub(super) unsafe fn $name(
            _: *mut u8,
            src: *const u8,
            bytes: usize,
            passes: u64,
            _: u64,
        ) -> u64 {
            const { assert!(GRAIN.is_multiple_of(BODY)) };
            let quarter = bytes / 4;
            // Room for four sums of the widest vector.
            let mut sums = [0_u64; 32];
            // SAFETY: reads `bytes` bytes from `src`, which the caller of `Shape::run` vouches
            // for, and writes at most 256 bytes to `sums`. All other registers are declared.
            unsafe {
                asm!(
                    "vpxor xmm0, xmm0, xmm0",
                    "vpxor xmm1, xmm1, xmm1",
                    "vpxor xmm2, xmm2, xmm2",
                    "vpxor xmm3, xmm3, xmm3",
                    "2:",
                    "mov {at}, {src}",
                    ".p2align 6",
                    "3:",
                    four!($add),
                    "add {at}, 128",
                    "cmp {at}, {end}",
                    "jne 3b",
                    "dec {passes}",
                    "jnz 2b",
                    $save,
                    "vzeroupper",
                    at = out(reg) _,
                    src = in(reg) src,
                    end = in(reg) src.wrapping_add(quarter),
                    quarter = in(reg) quarter,
                    three = in(reg) 3 * quarter,
                    passes = inout(reg) passes => _,
                    sums = in(reg) sums.as_mut_ptr(),
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                    options(nostack),
                );
            }
            sums.iter().copied().fold(0, u64::wrapping_add)
        }
    };
}

/// Declares a loop that copies with non-temporal stores, with the line `$move`.
macro_rules! copy_streams {
    ($name:ident, $move:ident) => {
        #[inline(never)]
        pub(super) unsafe fn $name(
            dst: *mut u8,
            src: *const u8,
            bytes: usize,
            passes: u64,
            _: u64,
        ) -> u64 {
            const { assert!(GRAIN.is_multiple_of(BODY)) };
            let quarter = bytes / 4;
            // SAFETY: reads `bytes` bytes from `src` and writes as many to `dst`, which the caller
            // of `Shape::run` vouches for. All registers are declared.
            unsafe {
                asm!(
                    "2:",
                    "mov {at}, {src}",
                    "mov {to}, {dst}",
                    ".p2align 6",
                    "3:",
                    four!($move),
                    "add {at}, 128",
                    "add {to}, 128",
                    "cmp {at}, {end}",
                    "jne 3b",
                    "dec {passes}",
                    "jnz 2b",
                    "vzeroupper",
                    "sfence",
                    at = out(reg) _,
                    to = out(reg) _,
                    src = in(reg) src,
                    dst = in(reg) dst,
                    end = in(reg) src.wrapping_add(quarter),
                    quarter = in(reg) quarter,
                    three = in(reg) 3 * quarter,
                    passes = inout(reg) passes => _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                    options(nostack),
                );
            }
            0
        }
    };
}

read_streams!(
    read_avx,
    read_ymm,
    "vmovdqu ymmword ptr [{sums}], ymm0
     vmovdqu ymmword ptr [{sums} + 32], ymm1
     vmovdqu ymmword ptr [{sums} + 64], ymm2
     vmovdqu ymmword ptr [{sums} + 96], ymm3"
);
read_streams!(
    read_avx512,
    read_zmm,
    "vmovdqu64 zmmword ptr [{sums}], zmm0
     vmovdqu64 zmmword ptr [{sums} + 64], zmm1"
);
copy_streams!(copy_avx, copy_ymm);
copy_streams!(copy_avx512, copy_zmm);
