//! A latency curve cut into levels: the capacity and the latency of each, with intervals.
//!
//! Input is a chase in random order at growing sizes. The curve is explained as a sum of steps, one
//! for each boundary between levels, and each step has a place and a softness (the modules below
//! say how). The number of boundaries is the one that Schwarz's criterion prefers among those whose
//! levels are at least a factor 1.3 apart and serve most accesses at some measured size.
//!
//! # What a capacity is here
//!
//! **The most bytes that the levels up to this one ever serve**: the maximum over working sets `s`
//! of `s (1 - miss(s))`, the bytes of the working set that are found there in each round. It is the
//! capacity of the ideal cache (every byte usable, a cliff behind it) that does as much as this one
//! does at its best, so it is what "acts as" should mean, and it has these properties:
//!
//! * for a hard edge it is the last measured size that still fits (48 KiB, though the curve would
//!   allow any value under the next measured size, which is the upper end of the interval);
//! * pages placed at random leave parts of a cache over-full while others are empty, and the
//!   capacity says how much that costs: 0.63 of a 16-way cache, 0.37 of a direct-mapped one;
//! * what neighbours take from a shared cache is missing from it;
//! * it belongs to the curve, not to the model: shapes that fit equally well give nearly the same
//!   value.
//!
//! [`Boundary::full_size`] is the other reading: the size of the cache that, with pages placed at
//! random, would draw this curve. It depends on the shape and is the better guess at the nominal
//! size of a private cache.
//!
//! What a curve cannot tell: a step of page walks (TLB reach) from a step of a cache. Compare page
//! sizes for that.

mod curve;
mod fit;
mod interval;
mod search;
mod shape;

use curve::Measured;
use fit::{Curve, Model, Step};
pub use shape::Policy;

use crate::{InputError, Interval};

/// One size of a curve.
#[derive(Debug, Clone, PartialEq)]
pub struct SizePoint {
    /// Working set, bytes.
    pub size: u64,
    /// Natural logarithm of the latency in ns (or any one unit), one value a process.
    pub log_latency: Vec<f64>,
}

/// One level of the memory hierarchy as the curve shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// Latency of the level, ns (the unit of the input).
    pub latency: f64,
    /// 95 % interval of the latency.
    pub latency_interval: Interval,
    /// Where the level ends; absent for the last, which is memory if the curve reaches it.
    pub boundary: Option<Boundary>,
}

/// The end of a level.
#[derive(Debug, Clone, PartialEq)]
pub struct Boundary {
    /// Effective capacity, bytes: the most that is ever served up to this level (see the module).
    pub capacity: f64,
    /// 95 % interval of the capacity, bytes; at a hard edge it reaches up to the next measured
    /// size.
    pub capacity_interval: Interval,
    /// Largest measured size still on the lower plateau: less than a tenth of the step, in log
    /// latency, is climbed. Absent if the curve starts higher.
    pub rises_from: Option<u64>,
    /// Size, bytes, of the cache with randomly placed pages that would draw this edge.
    pub full_size: f64,
    /// How hard the edge is: ways of that cache, 1 (softest) to 256 (a cliff).
    pub ways: f64,
    /// Which replacement describes the edge better. Two shapes of one curve, not a claim about the
    /// hardware.
    pub policy: Policy,
    /// True if the whole step happens between two neighbouring measured sizes.
    pub hard: bool,
}

/// Something that the reader of the levels should know.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Note {
    /// Fewer than three processes a size: the intervals come from the scatter about the fit.
    FewProcesses,
    /// The curve still rises at the largest size: another level begins whose latency is not seen.
    StillRising,
    /// Sizes without a value, left out.
    SizesWithoutValues(usize),
    /// A size far from the fitted curve, which was bounded in its influence.
    Outlier(u64),
    /// The curve is not well described by steps: root mean square deviation of the logarithms.
    Misfit(f64),
}

/// A curve cut into levels.
#[derive(Debug, Clone, PartialEq)]
pub struct Levels {
    /// Nearest first; at least one.
    pub levels: Vec<Level>,
    /// The fitted curve: size in bytes and latency in ns, ascending.
    pub fitted: Vec<(u64, f64)>,
    /// What should be said beside it.
    pub notes: Vec<Note>,
}

/// A residual this large, and this many expected deviations, makes a size an outlier: 25 % is well
/// over the noise of a median of processes.
const OUTLIER_LOG: f64 = 0.22;
const OUTLIER_SIGMAS: f64 = 4.0;

