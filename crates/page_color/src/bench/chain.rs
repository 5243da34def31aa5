//! Latency: one cycle through all lines in random order.
#![allow(unsafe_code)]

use std::time::Instant;

use rand_xoshiro::rand_core::Rng;
use whyslow_kernels::chase::chase;

use super::sampler::{Sampled, Sampler};
use crate::discovery::below;

/// Bytes of a line.
const LINE: usize = 64;

/// Least loads per sample: 0.1 ms in L2, 5,000 times the clock's resolution, and short enough that some
/// samples are undisturbed.
const LOADS: u64 = 1 << 14;

/// Untimed traversals: the first loads the lines, and without true LRU the others let the replacement state settle.
const ROUNDS: u64 = 6;

/// Time of one load, ns, in `memory`, which is overwritten.
pub(super) fn latency(sampler: &mut Sampler, memory: &mut [u8], rng: &mut impl Rng) -> Sampled {
    let (start, count) = (memory.as_mut_ptr(), memory.len() / LINE);
    // Sattolo's permutation: each element's successor in one cycle.
    let mut next: Vec<u32> = (0..count as u32).collect();
    for i in (1..count).rev() {
        next.swap(i, below(rng, i));
    }
    for (place, next) in next.into_iter().enumerate() {
        let to = start.wrapping_add(next as usize * LINE);
        let at = start.wrapping_add(place * LINE).cast::<*mut u8>();
        // SAFETY: the start of a line of the memory, of which there are `count`.
        unsafe { at.write_unaligned(to) };
    }
    let lines = count as u64;
    // SAFETY: every line points to another of the cycle.
    let mut at = unsafe { chase(start, ROUNDS * lines) };
    let loads = LOADS.next_multiple_of(lines.max(1));
    sampler.middle(|| {
        let begin = Instant::now();
        // SAFETY: as above; `at` is in the cycle.
        at = unsafe { chase(at, loads) };
        begin.elapsed().as_nanos() as f64 / loads as f64
    })
}
