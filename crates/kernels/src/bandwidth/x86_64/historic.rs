//! Loops of the register sets that RAMspeed knows and nothing since copies memory with: x87 and MMX.
//!
//! An x87 load leaves nothing behind that could be summed up at the speed of loading, so the shape
//! `x87` returns no checksum; that it covers its block is held by the test that decodes it. It
//! converts each double to 80 bits: memory that is read must hold ordinary numbers, because some cores
//! take a hundred times longer for subnormal ones.

use super::unroll::lines;
use crate::bandwidth::{GRAIN, Op, Shape};
use std::arch::asm;

/// Declares the loop `$name`: `$n` times the line `$line` make the body of `$bytes` bytes, between
/// `$start` and `$end`.
macro_rules! historic_loop {
    ($name:ident, $start:expr, $n:tt $line:ident covers $bytes:literal, $end:expr) => {
        #[inline(never)]
        unsafe fn $name(dst: *mut u8, src: *const u8, bytes: usize, passes: u64, fill: u64) -> u64 {
            const { assert!(GRAIN.is_multiple_of($bytes)) };
            let mut sums = [0_u64; 16];
            // Readers walk through the source, writers through the destination.
            let block = if dst.is_null() { src } else { dst };
            // SAFETY: reads or writes `bytes` bytes of the block, for which the caller of
            // `Shape::run` vouches, and at most 128 bytes of `sums`. All registers are declared, and
            // the x87 stack is empty at the end as it was at the start.
            unsafe {
                asm!(
                    $start,
                    "2:",
                    "mov {at}, {block}",
                    ".p2align 6",
                    "3:",
                    lines!($n $line),
                    concat!("add {at}, ", $bytes),
                    "cmp {at}, {end}",
                    "jne 3b",
                    "dec {passes}",
                    "jnz 2b",
                    $end,
                    "/* {sums} {fill} */",
                    at = out(reg) _,
                    block = in(reg) block,
                    end = in(reg) block.wrapping_add(bytes),
                    passes = inout(reg) passes => _,
                    sums = in(reg) sums.as_mut_ptr(),
                    fill = in(reg) &fill,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                    out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                    out("mm0") _, out("mm1") _, out("mm2") _, out("mm3") _,
                    out("mm4") _, out("mm5") _, out("mm6") _, out("mm7") _,
                    out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                    out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
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
    macro_rules! load_x87 { ($i:literal $v:literal $g:literal) => { concat!("fld qword ptr [{at} + 8*", $i, "]\nfstp st(0)\n") } }
    macro_rules! store_x87 { ($i:literal $v:literal $g:literal) => { concat!("fst qword ptr [{at} + 8*", $i, "]\n") } }

    macro_rules! zero_mmx { ($i:literal $v:literal $g:literal) => { concat!("pxor mm", $v, ", mm", $v, "\n") } }
    macro_rules! save_mmx { ($i:literal $v:literal $g:literal) => { concat!("movq qword ptr [{sums} + 8*", $i, "], mm", $v, "\n") } }
    macro_rules! add_mmx { ($i:literal $v:literal $g:literal) => { concat!("paddq mm", $v, ", qword ptr [{at} + 8*", $i, "]\n") } }
    macro_rules! ahead_mmx { ($i:literal $v:literal $g:literal) => { concat!(
        "prefetchnta byte ptr [{at} + 4096 + 64*", $i, "]\n",
        "paddq mm0, qword ptr [{at} + 64*", $i, "]\npaddq mm1, qword ptr [{at} + 64*", $i, " + 8]\n",
        "paddq mm2, qword ptr [{at} + 64*", $i, " + 16]\npaddq mm3, qword ptr [{at} + 64*", $i, " + 24]\n",
        "paddq mm4, qword ptr [{at} + 64*", $i, " + 32]\npaddq mm5, qword ptr [{at} + 64*", $i, " + 40]\n",
        "paddq mm6, qword ptr [{at} + 64*", $i, " + 48]\npaddq mm7, qword ptr [{at} + 64*", $i, " + 56]\n") } }
    macro_rules! mov_mmx { ($i:literal $v:literal $g:literal) => { concat!("movq qword ptr [{at} + 8*", $i, "], mm0\n") } }
    macro_rules! nt_mmx { ($i:literal $v:literal $g:literal) => { concat!("movntq qword ptr [{at} + 8*", $i, "], mm0\n") } }

    macro_rules! zero_xmm { ($i:literal $v:literal $g:literal) => { concat!("pxor xmm", $v, ", xmm", $v, "\n") } }
    macro_rules! save_xmm { ($i:literal $v:literal $g:literal) => { concat!("movdqu xmmword ptr [{sums} + 16*", $i, "], xmm", $v, "\n") } }
    macro_rules! ahead_xmm { ($i:literal $v:literal $g:literal) => { concat!(
        "prefetchnta byte ptr [{at} + 4096 + 64*", $i, "]\n",
        "paddq xmm0, xmmword ptr [{at} + 64*", $i, "]\npaddq xmm1, xmmword ptr [{at} + 64*", $i, " + 16]\n",
        "paddq xmm2, xmmword ptr [{at} + 64*", $i, " + 32]\npaddq xmm3, xmmword ptr [{at} + 64*", $i, " + 48]\n") } }
}

historic_loop!(read_x87, "", 32 load_x87 covers 256, "");
historic_loop!(write_x87, "fld qword ptr [{fill}]", 32 store_x87 covers 256, "fstp st(0)");
historic_loop!(read_mmx, lines!(8 zero_mmx), 32 add_mmx covers 256, concat!(lines!(8 save_mmx), "emms"));
historic_loop!(ahead_mmx, lines!(8 zero_mmx), 4 ahead_mmx covers 256, concat!(lines!(8 save_mmx), "emms"));
historic_loop!(write_mmx, "movq mm0, qword ptr [{fill}]", 32 mov_mmx covers 256, "emms");
historic_loop!(nt_mmx, "movq mm0, qword ptr [{fill}]", 32 nt_mmx covers 256, "sfence\nemms");
historic_loop!(ahead_sse2, lines!(4 zero_xmm), 4 ahead_xmm covers 256, lines!(4 save_xmm));

const fn shape(name: &'static str, op: Op, width: u32, kernel: crate::bandwidth::Kernel) -> Shape {
    Shape {
        name,
        op,
        width,
        non_temporal: false,
        summary: "",
        // No core completes more loads of these kinds than of ordinary ones: four; nor stores: two.
        per_cycle: Some(match op {
            Op::Read => 4,
            _ => 2,
        }),
        available: || true,
        kernel,
    }
}

pub(in crate::bandwidth) static HISTORIC: &[Shape] = &[
    Shape {
        summary: "64-bit x87 loads, each converted to 80 bits and dropped",
        ..shape("x87", Op::Read, 8, read_x87)
    },
    Shape {
        summary: "64-bit x87 stores",
        ..shape("x87", Op::Write, 8, write_x87)
    },
    Shape {
        summary: "64-bit MMX loads",
        ..shape("mmx", Op::Read, 8, read_mmx)
    },
    Shape {
        summary: "64-bit MMX loads, lines prefetched 4 KiB ahead",
        ..shape("mmx-prefetch", Op::Read, 8, ahead_mmx)
    },
    Shape {
        summary: "64-bit MMX stores",
        ..shape("mmx", Op::Write, 8, write_mmx)
    },
    Shape {
        summary: "64-bit MMX non-temporal stores",
        non_temporal: true,
        per_cycle: None,
        ..shape("nt-mmx", Op::Write, 8, nt_mmx)
    },
    Shape {
        summary: "128-bit loads, lines prefetched 4 KiB ahead",
        ..shape("sse2-prefetch", Op::Read, 16, ahead_sse2)
    },
];
