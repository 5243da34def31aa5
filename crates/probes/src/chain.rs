//! Pointer chains: every line holds the address of the next, so each load depends on the previous
//! one.
#![allow(unsafe_code)]

use rand_xoshiro::rand_core::Rng;

use crate::bench::{below, shuffle};
use crate::buffer::Buffer;
use crate::stop::Stop;

/// One cycle through locations in a buffer.
#[derive(Debug)]
pub struct Chain {
    buffer: Buffer,
    /// A location in the cycle.
    first: usize,
    /// Number of locations.
    len: usize,
}

impl Chain {
    /// One cycle over all lines of the buffer in random order.
    ///
    /// The permutation is Sattolo's ("An algorithm to generate a random cyclic permutation", 1986),
    /// which gives each location's successor directly. The lines are then written in address order,
    /// which for large buffers is several times faster than cycle order.
    ///
    /// # Errors
    /// When the buffer has fewer than two lines, or more than 2^32.
    pub fn random(buffer: Buffer, line: usize, rng: &mut impl Rng) -> Result<Chain, Stop> {
        let count = places(&buffer, line)?;
        let mut next: Vec<u32> = (0..count).collect();
        for i in (1..next.len()).rev() {
            next.swap(i, below(rng, i as u64) as usize);
        }
        Ok(Chain::following(buffer, line, &next))
    }

    /// As [`Chain::random`], with `count` locations spread evenly over the cycle, so that chains started there stay apart.
    ///
    /// The order of the cycle is drawn, from which both the locations and each line's successor follow: to find such
    /// locations in a cycle of successors takes one dependent load a line.
    ///
    /// # Errors
    /// As for [`Chain::random`].
    pub fn marked(
        buffer: Buffer,
        line: usize,
        count: usize,
        rng: &mut impl Rng,
    ) -> Result<(Chain, Vec<*const u8>), Stop> {
        let mut order: Vec<u32> = (0..places(&buffer, line)?).collect();
        shuffle(&mut order, rng);
        let mut next = vec![0; order.len()];
        for (i, &place) in order.iter().enumerate() {
            next[place as usize] = order[(i + 1) % order.len()];
        }
        let every = |mark: usize| order[mark * order.len() / count] as usize * line;
        let marks = (0..count.min(order.len())).map(every);
        let marks = marks.map(|at| buffer.start().wrapping_add(at).cast_const());
        let marks = marks.collect();
        Ok((Chain::following(buffer, line, &next), marks))
    }

    /// Links each line to its successor.
    fn following(buffer: Buffer, line: usize, next: &[u32]) -> Chain {
        for (place, &next) in next.iter().enumerate() {
            link(&buffer, place * line, next as usize * line);
        }
        Chain {
            buffer,
            first: 0,
            len: next.len(),
        }
    }

    /// Forward through the buffer in steps of `stride` bytes, then back to the start.
    ///
    /// # Errors
    /// As for [`Chain::random`].
    pub fn forward(buffer: Buffer, stride: usize) -> Result<Chain, Stop> {
        let count = places(&buffer, stride)? as usize;
        for place in 0..count {
            link(&buffer, place * stride, (place + 1) % count * stride);
        }
        Ok(Chain {
            buffer,
            first: 0,
            len: count,
        })
    }

    /// One cycle over the given offsets in bytes, in that order.
    ///
    /// # Errors
    /// When there are none, or one lies outside the buffer.
    pub fn over(buffer: Buffer, offsets: &[usize]) -> Result<Chain, Stop> {
        let room = buffer.len().saturating_sub(size_of::<usize>());
        let (Some(&first), true) = (offsets.first(), offsets.iter().all(|&o| o <= room)) else {
            return Err(Stop::Refused("a chain leaves its buffer".into()));
        };
        for (i, &at) in offsets.iter().enumerate() {
            link(&buffer, at, offsets[(i + 1) % offsets.len()]);
        }
        Ok(Chain {
            buffer,
            first,
            len: offsets.len(),
        })
    }

    /// Its memory, for another chain.
    pub fn into_buffer(self) -> Buffer {
        self.buffer
    }

    /// Loads in the whole cycle.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Always false: a chain is never empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A location in the cycle.
    pub fn start(&self) -> *const u8 {
        self.buffer.start().wrapping_add(self.first)
    }

    /// Walks the whole cycle and counts the locations, to prove that it is one cycle.
    pub fn count(&self) -> usize {
        let start = self.start();
        // SAFETY: `start` and its successors are locations of this chain.
        let mut at = unsafe { self.after(start) };
        let mut count = 1;
        while at != start && count <= self.len {
            // SAFETY: as above.
            at = unsafe { self.after(at) };
            count += 1;
        }
        count
    }

