//! Finds the number of levels: boundaries are added one by one while each explains enough.

use super::fit::{Curve, MAX_STEPS, Model, Step};
use super::shape::{self, Policy};
use crate::quantile::median;

/// Least ratio between the latencies of adjacent levels. Caches differ by at least a factor of two;
/// page walks and prefetching cause slopes below this.
pub(super) const MIN_RATIO: f64 = 1.3;

/// The same where a level is taken for one by less evidence: caches of one machine, and memory, differ by a factor of two or
/// more, of which disturbed sizes leave this.
const APART: f64 = 1.6;

/// A level is accepted if it serves at least this share of the accesses at [`MIN_SIZES_SERVED`]
/// measured sizes; less is a bend in the flank of an adjacent level.
const MIN_SERVED: f64 = 0.7;

/// A single size could be an outlier, and at the end of the curve nothing would contradict it.
const MIN_SIZES_SERVED: usize = 2;

/// Least gain of a boundary, in units of Schwarz's `ln n` per parameter. The criterion assumes that
/// the model can be true; a real edge deviates from every shape here over several sizes, which at
/// the plain penalty would be accepted as another level. Above 2.5, true levels are lost with
/// single processes.
const PRICE: f64 = 1.8;

/// Most positions tried for a new boundary; two per octave from 1 KiB to 1 GiB.
const MAX_POSITIONS: usize = 40;

/// Initial softness of a search: 4 and 64 ways.
const STARTS: [f64; 2] = [2.0, 6.0];

/// Distance to the next gap between sizes, four per octave.
const NEXT_GAP: f64 = 0.2;

/// The best model of a curve.
pub(super) fn search(curve: &Curve) -> Model {
    let mut best = Model {
        log_latency: median(&curve.log_latency).unwrap_or(0.0),
        steps: Vec::new(),
    };
    best.improve(curve, 30);
    let mut current = best.clone();
    let mut best_score = score(curve, &best);
    for _ in 0..MAX_STEPS {
        let Some(next) = with_another(curve, &current, &|_| true) else {
            break;
        };
        current = next;
        let new_score = score(curve, &current);
        if new_score < best_score && plausible(curve, &current) {
            best_score = new_score;
            best = current.clone();
        }
    }
    best
}

/// `model` with one more boundary, where its boundary `k` is known to be two: a cache of at most `limit` bytes, and a larger
/// one. Nothing where the curve does not show them.
pub(super) fn apart(curve: &Curve, model: &Model, k: usize, limit: f64) -> Option<Model> {
    let within = |model: &Model| {
        let capacity = |k: usize| model.steps.get(k).map(Step::capacity);
        let held =
            capacity(k).is_some_and(|c| c <= limit) && capacity(k + 1).is_some_and(|c| c > limit);
        held && (k..=k + 1).all(|k| model.level(k + 1) - model.level(k) >= APART.ln())
    };
    // Without Schwarz's penalty, as that there are two need not be shown.
    with_another(curve, model, &within).filter(|best| plausible(curve, best))
}

/// Largest cost of one size when models are compared: a residual of six expected deviations.
/// Otherwise a single outlier, which no model explains, would mask the gain of a boundary
/// elsewhere.
const MAX_COST: f64 = 15.75;

/// Schwarz's criterion (BIC) for a robust cost in units of the expected deviations.
fn score(curve: &Curve, model: &Model) -> f64 {
    let n = curve.log_size.len() as f64;
    let cost: f64 = model.costs(curve).map(|c| c.min(MAX_COST)).sum();
    n * (cost / n).max(1.0).ln() + PRICE * 3.0 * model.steps.len() as f64 * n.ln()
}

