//! Latency curves of simulated machines, made by placing pages and lines into caches one by one.
//!
//! Nothing here uses the formulas of the fit: a placement assigns pages to colors and counts the
//! overfull ones; random replacement is simulated slot by slot.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use whyslow_stats::levels::SizePoint;

pub(crate) const KIB: u64 = 1 << 10;
pub(crate) const MIB: u64 = 1 << 20;

/// How a cache behaves when the working set exceeds it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Edge {
    /// LRU over one set, or pages spread evenly: all or nothing.
    Cliff,
    /// LRU with pages assigned to random colors.
    Placed { ways: usize, page: u64 },
    /// A full cache with random replacement.
    Random,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Cache {
    pub(crate) latency: f64,
    pub(crate) size: u64,
    pub(crate) edge: Edge,
}

pub(crate) struct Machine {
    pub(crate) caches: Vec<Cache>,
    pub(crate) memory: f64,
    /// Growth of the latency per octave beyond the first cache, as caused by page walks.
    pub(crate) tilt: f64,
}

pub(crate) struct Noise {
    /// Deviation of log latency in the first cache and far from edges.
    pub(crate) quiet: f64,
    /// Deviation around the last edge.
    pub(crate) loud: f64,
    /// Share of processes that are disturbed, by a factor 1.2 to 2.2.
    pub(crate) outliers: f64,
}

pub(crate) const USUAL: Noise = Noise {
    quiet: 0.005,
    loud: 0.12,
    outliers: 0.04,
};

pub(crate) struct Dice(Xoshiro256PlusPlus);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    pub(crate) fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.uniform() * bound as f64) as usize
    }

    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// Miss rate of one fresh allocation.
pub(crate) fn play(cache: &Cache, working_set: u64, dice: &mut Dice) -> f64 {
    match cache.edge {
        Edge::Cliff => f64::from(u8::from(working_set > cache.size)),
        Edge::Placed { ways, page } => {
            let colors = (cache.size / (ways as u64 * page)).max(1) as usize;
            let pages = working_set.div_ceil(page) as usize;
            // Lines in a page follow the page; beyond 16 times the cache everything misses.
            if working_set > 16 * cache.size {
                return 1.0;
            }
            let mut load = vec![0_usize; colors];
            for _ in 0..pages {
                load[dice.below(colors)] += 1;
            }
            let over: usize = load.iter().filter(|&&l| l > ways).sum();
            over as f64 / pages as f64
        }
        Edge::Random => played_random(cache, working_set, dice),
    }
}

/// A model cache of 256 slots, traversed until steady.
fn played_random(cache: &Cache, working_set: u64, dice: &mut Dice) -> f64 {
    const SLOTS: usize = 256;
    let lines = (SLOTS as f64 * working_set as f64 / cache.size as f64).round() as usize;
    if lines <= SLOTS {
        return 0.0;
    }
    if lines > 8 * SLOTS {
        return 1.0;
    }
    let mut slot_of = vec![usize::MAX; lines];
    let mut held: Vec<usize> = Vec::new();
    let mut misses = 0;
    let rounds = 8;
    for round in 0..2 * rounds {
        for line in 0..lines {
            if slot_of[line] != usize::MAX {
                continue;
            }
            misses += usize::from(round >= rounds);
            if held.len() < SLOTS {
                slot_of[line] = held.len();
                held.push(line);
            } else {
                let slot = dice.below(SLOTS);
                slot_of[held[slot]] = usize::MAX;
                held[slot] = line;
                slot_of[line] = slot;
            }
        }
    }
    misses as f64 / (rounds * lines) as f64
}

/// Sizes from `from` to `to`, `per_octave` (1, 2 or 4) per octave.
pub(crate) fn sizes(from: u64, to: u64, per_octave: u64) -> Vec<u64> {
    let mut sizes = Vec::new();
    let mut octave = from;
    while octave <= to {
        for part in 0..per_octave {
            let size = octave + octave * part / per_octave;
            if size <= to {
                sizes.push(size);
            }
        }
        octave *= 2;
    }
    sizes
}

