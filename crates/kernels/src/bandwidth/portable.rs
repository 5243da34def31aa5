//! The shapes of every architecture without loops of its own: 64-bit volatile accesses.
//!
//! A compiler must perform each volatile access as written, so it can neither fold nor widen the
//! loop. What it places around the accesses is its own affair: these figures depend on it.

use super::{Op, Shape};

/// Words moved in one turn of a loop, so that its counting is a small part.
const UNROLL: usize = 16;

unsafe fn read(_: *mut u8, src: *const u8, bytes: usize, passes: u64, _: u64) -> u64 {
    let words = src.cast::<u64>();
    let mut sums = [0_u64; UNROLL];
    for _ in 0..passes {
        for turn in 0..bytes / (8 * UNROLL) {
            for (lane, sum) in sums.iter_mut().enumerate() {
                // SAFETY: inside the `bytes` bytes that the caller of `Shape::run` vouches for,
                // and aligned, as the block is.
                let word = unsafe { words.add(turn * UNROLL + lane).read_volatile() };
                *sum = sum.wrapping_add(word);
            }
        }
    }
    sums.iter().copied().fold(0, u64::wrapping_add)
}

unsafe fn write(dst: *mut u8, _: *const u8, bytes: usize, passes: u64, fill: u64) -> u64 {
    let words = dst.cast::<u64>();
    for _ in 0..passes {
        for turn in 0..bytes / (8 * UNROLL) {
            for lane in 0..UNROLL {
                // SAFETY: as in `read`.
                unsafe { words.add(turn * UNROLL + lane).write_volatile(fill) };
            }
        }
    }
    0
}

unsafe fn copy(dst: *mut u8, src: *const u8, bytes: usize, passes: u64, _: u64) -> u64 {
    let (from, to) = (src.cast::<u64>(), dst.cast::<u64>());
    for _ in 0..passes {
        for turn in 0..bytes / (8 * UNROLL) {
            for lane in 0..UNROLL {
                let at = turn * UNROLL + lane;
                // SAFETY: as in `read`, for both blocks.
                unsafe { to.add(at).write_volatile(from.add(at).read_volatile()) };
            }
        }
    }
    0
}

const fn portable(op: Op, per_cycle: u32, kernel: super::Kernel) -> Shape {
    Shape {
        name: "portable",
        op,
        width: 8,
        non_temporal: false,
        summary: "64-bit volatile accesses, as the compiler places them",
        per_cycle: Some(per_cycle),
        available: || true,
        kernel,
    }
}

// Accesses a cycle: adjacent words may be paired into one instruction by a core or an assembler,
// so twice the four loads and the two stores that wide cores complete.
pub(super) static READ: &[Shape] = &[portable(Op::Read, 8, read)];
pub(super) static WRITE: &[Shape] = &[portable(Op::Write, 4, write)];
pub(super) static COPY: &[Shape] = &[portable(Op::Copy, 8, copy)];
/// A compiler chooses its registers itself.
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
pub(super) static HISTORIC: &[Shape] = &[];
