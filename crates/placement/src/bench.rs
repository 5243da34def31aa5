//! The proof: the same work on ordinary, colored and huge pages, side by side.
//!
//! A *draw* is memory of its own. The draws of all kinds of pages are laid out first, and then measured
//! in several passes, each of which goes through all of them in random order. What stays with a draw from
//! pass to pass is its placement; what comes and goes is the neighbor's noise. Results are plain values;
//! what they say is for others to compute.

mod chain;
mod sampler;
mod tree;
mod work;

use std::io;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::arena::{Arena, Kind as ArenaKind, page_size};
use crate::discovery::shuffle;
use crate::pin::Pinned;
use crate::pool::{Policy, Pool, Reason, Region};
use sampler::{Sampled, Sampler};

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

/// One size of one curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The pages.
    pub kind: Kind,
    /// The work.
    pub work: Work,
    /// Bytes worked on.
    pub bytes: usize,
    /// For each draw in order, the values of its passes: those that nobody else on the core disturbed, where
    /// there are any.
    pub draws: Vec<Vec<f64>>,
    /// The values of the others.
    disturbed: Vec<Vec<f64>>,
}

impl Cell {
    /// Of `draws`, none of them disturbed.
    pub fn new(kind: Kind, work: Work, bytes: usize, draws: Vec<Vec<f64>>) -> Cell {
        Cell {
            kind,
            work,
            bytes,
            disturbed: vec![Vec::new(); draws.len()],
            draws,
        }
    }

    /// One value a draw: the middle of its passes.
    pub fn middles(&self) -> Vec<f64> {
        let middles = self.draws.iter().map(|passes| middle(&mut passes.clone()));
        middles.collect()
    }

    /// A draw that was disturbed in every pass has what was measured all the same.
    fn settle(&mut self) {
        for (draw, disturbed) in self.draws.iter_mut().zip(&mut self.disturbed) {
            if draw.is_empty() {
                draw.append(disturbed);
            }
        }
    }
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

impl Plan {
    /// Pages that a pool needs for it: all draws of colored pages lie side by side, and besides them
    /// those of a few colors at a time. A quarter more, because colors are found unevenly often, and
    /// twice the cache for the pages that test others, some of which are left over.
    pub fn pool_pages(draws: usize, claimed_cache_bytes: usize) -> usize {
        let share = LATENCY.iter().copied().max().unwrap_or(16);
        let cache = claimed_cache_bytes / page_size();
        (draws + 1) * (cache * share / 16) * 5 / 4 + 2 * cache
    }
}

/// What was measured.
#[derive(Debug, Clone)]
pub struct Measured {
    /// All values.
    pub cells: Vec<Cell>,
    /// Why there are no huge pages, where there are none.
    pub no_huge: Option<String>,
    /// Pages of colored regions that got another color, or none.
    pub misplaced: u64,
    /// The share of samples that somebody else on the core may have disturbed; where others are enough,
    /// they do not count.
    pub beside: f64,
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

/// Times that each draw is measured: beside somebody who is there most of the time, two or three of seven stand.
pub const PASSES: usize = 7;

/// What measures.
struct Tools {
    reader: work::Reader,
    sampler: Sampler,
}

/// Memory of one draw, laid out.
struct Laid {
    draw: usize,
    kind: Kind,
    memory: Memory,
}

/// Measures, with a call of `progress` after each of [`PASSES`].
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
        beside: 0.0,
    };
    let mut tools = Tools {
        reader: work::Reader::fastest(&mut Sampler::new())?,
        sampler: Sampler::new(),
    };
    let mut laid = measured.lay_out(pool, plan)?;
    for pass in 0..PASSES {
        shuffle(&mut laid, &mut rng);
        for laid in &laid {
            measured.pass(&mut tools, plan, pool.colors(), laid, &mut rng);
        }
        // Parts of the cache show where they end, not how steady they are: one pass a draw, on pages
        // of one color after the other, which would otherwise need a pool of many times the size.
        for draw in (pass..plan.draws).step_by(PASSES) {
            for kind in plan.few.iter().map(|&few| Kind::Few(few)) {
                let memory = memory(pool, kind, most(kind, plan, pool.colors()))?;
                let laid = Laid { draw, kind, memory };
                measured.pass(&mut tools, plan, pool.colors(), &laid, &mut rng);
                measured.give_up(laid.memory, pool);
            }
        }
        progress(pass + 1);
    }
    for Laid { memory, .. } in laid {
        measured.give_up(memory, pool);
    }
    measured.beside = tools.sampler.beside();
    measured.cells.iter_mut().for_each(Cell::settle);
    let order = |cell: &Cell| (cell.work as u8, rank(cell.kind), cell.bytes);
    measured.cells.sort_by_key(order);
    Ok(measured)
}

