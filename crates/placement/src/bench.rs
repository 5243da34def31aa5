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
pub use sampler::Sampled;
use sampler::Sampler;

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
    /// For each draw in order, what was measured in each pass.
    pub draws: Vec<Vec<Sampled>>,
}

impl Cell {
    /// For each draw, the values of its passes: of those that nobody else on the core disturbed, where there
    /// are any, and of all where there are none.
    pub fn passes(&self) -> Vec<Vec<Option<f64>>> {
        let counted = |draw: &Vec<Sampled>| {
            let any = draw.iter().any(|pass| pass.alone);
            let value = |pass: &Sampled| (pass.alone || !any).then_some(pass.value);
            draw.iter().map(value).collect()
        };
        self.draws.iter().map(counted).collect()
    }

    /// One value a draw: the middle of its passes.
    pub fn middles(&self) -> Vec<f64> {
        let passes = self.passes().into_iter();
        let middles =
            passes.map(|passes| middle(&mut passes.into_iter().flatten().collect::<Vec<_>>()));
        middles.collect()
    }
}

/// What to measure.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The cache's size as found, bytes.
    pub cache_bytes: usize,
    /// Draws.
    pub draws: usize,
    /// Draws at the cache's size, at least as many: how far they lie apart takes more to be known than
    /// where they lie.
    pub edge_draws: usize,
    /// Numbers of colors to measure alone.
    pub few: Vec<usize>,
    /// Seed.
    pub seed: u64,
}

/// Sizes as shares of the cache, in 16ths: close together around its edge, where things happen.
const LATENCY: [usize; 13] = [4, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 24];
/// The cache's size among them.
const EDGE: usize = 16;
/// For bandwidth.
const BANDWIDTH: [usize; 6] = [8, 12, 14, 16, 18, 24];
/// For loads: with room for what else they touch, exactly the cache, and just beyond it.
const LOADS: [usize; 4] = [12, 15, 16, 20];

impl Plan {
    /// Pages that a pool needs for so many draws and draws at the cache's size: all those of colored pages
    /// lie side by side, and besides them those of a few colors at a time. A quarter more, because colors
    /// are found unevenly often, and twice the cache for the pages that test others, some of which are
    /// left over.
    pub fn pool_pages(draws: usize, edge_draws: usize, claimed_cache_bytes: usize) -> usize {
        let share = LATENCY.iter().copied().max().unwrap_or(EDGE);
        let cache = claimed_cache_bytes / page_size();
        let edge = edge_draws.saturating_sub(draws) * cache;
        ((draws + 1) * (cache * share / 16) + edge) * 5 / 4 + 2 * cache
    }

    /// Is that a draw for the cache's size only?
    fn at_edge(&self, draw: usize) -> bool {
        draw >= self.draws
    }

    /// What is measured on a draw in a pass: of a few colors, the same shares of their part of the cache.
    fn jobs(&self, kind: Kind, draw: usize, colors: usize, all: bool) -> Vec<(Work, usize)> {
        let part = match kind {
            Kind::Few(few) => self.cache_bytes * few / colors.max(1),
            _ => self.cache_bytes,
        };
        let sizes = |work: Work, shares: &[usize]| -> Vec<(Work, usize)> {
            // Whole lines and vectors: the shares of one color of a small cache may be no whole pages.
            let bytes = |share: &usize| (part * share / 16).next_multiple_of(512);
            shares.iter().map(|share| (work, bytes(share))).collect()
        };
        if self.at_edge(draw) || !all {
            return sizes(Work::Latency, &[EDGE]);
        }
        let mut jobs = sizes(Work::Latency, &LATENCY);
        if !matches!(kind, Kind::Few(_)) {
            jobs.extend(sizes(Work::Bandwidth, &BANDWIDTH));
            jobs.extend(sizes(Work::Matrix, &LOADS));
            jobs.extend(sizes(Work::Tree, &LOADS));
        }
        jobs
    }

