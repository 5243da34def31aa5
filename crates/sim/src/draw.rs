//! Seeded choices.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A number below `limit`, each about as likely.
pub(crate) fn below(rng: &mut Xoshiro256PlusPlus, limit: u64) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(limit)) >> 64) as u64
}

/// One cycle through `count` places in random order, by Sattolo's algorithm (1986): the successor of each.
pub(crate) fn cycle(count: u32, seed: u64) -> Vec<u32> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut next: Vec<u32> = (0..count).collect();
    for at in (1..next.len()).rev() {
        next.swap(at, below(&mut rng, at as u64) as usize);
    }
    next
}

/// The numbers below a power of two in random order, each computed when it is asked for: a Feistel network of four rounds.
#[derive(Debug, Clone)]
pub(crate) struct Shuffled {
    bits: u32,
    keys: [u64; 4],
}

impl Shuffled {
    /// The numbers of `bits` bits, 2 to 31.
    pub(crate) fn new(bits: u32, seed: u64) -> Shuffled {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        Shuffled {
            bits,
            keys: [0; 4].map(|_: u64| rng.next_u64()),
        }
    }

    /// How many numbers there are.
    pub(crate) fn len(&self) -> u32 {
        1 << self.bits
    }

    /// The number at a place.
    pub(crate) fn at(&self, place: u32) -> u32 {
        // Halves of unequal width for odd numbers of bits; they change places after each round.
        let (mut wide, mut narrow) = (self.bits.div_ceil(2), self.bits / 2);
        let (mut upper, mut lower) = (place >> narrow, place & ((1 << narrow) - 1));
        for key in self.keys {
            // SplitMix64's finalizer.
            let mut mixed = u64::from(lower) ^ key;
            mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            let turned = upper ^ (mixed >> 32) as u32 & ((1 << wide) - 1);
            (upper, lower) = (lower, turned);
            (wide, narrow) = (narrow, wide);
        }
        upper << narrow | lower
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_once() {
        for bits in [2, 7, 10, 13] {
            let shuffled = Shuffled::new(bits, 9);
            let mut all: Vec<u32> = (0..shuffled.len()).map(|at| shuffled.at(at)).collect();
            assert!(all.windows(2).any(|w| w[1] != w[0] + 1), "{bits}");
            all.sort_unstable();
            assert!(all.into_iter().eq(0..1 << bits), "{bits}");
        }
    }

    #[test]
    fn one_cycle_meets_every_place() {
        let next = cycle(1000, 4);
        let (mut at, mut steps) = (next[0], 1);
        while at != 0 {
            (at, steps) = (next[at as usize], steps + 1);
        }
        assert_eq!(steps, 1000);
    }
}