    /// The location after `at`.
    ///
    /// # Safety
    /// `at` is a location in this chain.
    unsafe fn after(&self, at: *const u8) -> *const u8 {
        // SAFETY: a location that `link` wrote, by contract.
        unsafe { at.cast::<*const u8>().read_unaligned() }
    }
}

/// Writes the address of `to` at `from`, both in bytes from the buffer's start.
fn link(buffer: &Buffer, from: usize, to: usize) {
    debug_assert!(from.max(to) + size_of::<usize>() <= buffer.len());
    let next = buffer.start().wrapping_add(to);
    // SAFETY: the callers derive `from` from the buffer's length, so it is in bounds, and they own
    // the buffer. Offsets need not be aligned, hence `write_unaligned`.
    unsafe {
        buffer
            .start()
            .wrapping_add(from)
            .cast::<*mut u8>()
            .write_unaligned(next);
    }
}

/// How many `grain`-sized locations the buffer has.
fn places(buffer: &Buffer, grain: usize) -> Result<u32, Stop> {
    let count = if grain < size_of::<usize>() {
        0
    } else {
        buffer.len() / grain
    };
    match u32::try_from(count) {
        Ok(count) if count >= 2 => Ok(count),
        _ => Err(Stop::Unavailable(format!(
            "cannot build a chain of {count} elements"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Pages;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    fn random(lines: usize, seed: u64) -> Chain {
        let buffer = Buffer::new(lines * 64, Pages::Small, 128).unwrap();
        Chain::random(buffer, 64, &mut Xoshiro256PlusPlus::seed_from_u64(seed)).unwrap()
    }

    #[test]
    fn a_random_chain_is_one_cycle_over_all_lines() {
        for lines in [2usize, 3, 16, 1000] {
            let chain = random(lines, 1);
            assert_eq!((chain.len(), chain.count()), (lines, lines));
        }
    }

    /// The offsets of the cycle, from its first location on.
    fn offsets(chain: &Chain) -> Vec<usize> {
        let start = chain.start();
        let follow = |at: &*const u8| {
            // SAFETY: `start` and its successors are locations of this chain.
            Some(unsafe { chain.after(*at) })
        };
        let all = std::iter::successors(Some(start), follow).take(chain.len());
        all.map(|at| at.addr() - start.addr()).collect()
    }

    /// All six cycles over four elements are about equally frequent.
    #[test]
    fn every_cycle_is_as_likely_as_any() {
        let marked = |seed| {
            let buffer = Buffer::new(4 * 64, Pages::Small, 128).unwrap();
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            Chain::marked(buffer, 64, 4, &mut rng).unwrap().0
        };
        for made in [|seed| random(4, seed), marked] as [fn(u64) -> Chain; 2] {
            let mut seen = std::collections::BTreeMap::new();
            for seed in 0..600 {
                *seen.entry(offsets(&made(seed))).or_insert(0) += 1;
            }
            assert_eq!(seen.len(), 6, "{seen:?}");
            // Expected 100, standard deviation 9; the limits are five sigma.
            assert!(seen.values().all(|n| (55..=145).contains(n)), "{seen:?}");
        }
    }

    #[test]
    fn marks_are_spread_evenly_over_the_cycle() {
        let buffer = Buffer::new(1000 * 64, Pages::Small, 128).unwrap();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
        let (chain, marks) = Chain::marked(buffer, 64, 10, &mut rng).unwrap();
        assert_eq!(chain.count(), 1000);
        let cycle = offsets(&chain);
        let at = |mark: &*const u8| {
            let offset = mark.addr() - chain.start().addr();
            cycle.iter().position(|at| *at == offset).unwrap()
        };
        let at: Vec<usize> = marks.iter().map(at).collect();
        let apart = at.windows(2).map(|w| (w[1] + 1000 - w[0]) % 1000);
        assert_eq!(apart.collect::<Vec<_>>(), [100; 9]);
    }

    #[test]
    fn a_forward_chain_visits_in_order() {
        let buffer = Buffer::new(4096, Pages::Small, 0).unwrap();
        let chain = Chain::forward(buffer, 16).unwrap();
        assert_eq!((chain.len(), chain.count()), (256, 256));
        let steps = offsets(&chain);
        assert!(steps.windows(2).all(|w| w[1] - w[0] == 16));
    }

    #[test]
    fn a_chain_outside_its_buffer_is_refused() {
        let buffer = || Buffer::new(4096, Pages::Small, 0).unwrap();
        assert!(Chain::over(buffer(), &[0, 4096]).is_err());
        assert!(Chain::over(buffer(), &[0, 4089]).is_err());
        assert!(Chain::over(buffer(), &[]).is_err());
        assert!(Chain::over(buffer(), &[0, 4088]).is_ok());
    }
}
