//! A latency curve as a sum of steps, fitted by damped least squares.
//!
//! The model is `latency(s) = L0 + sum over k of (Lk - Lk-1) m_k(s)`, where `m_k` is the share of
//! accesses that level `k` fails to serve ([`super::shape`]). Residuals are taken between
//! logarithms, so that 5 % weighs the same in L1 and in memory, and bounded in influence (Huber
//! 1964), so that one bad size does not distort the curve. The minimizer is that of Levenberg and
//! Marquardt, with the scaling of Marquardt (1963).

use super::shape::{self, Policy};

/// Most boundaries tried: five cache levels and memory.
pub(super) const MAX_STEPS: usize = 5;
const MAX_PARAMETERS: usize = 1 + 3 * MAX_STEPS;

/// Residuals beyond this many sigmas weigh linearly, not by their square.
const HUBER: f64 = 1.5;

/// The fitted data: one value per size, in ascending order of size.
#[derive(Debug, Clone)]
pub(super) struct Curve {
    pub(super) log_size: Vec<f64>,
    pub(super) log_latency: Vec<f64>,
    /// One over the expected deviation of each value.
    pub(super) weight: Vec<f64>,
}

/// One boundary, and the level beyond it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Step {
    /// Logarithm of the latency of the level beyond.
    pub(super) log_latency: f64,
    /// Logarithm of the size of the cache before it.
    pub(super) log_size: f64,
    /// Softness, log2 of the ways.
    pub(super) u: f64,
    pub(super) policy: Policy,
}

impl Step {
    /// The most bytes ever served by the levels before it.
    pub(super) fn capacity(&self) -> f64 {
        self.log_size.exp() * shape::most_served(self.policy, self.u)
    }
}

/// The first level's latency and the boundaries in ascending order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Model {
    pub(super) log_latency: f64,
    pub(super) steps: Vec<Step>,
}

impl Model {
    /// Logarithm of the latency at a size.
    pub(super) fn at(&self, log_size: f64) -> f64 {
        let mut lower = self.log_latency.exp();
        let mut latency = lower;
        for step in &self.steps {
            let upper = step.log_latency.exp();
            latency +=
                (upper - lower) * shape::miss(step.policy, step.u, log_size - step.log_size).share;
            lower = upper;
        }
        latency.ln()
    }

    /// Logarithm of the latency of level `k`, 0 the first.
    pub(super) fn level(&self, k: usize) -> f64 {
        if k == 0 {
            self.log_latency
        } else {
            self.steps[k - 1].log_latency
        }
    }

    /// Huber's cost of the residuals, in units of the expected deviations.
    pub(super) fn cost(&self, curve: &Curve) -> f64 {
        self.costs(curve).sum()
    }

    /// [`Self::cost`] per size.
    pub(super) fn costs<'a>(&'a self, curve: &'a Curve) -> impl Iterator<Item = f64> + 'a {
        (0..curve.log_size.len()).map(|i| {
            let residual = curve.log_latency[i] - self.at(curve.log_size[i]);
            let size = residual.abs() * curve.weight[i];
            if size <= HUBER {
                size * size
            } else {
                HUBER * (2.0 * size - HUBER)
            }
        })
    }

    fn parameters(&self) -> usize {
        1 + 3 * self.steps.len()
    }

    /// The model with `delta` added to its parameters, kept inside `span` of sizes and in order.
    fn moved(&self, delta: &[f64; MAX_PARAMETERS], span: (f64, f64)) -> Self {
        let mut model = self.clone();
        model.log_latency += delta[0].clamp(-1.0, 1.0);
        let mut below = model.log_latency;
        let mut smallest = span.0;
        for (k, step) in model.steps.iter_mut().enumerate() {
            let base = 1 + 3 * k;
            // A step is at most a factor e in time, an octave in size, 2 in softness.
            step.log_latency = (step.log_latency + delta[base].clamp(-1.0, 1.0)).max(below);
            step.log_size =
                (step.log_size + delta[base + 1].clamp(-0.7, 0.7)).clamp(smallest, span.1);
            step.u = (step.u + delta[base + 2].clamp(-2.0, 2.0)).clamp(0.0, shape::MAX_U);
            below = step.log_latency;
            smallest = step.log_size;
        }
        model
    }

