//! The proof: the same work on ordinary, colored and huge pages, side by side.
//!
//! A *draw* is fresh memory. Within each draw all kinds of pages take their turn in random order, and
//! on each of them all sizes, so that drift and noise fall on all alike. Results are plain values;
//! what they say is for others to compute.

mod chain;
mod tree;
mod work;

use std::io;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::arena::{Arena, Kind as ArenaKind, page_size};
use crate::discovery::shuffle;
use crate::pin::Pinned;
use crate::pool::{Policy, Pool, Reason, Region};

/// Which pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// As the kernel gives them.
    Ordinary,
    /// All colors in turn.
    Colored,
    /// So many colors in turn.
    Few(usize),
    /// Transparent huge pages.
    Huge,
}

/// What is measured on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// A load that waits for the one before, ns.
    Latency,
    /// Reading straight through, GB/s.
    Bandwidth,
    /// Rows of a matrix product, us each.
    Matrix,
    /// Lookups in a B-tree, ns each.
    Tree,
}

/// One size of one curve: a value for each draw.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The pages.
    pub kind: Kind,
    /// The work.
    pub work: Work,
    /// Bytes worked on.
    pub bytes: usize,
    /// One value a draw, in order.
    pub draws: Vec<f64>,
}

/// What to measure.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The cache's size as found, bytes.
    pub cache_bytes: usize,
    /// Draws.
    pub draws: usize,
    /// Numbers of colors to measure alone.
    pub few: Vec<usize>,
    /// Seed.
    pub seed: u64,
}

/// Sizes as shares of the cache, in 16ths: close together around its edge, where things happen.
const LATENCY: [usize; 13] = [4, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 24];
/// For bandwidth.
const BANDWIDTH: [usize; 6] = [8, 12, 14, 16, 18, 24];
/// For loads: with room for what else they touch, exactly the cache, and just beyond it.
const LOADS: [usize; 4] = [12, 15, 16, 20];

/// What was measured.
#[derive(Debug, Clone)]
pub struct Measured {
    /// All values.
    pub cells: Vec<Cell>,
    /// Why there are no huge pages, where there are none.
    pub no_huge: Option<String>,
    /// Pages of colored regions that got another color, or none.
    pub misplaced: u64,
}

/// Memory of one kind.
enum Memory {
    Mapped(Arena),
    Pooled(Region),
}

impl Memory {
    fn start(&self) -> *mut u8 {
        match self {
            Memory::Mapped(arena) => arena.start(),
            Memory::Pooled(region) => region.start(),
        }
    }
}

/// Measures, with a call of `progress` after each draw.
///
/// # Errors
/// When memory is refused, or the thread cannot stay on its CPU.
pub fn measure(
    pool: &mut Pool,
    plan: &Plan,
    mut progress: impl FnMut(usize),
) -> Result<Measured, Reason> {
    let _pinned = Pinned::here()?;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(plan.seed);
    let mut measured = Measured {
        cells: Vec::new(),
        no_huge: None,
        misplaced: 0,
    };
    let reader = work::Reader::fastest()?;
    for draw in 0..plan.draws {
        let mut kinds = vec![Kind::Ordinary, Kind::Colored];
        kinds.extend(plan.few.iter().map(|&few| Kind::Few(few)));
        if measured.no_huge.is_none() {
            kinds.push(Kind::Huge);
        }
        shuffle(&mut kinds, &mut rng);
        for kind in kinds {
            let mut jobs = jobs(kind, plan, pool.colors());
            shuffle(&mut jobs, &mut rng);
            let most = jobs.iter().map(|(_, bytes)| *bytes).max().unwrap_or(0);
            let memory = match memory(pool, kind, most) {
                Ok(memory) => memory,
                Err(Reason::Memory(why)) if kind == Kind::Huge => {
                    measured.no_huge = Some(why.to_string());
                    continue;
                }
                Err(other) => return Err(other),
            };
            for (work, bytes) in jobs {
                let value = match work {
                    Work::Latency => chain::latency(memory.start(), bytes, &mut rng),
                    Work::Bandwidth => reader.bandwidth(memory.start(), bytes),
                    Work::Matrix => work::matrix(memory.start(), bytes),
                    Work::Tree => tree::lookups(memory.start(), bytes, &mut rng),
                };
                measured.note(kind, work, bytes, value);
            }
            if let Memory::Pooled(region) = memory {
                measured.misplaced += region.counts.fallbacks + region.counts.ordinary;
                pool.take_back(region);
            }
        }
        progress(draw + 1);
    }
    let order = |cell: &Cell| (cell.work as u8, rank(cell.kind), cell.bytes);
    measured.cells.sort_by_key(order);
    Ok(measured)
}

impl Measured {
    fn note(&mut self, kind: Kind, work: Work, bytes: usize, value: f64) {
        let same = |c: &&mut Cell| (c.kind, c.work, c.bytes) == (kind, work, bytes);
        match self.cells.iter_mut().find(same) {
            Some(cell) => cell.draws.push(value),
            None => self.cells.push(Cell {
                kind,
                work,
                bytes,
                draws: vec![value],
            }),
        }
    }
}

fn rank(kind: Kind) -> usize {
    match kind {
        Kind::Ordinary => 0,
        Kind::Colored => 1,
        Kind::Huge => 2,
        // Most colors first.
        Kind::Few(few) => usize::MAX - few,
    }
}

/// What is measured on one kind of pages: a few colors at the same shares of their part of the cache.
fn jobs(kind: Kind, plan: &Plan, colors: usize) -> Vec<(Work, usize)> {
    let part = match kind {
        Kind::Few(few) => plan.cache_bytes * few / colors.max(1),
        _ => plan.cache_bytes,
    };
    let sizes = |work: Work, shares: &[usize]| -> Vec<(Work, usize)> {
        // Whole lines and vectors: the shares of one color of a small cache may be no whole pages.
        let bytes = |share: &usize| (part * share / 16).next_multiple_of(512);
        shares.iter().map(|share| (work, bytes(share))).collect()
    };
    let mut jobs = sizes(Work::Latency, &LATENCY);
    if !matches!(kind, Kind::Few(_)) {
        jobs.extend(sizes(Work::Bandwidth, &BANDWIDTH));
        jobs.extend(sizes(Work::Matrix, &LOADS));
        jobs.extend(sizes(Work::Tree, &LOADS));
    }
    jobs
}

fn memory(pool: &mut Pool, kind: Kind, bytes: usize) -> Result<Memory, Reason> {
    let policy = match kind {
        Kind::Ordinary => return Ok(Memory::Mapped(Arena::touched(bytes, ArenaKind::Small)?)),
        Kind::Huge => {
            let bytes = bytes.next_multiple_of(crate::arena::HUGE);
            return Ok(Memory::Mapped(Arena::huge(bytes)?));
        }
        Kind::Colored => Policy::ROUND_ROBIN,
        Kind::Few(few) => Policy::partition(few),
    };
    let region = pool.region(bytes, &policy)?;
    // Pages that could not be moved get their frame before anything is timed.
    for page in 0..region.len() / page_size() {
        work::touch(region.start().wrapping_add(page * page_size()));
    }
    Ok(Memory::Pooled(region))
}

/// The middle of a few values.
fn middle(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// What cannot be, said as an error.
fn odd(what: &str) -> io::Error {
    io::Error::other(what.to_owned())
}