    /// Memory for a draw, as large as the most that is worked on.
    fn memory(&self, pool: &mut Pool, kind: Kind, draw: usize) -> Result<Memory, Reason> {
        let jobs = self.jobs(kind, draw, pool.colors(), true);
        let most = jobs.iter().map(|(_, bytes)| *bytes).max();
        memory(pool, kind, most.unwrap_or(0))
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
    /// Pages of colored regions whose frame was moved while they were measured, by whoever is beneath; draws count
    /// up to then.
    pub moved: u64,
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

    fn region(&self) -> Option<&Region> {
        match self {
            Memory::Mapped(_) => None,
            Memory::Pooled(region) => Some(region),
        }
    }
}

/// Passes over all draws: beside somebody who is there most of the time, two or three of seven stand.
const PASSES: usize = 7;

/// Rounds: after each pass comes one of the cache's size alone, as how far draws lie apart is known from more.
pub const ROUNDS: usize = 2 * PASSES;

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

/// Measures, with a call of `progress` after each of [`ROUNDS`].
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
        moved: 0,
        beside: 0.0,
    };
    let mut tools = Tools {
        reader: work::Reader::fastest(&mut Sampler::new())?,
        sampler: Sampler::new(),
    };
    let mut laid = measured.lay_out(pool, plan)?;
    for round in 0..ROUNDS {
        let (pass, all) = (round / 2, round % 2 == 0);
        shuffle(&mut laid, &mut rng);
        for laid in &laid {
            let jobs = plan.jobs(laid.kind, laid.draw, pool.colors(), all);
            measured.pass(&mut tools, jobs, laid, &mut rng);
        }
        laid = measured.without_moved(laid, pool, plan, all);
        progress(round + 1);
        if !all {
            continue;
        }
        // Parts of the cache show where they end, not how steady they are: one pass a draw, on pages
        // of one color after the other, which would otherwise need a pool of many times the size.
        for draw in (pass..plan.draws).step_by(PASSES) {
            for kind in plan.few.iter().map(|&few| Kind::Few(few)) {
                let memory = plan.memory(pool, kind, draw)?;
                let laid = Laid { draw, kind, memory };
                let jobs = plan.jobs(kind, draw, pool.colors(), all);
                measured.pass(&mut tools, jobs, &laid, &mut rng);
                measured.give_up(laid.memory, pool);
            }
        }
    }
    for Laid { memory, .. } in laid {
        measured.give_up(memory, pool);
    }
    measured.beside = tools.sampler.beside();
    let order = |cell: &Cell| (cell.work as u8, rank(cell.kind), cell.bytes);
    measured.cells.sort_by_key(order);
    Ok(measured)
}

impl Measured {
    /// Memory of all draws of whole caches.
    fn lay_out(&mut self, pool: &mut Pool, plan: &Plan) -> Result<Vec<Laid>, Reason> {
        let mut laid = Vec::new();
        for draw in 0..plan.draws.max(plan.edge_draws) {
            for kind in [Kind::Ordinary, Kind::Colored, Kind::Huge] {
                // Huge pages have one placement.
                let done = plan.at_edge(draw) || self.no_huge.is_some();
                if kind == Kind::Huge && done {
                    continue;
                }
                match plan.memory(pool, kind, draw) {
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

    /// Works on one draw, in random order.
    fn pass(
        &mut self,
        tools: &mut Tools,
        mut jobs: Vec<(Work, usize)>,
        Laid { draw, kind, memory }: &Laid,
        rng: &mut Xoshiro256PlusPlus,
    ) {
        let Tools { reader, sampler } = tools;
        shuffle(&mut jobs, rng);
        for (work, bytes) in jobs {
            let value = match work {
                Work::Latency => chain::latency(sampler, memory.start(), bytes, rng),
                Work::Bandwidth => reader.bandwidth(sampler, memory.start(), bytes),
                Work::Matrix => work::matrix(sampler, memory.start(), bytes),
                Work::Tree => tree::lookups(sampler, memory.start(), bytes, rng),
            };
            self.note((*kind, work, bytes), *draw, value);
        }
    }

    /// Draws whose pages are of the colors they were placed by. Another may have lost them at any time of the last
    /// round: what that said does not count where one before did.
    fn without_moved(
        &mut self,
        laid: Vec<Laid>,
        pool: &mut Pool,
        plan: &Plan,
        all: bool,
    ) -> Vec<Laid> {
        let regions: Vec<&Region> = laid
            .iter()
            .filter_map(|laid| laid.memory.region())
            .collect();
        let mut moved = pool.moved(&regions).into_iter();
        let mut stay = Vec::new();
        for laid in laid {
            let moved = laid.memory.region().and_then(|_| moved.next()).unwrap_or(0);
            if moved == 0 {
                stay.push(laid);
                continue;
            }
            self.moved += moved as u64;
            let last = plan.jobs(laid.kind, laid.draw, pool.colors(), all);
            let same = |cell: &&mut Cell| {
                cell.kind == laid.kind && last.contains(&(cell.work, cell.bytes))
            };
            for cell in self.cells.iter_mut().filter(same) {
                if let Some(values) = cell.draws.get_mut(laid.draw).filter(|v| v.len() > 1) {
                    values.pop();
                }
            }
            self.give_up(laid.memory, pool);
        }
        stay
    }

    /// Gives frames back to the pool, and counts those that were not what they should have been.
    fn give_up(&mut self, memory: Memory, pool: &mut Pool) {
        if let Memory::Pooled(region) = memory {
            self.misplaced += region.counts.fallbacks + region.counts.ordinary;
            pool.take_back(region);
        }
    }

    fn note(&mut self, what: (Kind, Work, usize), draw: usize, value: Sampled) {
        let same = |c: &Cell| (c.kind, c.work, c.bytes) == what;
        let at = self.cells.iter().position(same).unwrap_or_else(|| {
            let (kind, work, bytes) = what;
            let draws = Vec::new();
            self.cells.push(Cell {
                kind,
                work,
                bytes,
                draws,
            });
            self.cells.len() - 1
        });
        let draws = &mut self.cells[at].draws;
        draws.resize(draws.len().max(draw + 1), Vec::new());
        draws[draw].push(value);
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
