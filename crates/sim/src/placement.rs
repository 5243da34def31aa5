//! Placement of pages: which frame a page gets at its first touch.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::draw::{Shuffled, below};
use crate::error::SimError;
use crate::index::Colors;

/// How frames are chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Policy {
    /// The page's own number: caches indexed by the addresses of the program.
    Virtual,
    /// One frame after another, in the order of first touches: a freshly booted machine.
    Sequential,
    /// As a kernel without colors gives them: so many percent of the pages lie in holes that others left, anywhere in
    /// memory, and the others one after another in free blocks of [`BLOCK`] frames. 0 is a fresh machine with its free blocks
    /// in any order, 100 is [`Policy::Random`].
    Stock(u32),
    /// Any free frame: memory that is aged through and through.
    Random,
    /// A frame of the color of the page's number, from a start drawn for the process: page coloring.
    Colored,
    /// A frame of the next color at each first touch, from a start drawn for the process: bin hopping.
    Hopping,
    /// Frames in whole huge pages, each of them anywhere.
    Huge,
    /// Colors as often as they were counted, in random order; any frame of a color.
    Counted(Vec<u32>),
}

/// Frames of the simulated memory, log2: 64 GiB of 4 KiB.
const FRAMES_LOG2: u32 = 24;

/// Pages of a huge page, log2.
pub(crate) const HUGE_LOG2: u32 = 9;

/// Frames of the largest free block of Linux's allocator on most architectures, log2.
const BLOCK_LOG2: u32 = 10;

/// Frames of a free block.
pub const BLOCK: u32 = 1 << BLOCK_LOG2;

/// Random frames that are looked at for one of a wanted color before that color counts as used up: hundreds of colors are
/// found within thousands.
const LOOKS: u32 = 1 << 16;

/// Pages of a chunk of the table.
const CHUNK: usize = 1 << 10;

/// No frame yet.
const NONE: u32 = u32::MAX;

/// Frames of the pages that were touched.
#[derive(Debug, Clone)]
pub(crate) struct PageTable {
    policy: Policy,
    colors: Colors,
    /// Frames by page, in chunks that appear with their first page.
    chunks: Vec<Vec<u32>>,
    /// Frames that were handed out, in an order without repetition.
    shuffled: Shuffled,
    next: u32,
    /// Frames found on the way to one of another color, by their own.
    aside: Vec<Vec<u32>>,
    rng: Xoshiro256PlusPlus,
    turn: u32,
    /// The next frame of the free block that is handed out, and its end.
    block: (u32, u32),
    /// Blocks in any order, and how many were handed out whole.
    blocks: (Shuffled, u32),
}

impl PageTable {
    /// An empty table; `colors` are those of the cache that pages are placed for.
    pub(crate) fn new(policy: Policy, colors: Colors, seed: u64) -> PageTable {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let bits = match policy {
            Policy::Huge => FRAMES_LOG2 - HUGE_LOG2,
            _ => FRAMES_LOG2,
        };
        let turn = below(&mut rng, u64::from(colors.count())) as u32;
        PageTable {
            aside: vec![Vec::new(); colors.count() as usize],
            shuffled: Shuffled::new(bits, rng.next_u64()),
            chunks: Vec::new(),
            policy,
            colors,
            next: 0,
            blocks: (Shuffled::new(FRAMES_LOG2 - BLOCK_LOG2, rng.next_u64()), 0),
            block: (0, 0),
            rng,
            turn,
        }
    }

    /// The frame of a page.
    ///
    /// # Errors
    /// When no frame is left.
    #[inline(always)]
    pub(crate) fn frame(&mut self, page: u32) -> Result<u32, SimError> {
        let known = self.chunks.get(page as usize / CHUNK);
        match known.and_then(|chunk| chunk.get(page as usize % CHUNK)) {
            Some(&frame) if frame != NONE => Ok(frame),
            _ => self.touch(page),
        }
    }

