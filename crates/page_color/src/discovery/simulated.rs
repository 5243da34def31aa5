//! A simulated cache with a known hash.

use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::{Cache, Color, Page, below};

/// Lines of a page.
const LINES: u64 = 64;

/// Lines of a walk, spread over the page.
const SAMPLES: u64 = 16;

/// Replacement policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replacement {
    /// The least recently used line.
    Lru,
    /// The least recently used line, or in one of eight cases the next.
    NearLru,
    /// A random line.
    Random,
}

/// How a physical address maps to a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Index {
    /// The bits above the line.
    Linear,
    /// The color is an exclusive-or of higher bits, and the line index is mixed with more bits, so
    /// that lines of one offset spread over many sets.
    Hashed,
}

/// Disturbances of a walk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Noise {
    /// Interrupted walks per thousand.
    pub(crate) interrupted: u32,
    /// Largest change of a time, percent.
    pub(crate) jitter: u32,
    /// Foreign lines loaded with each traversal.
    pub(crate) foreign: u32,
}

impl Noise {
    pub(crate) const NONE: Noise = Noise {
        interrupted: 0,
        jitter: 0,
        foreign: 0,
    };
}

/// A neighbor that comes and goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bursts {
    /// Ticks for which it is there, and for which it is not.
    pub(crate) there: u64,
    pub(crate) gone: u64,
    /// Foreign lines that come in with each traversal while it is there.
    pub(crate) foreign: u32,
}

/// The cache, with a frame for each page.
pub(crate) struct Simulated {
    pub(crate) colors: u64,
    pub(crate) ways: usize,
    pub(crate) index: Index,
    pub(crate) replacement: Replacement,
    pub(crate) noise: Noise,
    pub(crate) bursts: Option<Bursts>,
    /// Ticks that have passed: a tick is a nanosecond.
    pub(super) passed: u64,
    /// Ticks of a load that hits and that misses.
    pub(crate) ticks: [u32; 2],
    pub(super) frames: Vec<u64>,
    /// The lines of each set, oldest first.
    pub(super) sets: Vec<Vec<u64>>,
    pub(super) rng: Xoshiro256PlusPlus,
}

impl Simulated {
    pub(crate) fn new(colors: u64, ways: usize, pages: usize, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        Simulated {
            colors,
            ways,
            index: Index::Linear,
            replacement: Replacement::Lru,
            noise: Noise::NONE,
            bursts: None,
            passed: 0,
            ticks: [11, 30],
            // 24 bits of frame number, 64 GiB.
            frames: (0..pages).map(|_| rng.next_u64() >> 40).collect(),
            sets: vec![Vec::with_capacity(ways); (colors * LINES) as usize],
            rng,
        }
    }

    /// The color of a page according to the hash.
    pub(crate) fn truth(&self, page: Page) -> Color {
        (self.set(self.frames[page.0 as usize], 0) / LINES) as Color
    }

    fn set(&self, frame: u64, line: u64) -> u64 {
        match self.index {
            Index::Linear => frame % self.colors * LINES + line,
            Index::Hashed => {
                // Colors need not be a power of two for the linear index; here they are.
                let color = (frame ^ frame >> 5 ^ frame >> 11 ^ frame >> 17) % self.colors;
                let mix = (frame >> 3 ^ frame >> 9) % LINES;
                color * LINES + (line ^ mix)
            }
        }
    }

    /// Loads a line; true on a hit.
    fn touch(&mut self, frame: u64, line: u64) -> bool {
        let set = self.set(frame, line) as usize;
        let tag = frame * LINES + line;
        let here = self.sets[set].iter().position(|t| *t == tag);
        if let Some(at) = here {
            self.sets[set].remove(at);
        } else if self.sets[set].len() == self.ways {
            let victim = match self.replacement {
                Replacement::Lru => 0,
                Replacement::NearLru => usize::from(below(&mut self.rng, 8) == 0),
                Replacement::Random => below(&mut self.rng, self.ways),
            };
            self.sets[set].remove(victim.min(self.ways - 1));
        }
        self.sets[set].push(tag);
        self.passed += u64::from(self.ticks[usize::from(here.is_none())]);
        here.is_some()
    }
}

impl Cache for Simulated {
    fn pages(&self) -> u32 {
        self.frames.len() as u32
    }

    fn probe(&mut self, page: Page) -> u32 {
        let frame = self.frames[page.0 as usize];
        let mut ticks = 0;
        for i in 0..SAMPLES {
            let hit = self.touch(frame, i * 4 + i % 4);
            ticks += self.ticks[usize::from(!hit)];
        }
        let Noise {
            interrupted,
            jitter,
            ..
        } = self.noise;
        let change = below(&mut self.rng, 2 * jitter as usize + 1) as u32;
        ticks = ticks * (100 + change) / (100 + jitter);
        if below(&mut self.rng, 1000) < interrupted as usize {
            ticks += 5_000;
        }
        ticks
    }

    fn load(&mut self, page: Page) {
        self.probe(page);
    }

    fn traverse(&mut self, pages: &[Page]) {
        for page in pages {
            let frame = self.frames[page.0 as usize];
            for line in 0..LINES {
                // A scattered order; 37 is odd, so every line is loaded.
                self.touch(frame, line * 37 % LINES);
            }
        }
        let burst = self
            .bursts
            .filter(|bursts| self.passed % (bursts.there + bursts.gone) < bursts.there);
        for _ in 0..burst.map_or(self.noise.foreign, |bursts| bursts.foreign) {
            let line = self.rng.next_u64();
            // Frames that no page uses.
            self.touch(1 << 30 | line >> 40, line % LINES);
        }
    }

    fn now(&mut self) -> Duration {
        Duration::from_nanos(self.passed)
    }

    fn pause(&mut self, time: Duration) {
        self.passed += time.as_nanos() as u64;
    }
}
