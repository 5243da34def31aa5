//! Intervals of levels by resampling: processes where there are enough, residuals of the fit otherwise.

use super::curve::Measured;
use super::edge;
use super::fit::{Curve, Model};
use crate::Interval;
use crate::bootstrap::{Resampler, middle};
use crate::summary::COVERAGE;

/// Resamples: the ends of a 95 % interval are then the fifth values from either end.
const RESAMPLES: usize = 200;

/// Iterations for a resample. It starts at the fit of the data, which is close; more moves nothing visible.
const ITERATIONS: usize = 8;

/// Intervals of all levels of one model.
pub(super) struct Spread {
    /// One a level.
    pub(super) latency: Vec<Interval>,
    /// One a boundary.
    pub(super) capacity: Vec<Interval>,
}

/// Refits `model` to resamples, the number of its levels held.
pub(super) fn spread(measured: &Measured, curve: &Curve, model: &Model, seed: u64) -> Spread {
    let mut resampler = Resampler::new(seed);
    let fitted: Vec<f64> = curve.log_size.iter().map(|&s| model.at(s)).collect();
    let replicates = measured.has_replicates();
    let mut latency = vec![Vec::with_capacity(RESAMPLES); model.steps.len() + 1];
    let mut capacity = vec![Vec::with_capacity(RESAMPLES); model.steps.len()];
    let mut resample = curve.clone();
    let mut drawn = Vec::new();
    for _ in 0..RESAMPLES {
        resample.log_latency = if replicates {
            measured.resampled(&mut resampler, &mut drawn)
        } else {
            residuals(curve, &fitted, &mut resampler)
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
    let ends = |values: &mut Vec<f64>, own: f64| {
        let interval = middle(values, COVERAGE).unwrap_or(Interval { lo: own, hi: own });
        // With few processes the fit itself can lie outside the resamples.
        Interval {
            lo: interval.lo.min(own),
            hi: interval.hi.max(own),
        }
    };
    Spread {
        latency: (latency.iter_mut().enumerate())
            .map(|(k, values)| ends(values, model.level(k).exp()))
            .collect(),
        capacity: (capacity.iter_mut().zip(&model.steps))
            .map(|(values, step)| ends(values, edge(step, &measured.sizes).capacity))
            .collect(),
    }
}

/// The fitted curve with residuals of nearby sizes: noise differs between L1 and memory, so it is not mixed.
fn residuals(curve: &Curve, fitted: &[f64], resampler: &mut Resampler) -> Vec<f64> {
    const NEAR: usize = 3;
    let n = fitted.len();
    (0..n)
        .map(|i| {
            let from = i.saturating_sub(NEAR);
            let to = (i + NEAR + 1).min(n);
            let source = from + resampler.below(to - from);
            fitted[i] + curve.log_latency[source] - fitted[source]
        })
        .collect()
}