    #[cold]
    fn touch(&mut self, page: u32) -> Result<u32, SimError> {
        let frame = match &self.policy {
            Policy::Virtual => page,
            Policy::Sequential => self.count_up(1 << FRAMES_LOG2)?,
            Policy::Random => self.any()?,
            Policy::Huge => return self.touch_huge(page),
            &Policy::Stock(age) => self.stock(age)?,
            Policy::Colored => {
                let color = page.wrapping_add(self.turn) % self.colors.count();
                self.of_color(color)?
            }
            Policy::Hopping => {
                self.turn = (self.turn + 1) % self.colors.count();
                self.of_color(self.turn)?
            }
            Policy::Counted(counts) => {
                let color = drawn(counts, &mut self.rng) % self.colors.count();
                self.of_color(color)?
            }
        };
        self.set(page, frame);
        Ok(frame)
    }

    fn touch_huge(&mut self, page: u32) -> Result<u32, SimError> {
        let first = self.any()? << HUGE_LOG2;
        let start = page >> HUGE_LOG2 << HUGE_LOG2;
        for at in 0..1 << HUGE_LOG2 {
            self.set(start + at, first + at);
        }
        Ok(first + (page - start))
    }

    fn set(&mut self, page: u32, frame: u32) {
        let chunk = page as usize / CHUNK;
        if self.chunks.len() <= chunk {
            self.chunks.resize(chunk + 1, Vec::new());
        }
        if self.chunks[chunk].is_empty() {
            self.chunks[chunk] = vec![NONE; CHUNK];
        }
        self.chunks[chunk][page as usize % CHUNK] = frame;
    }

    fn count_up(&mut self, most: u32) -> Result<u32, SimError> {
        if self.next >= most {
            return Err(SimError::Memory { most });
        }
        self.next += 1;
        Ok(self.next - 1)
    }

    /// Any frame that was not handed out.
    fn any(&mut self) -> Result<u32, SimError> {
        let at = self.count_up(self.shuffled.len())?;
        Ok(self.shuffled.at(at))
    }

    /// A hole or the next frame of a free block. The upper half of each kind of frame is the other's, so that none meets.
    fn stock(&mut self, age: u32) -> Result<u32, SimError> {
        if below(&mut self.rng, 100) < u64::from(age) {
            loop {
                let hole = self.any()?;
                if hole >> (FRAMES_LOG2 - 1) == 1 {
                    return Ok(hole);
                }
            }
        }
        while self.block.0 == self.block.1 {
            let (blocks, taken) = &mut self.blocks;
            if *taken >= blocks.len() {
                return Err(SimError::Memory {
                    most: 1 << (FRAMES_LOG2 - 1),
                });
            }
            let first = blocks.at(*taken) << BLOCK_LOG2;
            *taken += 1;
            if first >> (FRAMES_LOG2 - 1) == 0 {
                self.block = (first, first + BLOCK);
            }
        }
        self.block.0 += 1;
        Ok(self.block.0 - 1)
    }

    /// Any free frame of a color; where there is none, any frame at all, as a kernel falls back.
    fn of_color(&mut self, color: u32) -> Result<u32, SimError> {
        if let Some(frame) = self.aside[color as usize].pop() {
            return Ok(frame);
        }
        for _ in 0..LOOKS {
            let frame = self.any()?;
            let own = self.colors.of(frame);
            if own == color {
                return Ok(frame);
            }
            self.aside[own as usize].push(frame);
        }
        self.any()
    }
}

