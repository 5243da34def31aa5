//! The mixes as the compiler makes them, over volatile accesses.

use super::{LINE, Shape};

unsafe fn mix<const READS: usize>(block: *mut u8, bytes: usize, passes: u64, fill: u64) -> u64 {
    let words = block.cast::<u64>();
    let mut sum = 0_u64;
    for _ in 0..passes {
        for line in 0..bytes / LINE {
            for word in line * LINE / 8..(line + 1) * LINE / 8 {
                // SAFETY: inside the block that the caller of `Shape::run` vouches for.
                unsafe {
                    sum = sum.wrapping_add(words.add(word).read_volatile());
                    if line.is_multiple_of(READS) {
                        words.add(word).write_volatile(fill);
                    }
                }
            }
        }
    }
    sum
}

const fn portable(reads: u32, kernel: super::Kernel) -> Shape {
    Shape {
        name: "portable",
        reads,
        width: 8,
        available: || true,
        kernel,
    }
}

pub(super) static MIXES: &[Shape] = &[
    portable(1, mix::<1>),
    portable(2, mix::<2>),
    portable(3, mix::<3>),
];
