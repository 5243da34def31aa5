//! A last level of which others use a part that differs from run to run.
//!
//! Lines of others fill the ways that the program leaves, in any set, so that it matters little which set a line lies in: what
//! the program gets is simulated as a fully associative cache with random replacement. Its size is a part of the whole,
//! log-normally distributed over runs; both parameters are those under which the curve is met best.

use std::f64::consts::LN_2;

use super::costs::{Measured, fit};
use crate::cache::Replacement;
use crate::index::IndexKind;
use crate::machine::MachineSpec;

/// Parts that are simulated: half an octave apart.
pub(super) const PARTS: usize = 9;

/// The largest part is the whole, the smallest a sixteenth.
pub(super) fn part(at: usize) -> f64 {
    2f64.powf(-(at as f64) / 2.0)
}

/// Standard deviations of the logarithm that are tried; the least is one step between parts.
const SPREADS: [f64; 4] = [0.2, 0.35, 0.5, 0.8];

/// Medians that are tried between two parts.
const BETWEEN: usize = 3;

/// How large a part a run gets.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Share {
    /// The chance of each part.
    pub(super) chances: Vec<f64>,
}

impl Share {
    /// Of all that are tried.
    fn tried() -> impl Iterator<Item = Share> {
        (0..=(PARTS - 1) * BETWEEN).flat_map(|median| {
            let median = median as f64 / BETWEEN as f64;
            SPREADS.map(|spread| {
                let far = |at: usize| (median - at as f64) * LN_2 / 2.0 / spread;
                let density: Vec<f64> = (0..PARTS)
                    .map(|at| (-far(at).powi(2) / 2.0).exp())
                    .collect();
                let all: f64 = density.iter().sum();
                Share {
                    chances: density.iter().map(|own| own / all).collect(),
                }
            })
        })
    }

    /// The part below which so large a share of the runs have theirs, as its number.
    pub(super) fn quantile(&self, share: f64) -> usize {
        let mut left = 1.0 - share;
        for (at, chance) in self.chances.iter().enumerate() {
            left -= chance;
            if left < 0.0 {
                return at;
            }
        }
        self.chances.len().saturating_sub(1)
    }
}

/// The share under which a curve is met best, and the costs then.
pub(super) fn best<'m>(
    curve: impl Iterator<Item = &'m Measured> + Clone,
) -> Option<(Share, Vec<f64>)> {
    let mut best: Option<(f64, Share, Vec<f64>)> = None;
    for share in Share::tried() {
        let (costs, left) = fit(curve.clone(), &share.chances);
        if best.as_ref().is_none_or(|(least, ..)| left < *least) {
            best = Some((left, share, costs));
        }
    }
    best.map(|(_, share, costs)| (share, costs))
}

/// The machine with a part of its last level.
pub(super) fn with_part(whole: &MachineSpec, part: f64) -> MachineSpec {
    let mut spec = whole.clone();
    if let Some(last) = spec.caches.last_mut() {
        let cache = &mut last.cache;
        cache.lines = (cache.lines as f64 * part).round().max(1.0) as u64;
        cache.ways = u32::try_from(cache.lines).unwrap_or(u32::MAX);
        cache.index = IndexKind::Linear;
        cache.replacement = Replacement::Random;
    }
    spec
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_found_again() {
        // Half of what is beyond the part misses, at 100 ns.
        let events = |bytes: f64| -> Vec<Vec<f64>> {
            let miss = |at: usize| (1.0 - 32.0 * part(at) / bytes).max(0.0);
            (0..PARTS).map(|at| vec![1.0, miss(at)]).collect()
        };
        let wanted = Share::tried().nth(5 * BETWEEN * SPREADS.len() + 1).unwrap();
        let curve: Vec<Measured> = (0..12)
            .map(|at| {
                let mut size = Measured {
                    events: events(2f64.powf(f64::from(at) / 2.0)),
                    ns: 0.0,
                    weight: 1.0,
                };
                size.ns = size.cost(&wanted.chances, &[10.0, 100.0]);
                size
            })
            .collect();
        let (share, costs) = best(curve.iter()).unwrap();
        assert_eq!(share, wanted);
        assert!((costs[1] - 100.0).abs() < 0.1, "{costs:?}");
        assert_eq!(share.quantile(0.5), 5);
        assert!(share.quantile(0.9) < 5 && share.quantile(0.1) > 5);
    }
}
