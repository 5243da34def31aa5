//! Summing memory, as a program does that uses its data.
#![allow(unsafe_code)]

use std::hint::black_box;

use whyslow_kernels::bandwidth::{ALIGN, GRAIN, Op, Shape, shapes};

use crate::buffer::Buffer;
use crate::stop::Stop;

/// Sums memory with the widest loads of the CPU, so that summing is the smallest possible part of
/// the measured time.
#[derive(Debug, Clone, Copy)]
pub struct Sum(&'static Shape);

impl Sum {
    /// The widest loop of this CPU.
    ///
    /// # Errors
    /// When this build has no read loop.
    pub fn widest() -> Result<Sum, Stop> {
        shapes(Op::Read)
            .into_iter()
            .filter(|shape| !shape.non_temporal)
            .max_by_key(|shape| shape.width)
            .map(Sum)
            .ok_or_else(|| Stop::Unavailable("this build has no loop that reads memory".into()))
    }

    /// Sums a buffer of whole grains (multiples of 512 bytes).
    pub fn of(self, buffer: &Buffer) -> u64 {
        self.of_first(buffer, buffer.len())
    }

    /// Sums the first `bytes` bytes of a buffer, or all of it if it is shorter.
    pub fn of_first(self, buffer: &Buffer, bytes: usize) -> u64 {
        let bytes = whole(bytes.min(buffer.len()));
        // SAFETY: the buffer is mapped, written, line-aligned, and borrowed, so not written
        // meanwhile.
        black_box(unsafe {
            self.0
                .run(std::ptr::null_mut(), buffer.start(), bytes, 1, 0)
        })
    }

    /// Sums foreign memory.
    ///
    /// # Safety
    /// `bytes` bytes from `start` on must be valid for reads and must not be written meanwhile.
    pub unsafe fn of_mapped(self, start: *const u8, bytes: usize) -> u64 {
        debug_assert!(start.addr().is_multiple_of(ALIGN));
        // SAFETY: as the caller promises.
        black_box(unsafe { self.0.run(std::ptr::null_mut(), start, whole(bytes), 1, 0) })
    }

    /// The expected sum of `bytes`.
    pub fn expected(self, bytes: &[u8]) -> u64 {
        self.0.expected_checksum(bytes, 1)
    }
}

/// The loops process whole grains.
fn whole(bytes: usize) -> usize {
    bytes / GRAIN * GRAIN
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Pages;

    #[test]
    fn every_byte_counts() {
        let sum = Sum::widest().unwrap();
        let mut buffer = Buffer::new(8 << 10, Pages::Small, 64).unwrap();
        let before = sum.of(&buffer);
        assert_eq!(before, sum.expected(buffer.bytes()));
        for at in [0, 511, 4096, 8191] {
            buffer.bytes()[at] ^= 1;
            assert_ne!(sum.of(&buffer), before, "byte {at}");
            buffer.bytes()[at] ^= 1;
        }
        assert_ne!(sum.of_first(&buffer, 512), before);
    }
}