/// A color, each as likely as it was counted.
fn drawn(counts: &[u32], rng: &mut Xoshiro256PlusPlus) -> u32 {
    let all: u64 = counts.iter().copied().map(u64::from).sum();
    let mut left = below(rng, all.max(1));
    for (color, &count) in (0u32..).zip(counts) {
        if left < u64::from(count) {
            return color;
        }
        left -= u64::from(count);
    }
    0
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::index::{Index, IndexKind, folded};

    fn colors(hashed: bool) -> Colors {
        let kind = match hashed {
            true => IndexKind::Hashed(folded(1024)),
            false => IndexKind::Linear,
        };
        Colors::new(Index::new(&kind, 1024).unwrap(), 6)
    }

    fn frames(policy: Policy, hashed: bool, seed: u64) -> Vec<u32> {
        let mut table = PageTable::new(policy, colors(hashed), seed);
        (0..2048).map(|page| table.frame(page).unwrap()).collect()
    }

    /// Pages of each color among the first `pages`.
    fn counted(frames: &[u32], hashed: bool) -> Vec<usize> {
        let colors = colors(hashed);
        let mut counts = vec![0; colors.count() as usize];
        for frame in frames {
            counts[colors.of(*frame) as usize] += 1;
        }
        counts
    }

    #[test]
    fn a_frame_belongs_to_one_page_and_stays_with_it() {
        for policy in [
            Policy::Virtual,
            Policy::Sequential,
            Policy::Random,
            Policy::Colored,
            Policy::Hopping,
            Policy::Huge,
            Policy::Stock(0),
            Policy::Stock(40),
            Policy::Stock(100),
            Policy::Counted(vec![1, 2, 3]),
        ] {
            let mut table = PageTable::new(policy.clone(), colors(false), 7);
            let first: Vec<u32> = (0..2048).map(|page| table.frame(page).unwrap()).collect();
            let again: Vec<u32> = (0..2048).map(|page| table.frame(page).unwrap()).collect();
            assert_eq!(first, again, "{policy:?}");
            let distinct: BTreeSet<u32> = first.iter().copied().collect();
            assert_eq!(distinct.len(), first.len(), "{policy:?}");
        }
    }

    #[test]
    fn colored_pages_are_spread_evenly_and_random_ones_are_not() {
        for hashed in [false, true] {
            for policy in [Policy::Colored, Policy::Hopping] {
                let even = counted(&frames(policy, hashed, 3)[..256], hashed);
                assert_eq!(even, [16; 16], "{hashed}");
            }
            let random = counted(&frames(Policy::Random, hashed, 3)[..256], hashed);
            assert!(random.iter().any(|count| *count != 16), "{random:?}");
        }
    }

    #[test]
    fn huge_pages_are_contiguous_and_counted_colors_are_kept() {
        let huge = frames(Policy::Huge, false, 1);
        assert!(
            huge.chunks(512)
                .all(|run| run.windows(2).all(|w| w[1] == w[0] + 1))
        );
        assert!(huge.iter().step_by(512).all(|first| first % 512 == 0));
        let mut counts = vec![0; 16];
        (counts[2], counts[5]) = (3, 1);
        let found = counted(&frames(Policy::Counted(counts), false, 1), false);
        assert_eq!(found[2] + found[5], 2048);
        // 1,536 expected, standard deviation 20.
        assert!((1436..1636).contains(&found[2]), "{found:?}");
    }

    #[test]
    fn age_is_the_share_of_pages_in_holes() {
        for (age, wanted) in [(0, 0..1), (30, 500..730), (100, 2040..2049)] {
            let frames = frames(Policy::Stock(age), false, 2);
            let jumps = frames
                .iter()
                .zip(&frames[1..])
                .filter(|(one, next)| **next != *one + 1);
            let holes = frames
                .iter()
                .filter(|frame| **frame >> (FRAMES_LOG2 - 1) == 1)
                .count();
            assert!(wanted.contains(&holes), "{age}: {holes}");
            // The end of a hole or block: two for each hole between others, one for each block.
            assert!(jumps.count() >= holes.clamp(1, 2047), "{age}");
        }
    }

    #[test]
    fn another_seed_is_another_placement() {
        assert_eq!(
            frames(Policy::Random, false, 5),
            frames(Policy::Random, false, 5)
        );
        assert_ne!(
            frames(Policy::Random, false, 5),
            frames(Policy::Random, false, 6)
        );
    }
}