/// Deviation (15 %) over which the whole fit is called into question.
const MISFIT: f64 = 0.15;

/// Shares of misses just under and just over an edge that happens between two sizes.
const HARD_BELOW: f64 = 0.1;
const HARD_ABOVE: f64 = 0.9;

/// Part of a step, in log latency, that still counts as the lower plateau.
const RISEN: f64 = 0.1;

/// Cuts a curve into levels; `seed` drives the resampling for the intervals.
///
/// Sizes may come in any order; two or four an octave, from well inside the first cache to well
/// beyond the last, give the best result. Sizes without values are passed over.
///
/// # Errors
/// Fewer than three sizes with values; a size that is zero or occurs twice; a value that is NaN,
/// infinite or beyond ±50.
pub fn cut(points: &[SizePoint], seed: u64) -> Result<Levels, InputError> {
    let measured = Measured::new(points)?;
    let curve = measured.curve();
    let model = search::search(&curve);
    let spread = interval::spread(&measured, &curve, &model, seed);

    let levels = (0..=model.steps.len()).map(|k| Level {
        latency: model.level(k).exp(),
        latency_interval: spread.latency[k],
        boundary: model.steps.get(k).map(|step| {
            let edge = edge(step, &measured.sizes);
            Boundary {
                capacity: edge.capacity,
                capacity_interval: spread.capacity[k],
                rises_from: rises_from(&model, k, &measured.sizes),
                full_size: step.log_size.exp(),
                ways: step.u.exp2(),
                policy: step.policy,
                hard: edge.hard,
            }
        }),
    });
    let fitted = measured.sizes.iter().zip(&curve.log_size);
    Ok(Levels {
        levels: levels.collect(),
        fitted: fitted.map(|(&s, &l)| (s, model.at(l).exp())).collect(),
        notes: notes(&measured, &curve, &model),
    })
}

/// The capacity that a step means on the measured sizes.
struct Edge {
    capacity: f64,
    /// Up to where the capacity could be, as far as the grid of sizes tells.
    reaches: f64,
    hard: bool,
}

fn edge(step: &Step, sizes: &[u64]) -> Edge {
    let missed = |size: u64| {
        let log_x = (size as f64).ln() - step.log_size;
        shape::miss(step.policy, step.u, log_x).share
    };
    let between = sizes
        .windows(2)
        .find(|w| missed(w[0]) <= HARD_BELOW && missed(w[1]) >= HARD_ABOVE);
    if let Some(pair) = between {
        return Edge {
            capacity: pair[0] as f64,
            reaches: pair[1] as f64,
            hard: true,
        };
    }
    let capacity = step.log_size.exp() * shape::most_served(step.policy, step.u);
    Edge {
        capacity,
        reaches: capacity,
        hard: false,
    }
}

fn rises_from(model: &Model, k: usize, sizes: &[u64]) -> Option<u64> {
    let (lower, upper) = (model.level(k), model.level(k + 1));
    let step = &model.steps[k];
    let flat = |size: &&u64| {
        let log_x = (**size as f64).ln() - step.log_size;
        let share = shape::miss(step.policy, step.u, log_x).share;
        ((upper - lower).exp_m1() * share).ln_1p() < RISEN * (upper - lower)
    };
    // Shares rise with size, so the flat sizes are the first ones.
    sizes.iter().take_while(flat).last().copied()
}

fn notes(measured: &Measured, curve: &Curve, model: &Model) -> Vec<Note> {
    let mut notes = Vec::new();
    if !measured.has_replicates() {
        notes.push(Note::FewProcesses);
    }
    if measured.without_values > 0 {
        notes.push(Note::SizesWithoutValues(measured.without_values));
    }
    let residual = |i: usize| curve.log_latency[i] - model.at(curve.log_size[i]);
    let n = curve.log_size.len();
    let far = |i: usize| residual(i).abs() > OUTLIER_LOG.max(OUTLIER_SIGMAS / curve.weight[i]);
    // A last size far above the curve is the foot of a step whose top was not measured.
    let rising = far(n - 1) && residual(n - 1) > 0.0;
    if rising {
        notes.push(Note::StillRising);
    }
    let outliers = (0..n).filter(|&i| far(i) && !(rising && i == n - 1));
    notes.extend(outliers.map(|i| Note::Outlier(measured.sizes[i])));
    let squares: f64 = (0..n).map(|i| residual(i).powi(2)).sum();
    let deviation = (squares / n as f64).sqrt();
    if deviation > MISFIT {
        notes.push(Note::Misfit(deviation));
    }
    notes
}
