//! Pointer chains: every line holds the address of the next, so that a load cannot start before
//! the one before it has ended.
#![allow(unsafe_code)]

use rand_xoshiro::rand_core::Rng;

use crate::bench::shuffle;
use crate::buffer::Buffer;
use crate::probe::Stop;

/// One cycle through places of a buffer.
#[derive(Debug)]
pub struct Chain {
    buffer: Buffer,
    /// Offsets in the order of the cycle.
    order: Vec<u32>,
    /// Bytes between two neighbouring offsets, by which `order` is scaled.
    grain: usize,
}

impl Chain {
    /// One cycle over all lines of the buffer in random order.
    ///
    /// # Errors
    /// When the buffer has fewer than two lines, or more than 2^32.
    pub fn random(buffer: Buffer, line: usize, rng: &mut impl Rng) -> Result<Chain, Stop> {
        let mut order = places(&buffer, line)?;
        shuffle(&mut order, rng);
        Ok(Chain::link(buffer, order, line))
    }

    /// Forward through the buffer, `stride` bytes at a time, then back to its start.
    ///
    /// # Errors
    /// As for [`Chain::random`].
    pub fn forward(buffer: Buffer, stride: usize) -> Result<Chain, Stop> {
        let order = places(&buffer, stride)?;
        Ok(Chain::link(buffer, order, stride))
    }

    /// One cycle over the given offsets, in that order; each is `grain` times an entry of `order`.
    ///
    /// # Errors
    /// When an offset lies outside of the buffer.
    pub fn over(buffer: Buffer, order: Vec<u32>, grain: usize) -> Result<Chain, Stop> {
        let fits = |&place: &u32| (place as usize * grain) + size_of::<usize>() <= buffer.len();
        if order.is_empty() || !order.iter().all(fits) {
            return Err(Stop::Refused("a chain leaves its buffer".into()));
        }
        Ok(Chain::link(buffer, order, grain))
    }

    fn link(buffer: Buffer, order: Vec<u32>, grain: usize) -> Chain {
        let start = buffer.start();
        let at = |place: u32| start.wrapping_add(place as usize * grain);
        for (i, &place) in order.iter().enumerate() {
            let next = at(order[(i + 1) % order.len()]);
            // SAFETY: every place lies inside the buffer (`places`, `over`), which is ours alone;
            // grains are multiples of 8 or the write is unaligned by design, hence the method.
            unsafe { at(place).cast::<*mut u8>().write_unaligned(next) };
        }
        Chain {
            buffer,
            order,
            grain,
        }
    }

    /// Loads in the whole cycle.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Is it of no length? A chain never is.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Where the cycle begins.
    pub fn start(&self) -> *const u8 {
        self.place(0)
    }

    /// `count` places spread evenly over the cycle, so that chains followed from them stay apart.
    pub fn spread(&self, count: usize) -> Vec<*const u8> {
        (0..count)
            .map(|i| self.place(i * self.order.len() / count))
            .collect()
    }

    fn place(&self, index: usize) -> *const u8 {
        self.buffer
            .start()
            .wrapping_add(self.order[index] as usize * self.grain)
    }

    /// Walks the whole cycle the slow way and counts the places: proof that it is one cycle.
    pub fn count(&self) -> usize {
        let start = self.start();
        let mut at = start;
        let mut count = 0;
        while count <= self.order.len() {
            // SAFETY: `at` is a place of this chain, which holds the address of another.
            at = unsafe { at.cast::<*const u8>().read_unaligned() };
            count += 1;
            if at == start {
                break;
            }
        }
        count
    }
}

/// Numbers of the `grain`-sized places in the buffer.
fn places(buffer: &Buffer, grain: usize) -> Result<Vec<u32>, Stop> {
    let count = buffer.len() / grain.max(1);
    match u32::try_from(count) {
        Ok(count) if count >= 2 => Ok((0..count).collect()),
        _ => Err(Stop::Unavailable(format!(
            "no chain of {count} places can be made"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Pages;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    #[test]
    fn a_random_chain_is_one_cycle_over_all_lines() {
        for lines in [2usize, 3, 16, 1000] {
            let buffer = Buffer::new(lines * 64, Pages::Small, 128).unwrap();
            let chain =
                Chain::random(buffer, 64, &mut Xoshiro256PlusPlus::seed_from_u64(1)).unwrap();
            assert_eq!((chain.len(), chain.count()), (lines, lines));
        }
    }

    #[test]
    fn a_forward_chain_visits_in_order() {
        let buffer = Buffer::new(4096, Pages::Small, 0).unwrap();
        let chain = Chain::forward(buffer, 16).unwrap();
        assert_eq!((chain.len(), chain.count()), (256, 256));
        let spread = chain.spread(4);
        assert!(spread.windows(2).all(|w| w[1].addr() - w[0].addr() == 1024));
    }

    #[test]
    fn a_chain_outside_its_buffer_is_refused() {
        let buffer = Buffer::new(4096, Pages::Small, 0).unwrap();
        assert!(Chain::over(buffer, vec![0, 64], 64).is_err());
    }
}