impl Measured {
    /// Memory of all draws of whole caches.
    fn lay_out(&mut self, pool: &mut Pool, plan: &Plan) -> Result<Vec<Laid>, Reason> {
        let mut laid = Vec::new();
        for draw in 0..plan.draws {
            for kind in [Kind::Ordinary, Kind::Colored, Kind::Huge] {
                if kind == Kind::Huge && self.no_huge.is_some() {
                    continue;
                }
                match memory(pool, kind, most(kind, plan, pool.colors())) {
                    Ok(memory) => laid.push(Laid { draw, kind, memory }),
                    Err(Reason::Memory(why)) if kind == Kind::Huge => {
                        self.no_huge = Some(why.to_string());
                        laid.retain(|laid| laid.kind != Kind::Huge);
                    }
                    Err(other) => return Err(other),
                }
            }
        }
        Ok(laid)
    }

    /// All work of all sizes on one draw, once, in random order.
    fn pass(
        &mut self,
        tools: &mut Tools,
        plan: &Plan,
        colors: usize,
        Laid { draw, kind, memory }: &Laid,
        rng: &mut Xoshiro256PlusPlus,
    ) {
        let Tools { reader, sampler } = tools;
        let mut jobs = jobs(*kind, plan, colors);
        shuffle(&mut jobs, rng);
        for (work, bytes) in jobs {
            let value = match work {
                Work::Latency => chain::latency(sampler, memory.start(), bytes, rng),
                Work::Bandwidth => reader.bandwidth(sampler, memory.start(), bytes),
                Work::Matrix => work::matrix(sampler, memory.start(), bytes),
                Work::Tree => tree::lookups(sampler, memory.start(), bytes, rng),
            };
            self.note(plan, (*kind, work, bytes), *draw, value);
        }
    }

    /// Gives frames back to the pool, and counts those that were not what they should have been.
    fn give_up(&mut self, memory: Memory, pool: &mut Pool) {
        if let Memory::Pooled(region) = memory {
            self.misplaced += region.counts.fallbacks + region.counts.ordinary;
            pool.take_back(region);
        }
    }

    fn note(&mut self, plan: &Plan, what: (Kind, Work, usize), draw: usize, value: Sampled) {
        let same = |c: &Cell| (c.kind, c.work, c.bytes) == what;
        let at = self.cells.iter().position(same).unwrap_or_else(|| {
            let (kind, work, bytes) = what;
            let draws = vec![Vec::new(); plan.draws];
            self.cells.push(Cell::new(kind, work, bytes, draws));
            self.cells.len() - 1
        });
        let cell = &mut self.cells[at];
        let values = match value.alone {
            true => &mut cell.draws[draw],
            false => &mut cell.disturbed[draw],
        };
        values.push(value.value);
    }
}

/// The most that is worked on in one kind of pages, bytes.
fn most(kind: Kind, plan: &Plan, colors: usize) -> usize {
    let jobs = jobs(kind, plan, colors);
    jobs.iter().map(|(_, bytes)| *bytes).max().unwrap_or(0)
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
