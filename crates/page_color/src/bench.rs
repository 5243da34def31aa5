//! The benchmark: the same work on ordinary, colored and huge pages, interleaved.
//!
//! A *draw* is a fresh allocation. The draws of all kinds of pages are allocated first, and then measured
//! in several passes, each over all draws in random order. The effect of placement persists from pass to
//! pass; noise from other load does not. Results are raw values; statistics are computed elsewhere.

mod chain;
mod memory;
mod plan;
mod sampler;
mod tree;
mod work;

use std::io;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::discovery::shuffle;
use crate::pool::{Pool, Reason, Region};
use memory::Memory;
pub use plan::Plan;
pub use sampler::Sampled;
use sampler::Sampler;
use whyslow_linux::affinity::Pinned;

/// Kind of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// As allocated by the kernel.
    Ordinary,
    /// All colors in turn.
    Colored,
    /// The given number of colors in turn.
    Few(usize),
    /// Transparent huge pages.
    Huge,
}

/// The work measured on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BenchWork {
    /// Latency of a dependent load, ns.
    Latency,
    /// Sequential read, GB/s.
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
    pub work: BenchWork,
    /// Working set, bytes.
    pub bytes: usize,
    /// For each draw in order, the values of all passes.
    pub draws: Vec<Vec<Sampled>>,
}

impl Cell {
    /// For each draw, the values of its undisturbed passes (SMT sibling idle) if there are any, else of all
    /// passes.
    pub fn passes(&self) -> Vec<Vec<Option<f64>>> {
        let counted = |draw: &Vec<Sampled>| {
            let any = draw.iter().any(|pass| pass.alone);
            let value = |pass: &Sampled| (pass.alone || !any).then_some(pass.value);
            draw.iter().map(value).collect()
        };
        self.draws.iter().map(counted).collect()
    }

    /// One value per draw: the median of its passes.
    pub fn middles(&self) -> Vec<f64> {
        let passes = self.passes().into_iter();
        let middles =
            passes.map(|passes| middle(&mut passes.into_iter().flatten().collect::<Vec<_>>()));
        middles.collect()
    }
}

/// What was measured.
#[derive(Debug, Clone)]
pub struct Measured {
    /// All values.
    pub cells: Vec<Cell>,
    /// Why there are no huge pages, if so.
    pub no_huge: Option<String>,
    /// Pages of colored regions that got another color, or none.
    pub misplaced: u64,
    /// Pages of colored regions whose frame was migrated by the host or kernel during measurement; draws count up
    /// to then.
    pub moved: u64,
    /// The share of samples possibly disturbed by the SMT sibling; they are excluded if enough others
    /// remain.
    pub beside: f64,
}

/// Passes over all draws: with an SMT sibling that is busy most of the time, two or three of seven
/// are usable.
const PASSES: usize = 7;

/// Rounds: after each full pass comes one of the cache size only, because the spread between draws needs more
/// samples.
pub const ROUNDS: usize = 2 * PASSES;

/// The measurement state.
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
/// When there is no memory, or the thread cannot be pinned.
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
        for laid in &mut laid {
            let jobs = plan.jobs(laid.kind, laid.draw, pool.colors(), all);
            measured.pass(&mut tools, jobs, laid, &mut rng);
        }
        laid = measured.without_moved(laid, pool, plan, all);
        progress(round + 1);
        if !all {
            continue;
        }
        // For parts of the cache only the capacity matters, not stability: one pass per draw, on
        // pages of one color at a time, which would otherwise need a pool many times as large.
        for draw in (pass..plan.draws).step_by(PASSES) {
            for kind in plan.few.iter().map(|&few| Kind::Few(few)) {
                let memory = memory(pool, plan, kind, draw)?;
                let mut laid = Laid { draw, kind, memory };
                let jobs = plan.jobs(kind, draw, pool.colors(), all);
                measured.pass(&mut tools, jobs, &mut laid, &mut rng);
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
                match memory(pool, plan, kind, draw) {
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

    /// Measures one draw, in random order.
    fn pass(
        &mut self,
        tools: &mut Tools,
        mut jobs: Vec<(BenchWork, usize)>,
        Laid { draw, kind, memory }: &mut Laid,
        rng: &mut Xoshiro256PlusPlus,
    ) {
        let Tools { reader, sampler } = tools;
        shuffle(&mut jobs, rng);
        for (work, bytes) in jobs {
            let memory = memory.first(bytes);
            let value = match work {
                BenchWork::Latency => chain::latency(sampler, memory, rng),
                BenchWork::Bandwidth => reader.bandwidth(sampler, memory),
                BenchWork::Matrix => work::matrix(sampler, memory),
                BenchWork::Tree => tree::lookups(sampler, memory, rng),
            };
            self.note((*kind, work, bytes), *draw, value);
        }
    }

    /// Draws whose pages still have their colors. Others may have lost them at any time in the last round, which
    /// then counts only if there is no earlier one.
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

    /// Returns frames to the pool, and counts those with a wrong color.
    fn give_up(&mut self, memory: Memory, pool: &mut Pool) {
        if let Memory::Pooled(region) = memory {
            self.misplaced += region.counts.fallbacks + region.counts.ordinary;
            pool.take_back(region);
        }
    }

    fn note(&mut self, what: (Kind, BenchWork, usize), draw: usize, value: Sampled) {
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

/// Memory for a draw.
fn memory(pool: &mut Pool, plan: &Plan, kind: Kind, draw: usize) -> Result<Memory, Reason> {
    Memory::of(kind, plan.most(kind, draw, pool.colors()), pool)
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

/// The median of a few values.
fn middle(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Reports an impossible case as an error.
fn odd(what: &str) -> io::Error {
    io::Error::other(what.to_owned())
}
