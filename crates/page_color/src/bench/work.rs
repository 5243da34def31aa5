//! Sequential read, and a matrix product.
#![allow(unsafe_code)]

use std::hint::black_box;
use std::io;
use std::time::Instant;

use whyslow_kernels::bandwidth::{Op, Shape, shapes};

use super::odd;
use super::sampler::{Sampled, Sampler};
use crate::arena::{Arena, Kind, page_size};

/// Least bytes read per sample: 0.05 ms at 300 GB/s.
const BYTES: usize = 16 << 20;

/// A block for choosing the shape: beyond L1, within L2.
const TRIAL: usize = 128 << 10;

/// The read loop.
pub(super) struct Reader(&'static Shape);

impl Reader {
    /// The shape that reads a block in L2 fastest on this CPU.
    pub(super) fn fastest(sampler: &mut Sampler) -> io::Result<Reader> {
        let mut block = Arena::touched(TRIAL, Kind::Small)?;
        let mut speed = |shape: &&&'static Shape| {
            let speed = Reader(shape).bandwidth(sampler, block.bytes());
            // Compared as integers, which are totally ordered: MB/s.
            (speed.value * 1e3) as u64
        };
        let shapes = shapes(Op::Read);
        let best = shapes.iter().max_by_key(|shape| speed(shape));
        best.map(|shape| Reader(shape))
            .ok_or_else(|| odd("no read loop for this CPU"))
    }

    /// GB/s in `memory`, of a whole number of grains.
    pub(super) fn bandwidth(&self, sampler: &mut Sampler, memory: &[u8]) -> Sampled {
        let (start, bytes) = (memory.as_ptr(), memory.len());
        let passes = (BYTES / bytes.max(1)).max(1) as u64;
        let read = |passes| {
            // SAFETY: the slice, which is not written meanwhile; a shape checks the grains.
            black_box(unsafe { self.0.run(std::ptr::null_mut(), start, bytes, passes, 0) });
        };
        sampler.middle(|| {
            let begin = Instant::now();
            read(passes);
            (bytes as u64 * passes) as f64 / begin.elapsed().as_nanos() as f64
        })
    }
}

/// Faults in every page of `memory`, which stays unchanged.
pub(super) fn touch(memory: &mut [u8]) {
    for page in memory.chunks_mut(page_size()) {
        let first = &raw mut page[0];
        // SAFETY: a byte of the slice.
        unsafe { first.write_volatile(first.read_volatile()) };
    }
}

/// Rows of the product in a sample.
const ROWS: usize = 2;

/// Numbers in a line of 64 bytes.
const IN_LINE: usize = 64 / size_of::<f64>();

/// Rows and columns of a matrix that fills `bytes`, stored row by row.
///
/// A column goes from row to row in steps of a row's length. A step of an odd number of lines meets every set of a
/// cache, whose sets are a power of two, before it meets one again. A square matrix of 512 KiB has steps of 2 KiB:
/// all lines of a column fall into one set of 32, whatever pages they lie on.
fn shape(bytes: usize) -> (usize, usize) {
    let numbers = bytes / size_of::<f64>();
    // The largest odd number of lines that makes a matrix at least as high as it is wide.
    let lines = (numbers.isqrt() / IN_LINE).max(1);
    let columns = (lines - usize::from(lines.is_multiple_of(2))) * IN_LINE;
    (numbers / columns, columns)
}

/// Time of a row of a matrix product C = A B, us, with B in `memory`: the textbook's
/// three loops, which traverse a column of B for each element of C.
pub(super) fn matrix(sampler: &mut Sampler, memory: &mut [u8]) -> Sampled {
    let (rows, columns) = shape(memory.len());
    let numbers = rows * columns;
    // SAFETY: any bits are numbers.
    let (_, b, _) = unsafe { memory.align_to_mut::<f64>() };
    let b = &mut b[..numbers];
    for (i, b) in b.iter_mut().enumerate() {
        *b = (i % 7) as f64;
    }
    let a: Vec<f64> = (0..rows).map(|k| (k % 5) as f64).collect();
    let mut c = vec![0.0; columns];
    sampler.middle(|| {
        let begin = Instant::now();
        for _ in 0..ROWS {
            for (j, c) in c.iter_mut().enumerate() {
                let column = b[j..].iter().step_by(columns);
                *c = a.iter().zip(column).map(|(a, b)| a * b).sum();
            }
            black_box(&mut c);
        }
        begin.elapsed().as_nanos() as f64 / 1e3 / ROWS as f64
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a column spread over the sets of any cache as evenly as they can, at every size that is measured and
    /// in caches of 128 KiB to 4 MiB.
    #[test]
    fn a_column_of_the_matrix_collides_with_nothing_of_itself() {
        let caches = (17..=22).map(|power| 1 << power);
        for bytes in caches.flat_map(|cache: usize| (4..=24).map(move |part| cache * part / 16)) {
            let (rows, columns) = shape(bytes);
            let used = rows * columns * size_of::<f64>();
            assert!(used <= bytes && used * 100 > bytes * 96, "{bytes}: {used}");
            assert!(rows < 2 * columns && columns < 2 * rows, "{bytes}");
            for sets in [32, 64, 128, 512, 1024, 2048] {
                let mut held = vec![0; sets];
                for row in 0..rows {
                    held[row * columns / IN_LINE % sets] += 1;
                }
                let most = held.into_iter().max().unwrap_or(0);
                assert!(
                    most <= rows.div_ceil(sets),
                    "{bytes}: {most} of {rows} lines in one of {sets} sets"
                );
            }
        }
    }
}
