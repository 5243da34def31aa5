//! Divides a latency curve into levels: the capacity and latency of each, with intervals.
//!
//! The input is a random pointer chase at increasing sizes. The curve is modeled as a sum of steps,
//! one for each boundary between levels, and each step has a position and a softness (see the
//! modules below). The number of boundaries is chosen by Schwarz's criterion among those with
//! levels at least a factor 1.3 apart that serve most accesses at some measured size.
//!
//! # Definition of capacity
//!
//! **The most bytes that the levels up to this one ever serve**: the maximum over working sets `s`
//! of `s (1 - miss(s))`, the bytes of the working set that are found there in each round. It is the
//! capacity of an ideal cache (every byte usable, a cliff beyond it) with the same maximum, so it
//! defines "effective size", and it has these properties:
//!
//! * for a hard edge it is the last measured size that still fits (48 KiB, though the curve would
//!   allow any value under the next measured size, which is the upper end of the interval);
//! * randomly placed pages overfill parts of a cache while others are empty, and the capacity
//!   reflects that: 0.63 of a 16-way cache, 0.37 of a direct-mapped one;
//! * the share of a cache used by others is not included;
//! * it is a property of the curve, not of the model: shapes that fit equally well give nearly the
//!   same value.
//!
//! [`Boundary::full_size`] is the alternative: the size of the cache that, with randomly placed
//! pages, would give this curve. It depends on the shape and is the better estimate of the nominal
//! size of a private cache.
//!
//! A curve cannot distinguish a step caused by page walks (TLB reach) from a cache. Compare page
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
    /// Natural logarithm of the latency in ns (or any one unit), one value per process.
    pub log_latency: Vec<f64>,
}

/// One level of the memory hierarchy, from the curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// Latency of the level, ns (the unit of the input).
    pub latency: f64,
    /// 95 % interval of the latency.
    pub latency_interval: Interval,
    /// The end of the level; absent for the last, which is memory if the curve reaches it.
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
    /// Largest measured size still on the lower plateau: below a tenth of the step in log latency.
    /// Absent if the curve starts higher.
    pub rises_from: Option<u64>,
    /// Size, bytes, of the cache with randomly placed pages that would give this edge.
    pub full_size: f64,
    /// How hard the edge is: ways of that cache, 1 (softest) to 256 (a cliff).
    pub ways: f64,
    /// The replacement policy that describes the edge better: a shape of the curve, not a claim
    /// about the hardware.
    pub policy: Policy,
    /// True if the whole step lies between two adjacent measured sizes.
    pub hard: bool,
}

/// A note for the reader of the levels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Note {
    /// Fewer than three processes per size: the intervals come from the residuals of the fit.
    FewProcesses,
    /// The curve still rises at the largest size: the latency of the next level is unknown.
    StillRising,
    /// Sizes without a value, left out.
    SizesWithoutValues(usize),
    /// A size far from the fitted curve, with bounded influence.
    Outlier(u64),
    /// The curve is not well described by steps: root mean square deviation of the logarithms.
    Misfit(f64),
}

/// A curve divided into levels.
#[derive(Debug, Clone, PartialEq)]
pub struct Levels {
    /// Nearest first; at least one.
    pub levels: Vec<Level>,
    /// The fitted curve: size in bytes and latency in ns, ascending.
    pub fitted: Vec<(u64, f64)>,
    /// Notes on the result.
    pub notes: Vec<Note>,
}

/// A residual this large, and this many expected deviations, makes a size an outlier: 25 % is well
/// above the noise of a median of processes.
const OUTLIER_LOG: f64 = 0.22;
const OUTLIER_SIGMAS: f64 = 4.0;

/// Deviation (15 %) above which the whole fit is doubtful.
const MISFIT: f64 = 0.15;

/// Miss rates just below and just above an edge between two sizes.
const HARD_BELOW: f64 = 0.1;
const HARD_ABOVE: f64 = 0.9;

/// Part of a step, in log latency, that still counts as the lower plateau.
const RISEN: f64 = 0.1;

/// Divides a curve into levels; `seed` drives the resampling for the intervals.
///
/// Sizes may be in any order; two or four per octave, from well within the first cache to well
/// beyond the last, give the best result. Sizes without values are skipped.
///
/// # Errors
/// Fewer than three sizes with values; a size that is zero or occurs twice; a value that is NaN,
/// infinite or beyond ±50.
pub fn cut(points: &[SizePoint], seed: u64) -> Result<Levels, InputError> {
    let measured = Measured::new(points)?;
    let curve = measured.curve();
    let model = search::search(&curve);
    Ok(described(&measured, &curve, &model, seed))
}

/// Divides a curve whose boundary `k` by [`cut`] is known to be two: of a cache that holds at most `limit` bytes, and of a
/// larger one. Nothing where the curve shows them not even so.
///
/// # Errors
/// As [`cut`].
pub fn cut_apart(
    points: &[SizePoint],
    k: usize,
    limit: f64,
    seed: u64,
) -> Result<Option<Levels>, InputError> {
    let measured = Measured::new(points)?;
    let curve = measured.curve();
    let model = search::apart(&curve, &search::search(&curve), k, limit);
    Ok(model.map(|model| described(&measured, &curve, &model, seed)))
}

/// The levels of a model, with their intervals.
fn described(measured: &Measured, curve: &Curve, model: &Model, seed: u64) -> Levels {
    let spread = interval::spread(measured, curve, model, seed);

    let levels = (0..=model.steps.len()).map(|k| Level {
        latency: model.level(k).exp(),
        latency_interval: spread.latency[k],
        boundary: model.steps.get(k).map(|step| {
            let edge = edge(step, &measured.sizes);
            Boundary {
                capacity: edge.capacity,
                capacity_interval: spread.capacity[k],
                rises_from: rises_from(model, k, &measured.sizes),
                full_size: step.log_size.exp(),
                ways: step.u.exp2(),
                policy: step.policy,
                hard: edge.hard,
            }
        }),
    });
    let fitted = measured.sizes.iter().zip(&curve.log_size);
    Levels {
        levels: levels.collect(),
        fitted: fitted.map(|(&s, &l)| (s, model.at(l).exp())).collect(),
        notes: notes(measured, curve, model),
    }
}

/// The capacity of a step, given the measured sizes.
struct Edge {
    capacity: f64,
    /// Upper limit of the capacity, given the grid of sizes.
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
    let capacity = step.capacity();
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
    // Miss rates rise with size, so the flat sizes are the first ones.
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
    // A last size far above the curve is the start of a step that was not fully measured.
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