    /// Normal equations of the weighted, linearized problem.
    fn normal(
        &self,
        curve: &Curve,
    ) -> (
        [[f64; MAX_PARAMETERS]; MAX_PARAMETERS],
        [f64; MAX_PARAMETERS],
    ) {
        let n = self.parameters();
        let mut matrix = [[0.0; MAX_PARAMETERS]; MAX_PARAMETERS];
        let mut right = [0.0; MAX_PARAMETERS];
        for (i, &log_size) in curve.log_size.iter().enumerate() {
            let mut row = [0.0; MAX_PARAMETERS];
            let mut lower = self.log_latency.exp();
            let mut latency = lower;
            row[0] = lower;
            let mut below = 0;
            for (k, step) in self.steps.iter().enumerate() {
                let base = 1 + 3 * k;
                let upper = step.log_latency.exp();
                let miss = shape::miss(step.policy, step.u, log_size - step.log_size);
                latency += (upper - lower) * miss.share;
                row[below] -= lower * miss.share;
                row[base] += upper * miss.share;
                row[base + 1] = -(upper - lower) * miss.by_log_size;
                row[base + 2] = (upper - lower) * miss.by_u;
                below = base;
                lower = upper;
            }
            let residual = curve.log_latency[i] - latency.ln();
            let size = (residual * curve.weight[i]).abs();
            let trust = if size > HUBER { HUBER / size } else { 1.0 };
            let weight = curve.weight[i] * curve.weight[i] * trust;
            for value in &mut row[..n] {
                *value /= latency;
            }
            for a in 0..n {
                right[a] += weight * row[a] * residual;
                for b in 0..=a {
                    matrix[a][b] += weight * row[a] * row[b];
                }
            }
        }
        (matrix, right)
    }

    /// The damped step, without softness parameters that are at a limit and would exceed it: their
    /// unusable part would distort the rest.
    fn free_move(
        &self,
        mut matrix: [[f64; MAX_PARAMETERS]; MAX_PARAMETERS],
        right: [f64; MAX_PARAMETERS],
    ) -> [f64; MAX_PARAMETERS] {
        let n = self.parameters();
        let mut right = right;
        for (k, step) in self.steps.iter().enumerate() {
            let at = 3 + 3 * k;
            let leaves =
                (step.u <= 0.0 && right[at] < 0.0) || (step.u >= shape::MAX_U && right[at] > 0.0);
            if leaves {
                right[at] = 0.0;
                matrix[at][..at].fill(0.0);
                for row in &mut matrix[at + 1..n] {
                    row[at] = 0.0;
                }
            }
        }
        solve(matrix, right, n)
    }

    /// Improves the model in place, at most `iterations` times; returns its cost.
    pub(super) fn improve(&mut self, curve: &Curve, iterations: usize) -> f64 {
        let (Some(&first), Some(&last)) = (curve.log_size.first(), curve.log_size.last()) else {
            return 0.0;
        };
        // An edge may lie slightly outside the measured sizes, if only its flank is visible.
        let span = (first - 0.5, last + 0.5);
        let n = self.parameters();
        let mut cost = self.cost(curve);
        let mut damping = 1e-2;
        for _ in 0..iterations {
            let (matrix, right) = self.normal(curve);
            let mut better = None;
            while damping < 1e6 {
                let mut damped = matrix;
                for (a, row) in damped.iter_mut().enumerate().take(n) {
                    // The constant keeps unconstrained parameters in place.
                    row[a] += damping * row[a] + 1e-6;
                }
                let delta = self.free_move(damped, right);
                if !delta[..n].iter().all(|d| d.is_finite()) {
                    damping *= 5.0;
                    continue;
                }
                let candidate = self.moved(&delta, span);
                let candidate_cost = candidate.cost(curve);
                if candidate_cost < cost {
                    damping = (damping * 0.2).max(1e-7);
                    better = Some((candidate, candidate_cost));
                    break;
                }
                damping *= 5.0;
            }
            let Some((candidate, candidate_cost)) = better else {
                break;
            };
            let gain = cost - candidate_cost;
            *self = candidate;
            cost = candidate_cost;
            if gain < 1e-4 * cost {
                break;
            }
        }
        cost
    }
}

/// Solves a symmetric positive definite system, lower triangle given, by Cholesky's method.
fn solve(
    mut matrix: [[f64; MAX_PARAMETERS]; MAX_PARAMETERS],
    right: [f64; MAX_PARAMETERS],
    n: usize,
) -> [f64; MAX_PARAMETERS] {
    for a in 0..n {
        for b in 0..=a {
            let known = matrix[a][..b].iter().zip(&matrix[b][..b]);
            let sum = matrix[a][b] - known.map(|(x, y)| x * y).sum::<f64>();
            matrix[a][b] = if a == b {
                // Rounding can make a pivot negative; the damping makes this harmless.
                sum.max(1e-12).sqrt()
            } else {
                sum / matrix[b][b]
            };
        }
    }
    let mut x = right;
    for a in 0..n {
        for b in 0..a {
            x[a] -= matrix[a][b] * x[b];
        }
        x[a] /= matrix[a][a];
    }
    for a in (0..n).rev() {
        for b in a + 1..n {
            x[a] -= matrix[b][a] * x[b];
        }
        x[a] /= matrix[a][a];
    }
    x
}