impl Machine {
    pub(crate) fn measure(
        &self,
        sizes: &[u64],
        processes: usize,
        noise: &Noise,
        seed: u64,
    ) -> Vec<SizePoint> {
        let mut dice = Dice::new(seed);
        let last = self.caches.last().map_or(1, |c| c.size);
        let one = |size: u64, dice: &mut Dice| {
            let mut lower = self.caches.first().map_or(self.memory, |c| c.latency);
            let mut latency = lower;
            for (k, cache) in self.caches.iter().enumerate() {
                let upper = self.caches.get(k + 1).map_or(self.memory, |c| c.latency);
                latency += (upper - lower) * play(cache, size, dice);
                lower = upper;
            }
            let octaves = self.caches.first().map_or(0.0, |c| {
                (size as f64 / c.size as f64).log2().clamp(0.0, 10.0)
            });
            let near = (-((size as f64 / last as f64).log2() / 1.5).powi(2)).exp();
            let deviation = noise.quiet * (1.0 + octaves) + noise.loud * near;
            let mut log = latency.ln() + octaves * self.tilt + deviation * dice.normal();
            if dice.uniform() < noise.outliers {
                log += (1.2 + dice.uniform()).ln();
            }
            log
        };
        sizes
            .iter()
            .map(|&size| SizePoint {
                size,
                log_latency: (0..processes).map(|_| one(size, &mut dice)).collect(),
            })
            .collect()
    }

    /// The most bytes that cache `k` ever serves, by simulating many placements over a fine grid.
    pub(crate) fn most_served(&self, k: usize) -> f64 {
        let cache = &self.caches[k];
        let mut dice = Dice::new(12345);
        let mut most = 0.0_f64;
        for step in 0..40 {
            let size = (cache.size as f64 * 0.3 * 1.04_f64.powi(step)) as u64;
            // Whole cache sizes are included exactly; otherwise an edge would be narrowly missed.
            let size = if (size as f64 / cache.size as f64 - 1.0).abs() < 0.02 {
                cache.size
            } else {
                size
            };
            let rounds = 40;
            let miss: f64 = (0..rounds)
                .map(|_| play(cache, size, &mut dice))
                .sum::<f64>()
                / f64::from(rounds);
            most = most.max(size as f64 * (1.0 - miss));
        }
        most
    }
}

fn cache(latency: f64, size: u64, edge: Edge) -> Cache {
    Cache {
        latency,
        size,
        edge,
    }
}

const PAGED_16: Edge = Edge::Placed {
    ways: 16,
    page: 4 * KIB,
};

pub(crate) fn zen() -> Machine {
    Machine {
        caches: vec![
            cache(0.886, 48 * KIB, Edge::Cliff),
            cache(3.1, MIB, PAGED_16),
            cache(11.0, 24 * MIB, PAGED_16),
        ],
        memory: 130.0,
        tilt: 0.015,
    }
}

pub(crate) fn zen_even() -> Machine {
    let mut machine = zen();
    for cache in &mut machine.caches {
        cache.edge = Edge::Cliff;
    }
    machine
}

pub(crate) fn intel() -> Machine {
    Machine {
        caches: vec![
            cache(1.2, 32 * KIB, Edge::Cliff),
            cache(
                3.6,
                1280 * KIB,
                Edge::Placed {
                    ways: 20,
                    page: 4 * KIB,
                },
            ),
            cache(20.0, 24 * MIB, Edge::Random),
        ],
        memory: 95.0,
        tilt: 0.03,
    }
}

pub(crate) fn arm() -> Machine {
    Machine {
        caches: vec![
            cache(1.4, 64 * KIB, Edge::Cliff),
            cache(
                4.2,
                MIB,
                Edge::Placed {
                    ways: 8,
                    page: 4 * KIB,
                },
            ),
        ],
        memory: 110.0,
        tilt: 0.01,
    }
}

pub(crate) fn four_levels() -> Machine {
    Machine {
        caches: vec![
            cache(1.1, 32 * KIB, Edge::Cliff),
            cache(3.2, 256 * KIB, Edge::Cliff),
            cache(11.0, 6 * MIB, Edge::Random),
            cache(42.0, 128 * MIB, Edge::Random),
        ],
        memory: 80.0,
        tilt: 0.01,
    }
}

pub(crate) fn alpha() -> Machine {
    Machine {
        caches: vec![
            cache(4.0, 8 * KIB, Edge::Cliff),
            cache(
                30.0,
                2 * MIB,
                Edge::Placed {
                    ways: 1,
                    page: 8 * KIB,
                },
            ),
        ],
        memory: 200.0,
        tilt: 0.0,
    }
}

pub(crate) fn flat() -> Machine {
    Machine {
        caches: vec![cache(1.2, 32 * KIB, Edge::Cliff)],
        memory: 90.0,
        tilt: 0.0,
    }
}
