//! Intervals of levels by resampling: of processes if there are enough, otherwise of residuals.

use super::curve::Measured;
use super::edge;
use super::fit::{Curve, Model, Step};
use crate::Interval;
use crate::bootstrap::{Resampler, middle};
use crate::summary::COVERAGE;

/// Resamples: the ends of a 95 % interval are then the fifth values from either end.
const RESAMPLES: usize = 200;

/// Iterations per resample. It starts at the fit of the data, which is close; more have no visible
/// effect.
const ITERATIONS: usize = 8;

/// Resampling does not include the model error of the shapes: on simulated machines with known
/// capacities they were off by this much with noise averaged out. The interval of a soft edge is at
/// least this wide on either side, and several times as wide if single placements are not averaged.
const SHAPE_ERROR: f64 = 0.03;
const SHAPE_ERROR_ALONE: f64 = 0.12;

/// Intervals of all levels of one model.
pub(super) struct Spread {
    /// One per level.
    pub(super) latency: Vec<Interval>,
    /// One per boundary.
    pub(super) capacity: Vec<Interval>,
}

/// Refits `model` to resamples, with its number of levels fixed.
pub(super) fn spread(measured: &Measured, curve: &Curve, model: &Model, seed: u64) -> Spread {
    let mut resampler = Resampler::new(seed);
    let fitted: Vec<f64> = curve.log_size.iter().map(|&s| model.at(s)).collect();
    let replicates = measured.has_replicates();
    // Residuals are smaller than the errors, because the parameters absorb a part.
    let (n, used) = (fitted.len(), 1 + 3 * model.steps.len());
    let inflation = (n as f64 / n.saturating_sub(used).max(1) as f64).sqrt();
    let mut latency = vec![Vec::with_capacity(RESAMPLES); model.steps.len() + 1];
    let mut capacity = vec![Vec::with_capacity(RESAMPLES); model.steps.len()];
    let mut resample = curve.clone();
    let mut drawn = Vec::new();
    for _ in 0..RESAMPLES {
        resample.log_latency = if replicates {
            measured.resampled(&mut resampler, &mut drawn)
        } else {
            residuals(curve, &fitted, inflation, &mut resampler)
        };
        let mut refit = model.clone();
        refit.improve(&resample, ITERATIONS);
        for (k, values) in latency.iter_mut().enumerate() {
            values.push(refit.level(k).exp());
        }
        for (step, values) in refit.steps.iter().zip(&mut capacity) {
            values.push(edge(step, &measured.sizes).capacity);
        }
    }
    // With few processes the fit itself can lie outside the resamples.
    let ends = |values: &mut Vec<f64>, own: Interval| {
        let interval = middle(values, COVERAGE).unwrap_or(own);
        Interval {
            lo: interval.lo.min(own.lo),
            hi: interval.hi.max(own.hi),
        }
    };
    let around = |step: &Step| {
        let own = edge(step, &measured.sizes);
        let error = match (own.hard, replicates) {
            (true, _) => 0.0,
            (false, true) => SHAPE_ERROR,
            (false, false) => SHAPE_ERROR_ALONE,
        };
        Interval {
            lo: own.capacity * (1.0 - error),
            hi: own.reaches * (1.0 + error),
        }
    };
    Spread {
        latency: (latency.iter_mut().enumerate())
            .map(|(k, values)| {
                let own = model.level(k).exp();
                ends(values, Interval { lo: own, hi: own })
            })
            .collect(),
        capacity: (capacity.iter_mut().zip(&model.steps))
            .map(|(values, step)| ends(values, around(step)))
            .collect(),
    }
}

/// The fitted curve with residuals of nearby sizes: noise differs between L1 and memory, so it is
/// not mixed.
fn residuals(curve: &Curve, fitted: &[f64], inflation: f64, resampler: &mut Resampler) -> Vec<f64> {
    const NEAR: usize = 3;
    let n = fitted.len();
    (0..n)
        .map(|i| {
            let from = i.saturating_sub(NEAR);
            let to = (i + NEAR + 1).min(n);
            let source = from + resampler.below(to - from);
            fitted[i] + inflation * (curve.log_latency[source] - fitted[source])
        })
        .collect()
}
