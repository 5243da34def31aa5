//! A last level of which others use a part that differs from run to run.
//!
//! What others bring into it replaces lines of the program at any time, so that what they leave is simulated as a smaller
//! cache with random replacement. Its size is a part of the whole, log-normally distributed over runs; both parameters are
//! those under which the curve is met best.

use super::costs::{Measured, fit};
use crate::index::IndexKind;
use crate::machine::MachineSpec;

/// Parts that are simulated: a third of an octave apart.
pub(super) const PARTS: usize = 13;

/// The largest part is the whole, the smallest a sixteenth.
pub(super) fn part(at: usize) -> f64 {
    2f64.powf(-(at as f64) / 3.0)
}

/// Standard deviations of the logarithm that are tried; the least is one step between parts.
const SPREADS: [f64; 4] = [0.2, 0.35, 0.5, 0.8];

/// How large a part a run gets.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Share {
    /// The chance of each part.
    pub(super) chances: Vec<f64>,
}

impl Share {
    /// Of all that are tried.
    fn tried() -> impl Iterator<Item = Share> {
        // Medians beyond the smallest part are told by no chance worth having.
        (0..PARTS).flat_map(|median| {
            SPREADS.map(|spread| {
                let far = |at: usize| (part(at) / part(median)).ln() / spread;
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
        let sets = cache.lines / u64::from(cache.ways.max(1));
        if cache.index == IndexKind::Linear {
            let fewer = (sets as f64 * part).round().max(1.0) as u64;
            cache.lines = fewer * u64::from(cache.ways);
        } else {
            // A hashed index is for all sets.
            cache.ways = (f64::from(cache.ways) * part).round().max(1.0) as u32;
            cache.lines = sets * u64::from(cache.ways);
        }
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
        let wanted = Share::tried().nth(5 * SPREADS.len() + 1).unwrap();
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