/// `current` with the boundary that explains most, of those with which the model is `right`.
fn with_another(curve: &Curve, current: &Model, right: &dyn Fn(&Model) -> bool) -> Option<Model> {
    let n = curve.log_size.len();
    let stride = n.div_ceil(MAX_POSITIONS).max(1);
    let mut tried: Vec<(f64, Model)> = Vec::new();
    for position in (1..n).step_by(stride) {
        let edge = 0.5 * (curve.log_size[position - 1] + curve.log_size[position]);
        for u in STARTS {
            let mut model = with_step(curve, current, edge, u);
            let cost = model.improve(curve, 5);
            if right(&model) {
                tried.push((cost, model));
            }
        }
    }
    tried.sort_by(|a, b| a.0.total_cmp(&b.0));
    tried.truncate(4);
    let polished = tried.into_iter().map(|(_, model)| polish(curve, model));
    polished
        .filter(|(_, model)| right(model))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, model)| model)
}

/// `current` with one more boundary at `edge`, its levels set to the medians between the edges.
fn with_step(curve: &Curve, current: &Model, edge: f64, u: f64) -> Model {
    let mut steps = current.steps.clone();
    steps.push(Step {
        log_latency: 0.0,
        log_size: edge,
        u,
        policy: Policy::Lru,
    });
    steps.sort_by(|a, b| a.log_size.total_cmp(&b.log_size));
    let between = |from: f64, to: f64| {
        let inside = |i: &usize| (from..to).contains(&curve.log_size[*i]);
        let values: Vec<f64> = (0..curve.log_size.len())
            .filter(inside)
            .map(|i| curve.log_latency[i])
            .collect();
        median(&values)
    };
    let mut below = f64::NEG_INFINITY;
    let mut levels = Vec::with_capacity(steps.len() + 1);
    for k in 0..=steps.len() {
        let to = steps.get(k).map_or(f64::INFINITY, |s| s.log_size);
        levels.push(between(below, to));
        below = to;
    }
    let mut known = levels.iter().flatten().copied().next().unwrap_or(0.0);
    let log_latency = levels[0].unwrap_or(known);
    for (step, level) in steps.iter_mut().zip(&levels[1..]) {
        known = level.unwrap_or(known).max(known);
        step.log_latency = known;
    }
    Model { log_latency, steps }
}

/// Fits to convergence. For each boundary both policies are tried, and the positions on either
/// side: between two sizes a hard edge has no gradient, so the descent alone cannot leave a wrong
/// gap.
fn polish(curve: &Curve, mut model: Model) -> (f64, Model) {
    let mut cost = model.improve(curve, 25);
    let mut consider = |model: &mut Model, change: &dyn Fn(&mut Model)| {
        let mut other = model.clone();
        change(&mut other);
        let other_cost = other.improve(curve, 25);
        if other_cost < cost {
            cost = other_cost;
            *model = other;
        }
    };
    for k in 0..model.steps.len() {
        consider(&mut model, &|m| {
            m.steps[k].policy = match m.steps[k].policy {
                Policy::Lru => Policy::Random,
                Policy::Random => Policy::Lru,
            };
        });
        for shift in [-NEXT_GAP, NEXT_GAP] {
            consider(&mut model, &|m| m.steps[k].log_size += shift);
        }
    }
    (cost, model)
}

/// True if every level is far enough from the next and serves most accesses at some measured size.
fn plausible(curve: &Curve, model: &Model) -> bool {
    let far = (0..model.steps.len()).all(|k| model.level(k + 1) - model.level(k) >= MIN_RATIO.ln());
    far && (0..=model.steps.len()).all(|k| {
        let served = |&log_size: &f64| {
            let miss = |s: &Step| shape::miss(s.policy, s.u, log_size - s.log_size).share;
            let reaches = k.checked_sub(1).map_or(1.0, |b| miss(&model.steps[b]));
            let passes = model.steps.get(k).map_or(0.0, miss);
            reaches - passes
        };
        let served = curve.log_size.iter().map(served);
        served.filter(|&share| share >= MIN_SERVED).count() >= MIN_SIZES_SERVED
    })
}
