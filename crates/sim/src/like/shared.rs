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

/// Parts in an octave: a cycle that is a fifth larger than such a cache misses a third of its loads, one that is half as
/// large again two thirds.
const OCTAVE: usize = 4;

/// Parts that a run may get.
pub(super) const PARTS: usize = 4 * OCTAVE + 1;

/// The largest part is the whole, the smallest a sixteenth.
pub(super) fn part(at: usize) -> f64 {
    2f64.powf(-(at as f64) / OCTAVE as f64)
}

/// Standard deviations of the logarithm that are tried; the least is half a step between parts.
const SPREADS: [f64; 5] = [0.1, 0.2, 0.35, 0.5, 0.8];

/// Medians that are tried between two parts.
const BETWEEN: usize = 2;

/// The parts that a cycle of so many lines is simulated with, of a level of `whole` lines that serves the part `served`: all
/// near its own size, where they decide whether it hits, and one in an octave of others, none far from `served`. One that is much larger than the
/// level misses it nearly as often with any part.
pub(super) fn simulated(lines: u64, whole: u64, served: f64) -> Vec<usize> {
    let own = |at: usize| lines as f64 / (whole as f64 * part(at));
    if lines > BEYOND * whole {
        let at = -served.log2() * OCTAVE as f64;
        return vec![(at.round() as usize).min(PARTS - 1)];
    }
    let likely = |at: &usize| (part(*at) / served).log2().abs() <= FAR;
    let near = |at: &usize| at.is_multiple_of(OCTAVE) || (LEAST..=MOST).contains(&own(*at));
    (0..PARTS).filter(likely).filter(near).collect()
}

/// Octaves between the part that a level serves and those that runs get.
const FAR: f64 = 1.75;

/// A cycle that is smaller than this, in the size of a cache, hits, and one larger than that misses, or nearly so.
const LEAST: f64 = 0.7;
const MOST: f64 = 2.5;

/// Sizes beyond so many times the whole level miss it nearly as often with any part of it, and are simulated with one.
pub(super) const BEYOND: u64 = 2;

/// What happens with each part, where some are simulated: between two of them by how near they are.
pub(super) fn between(simulated: &[usize], events: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let of = |at: usize| {
        let next = simulated.partition_point(|own| *own < at);
        let after = next.min(simulated.len() - 1);
        let before = match next < simulated.len() {
            true => next.saturating_sub(1),
            false => after,
        };
        let (from, to) = (simulated[before], simulated[after]);
        // Outside of them it is as at the last.
        let share = match from < at && from < to {
            true => (at - from) as f64 / (to - from) as f64,
            false => 0.0,
        };
        let each = events[before].iter().zip(&events[after]);
        each.map(|(before, after)| before + share * (after - before))
            .collect()
    };
    match simulated {
        [_] => events.to_vec(),
        _ => (0..PARTS).map(of).collect(),
    }
}

/// Parts that stand for all runs.
const DRAWN: usize = 9;

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
                let far = |at: usize| (median - at as f64) * LN_2 / OCTAVE as f64 / spread;
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

    /// Parts that stand for all runs, each for as many.
    pub(super) fn drawn(&self) -> impl Iterator<Item = usize> {
        (0..DRAWN).map(|at| self.quantile((at as f64 + 0.5) / DRAWN as f64))
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
        let wanted = Share::tried()
            .nth(10 * BETWEEN * SPREADS.len() + 1)
            .unwrap();
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
        assert_eq!(share.quantile(0.5), 10);
        assert!(share.quantile(0.9) < 10 && share.quantile(0.1) > 10);
    }

    #[test]
    fn parts_are_simulated_where_they_matter() {
        let whole = 1 << 19;
        // A cycle of 6 MiB of 32 MiB, of which a fifth is served: 4.8 to 8 MiB in quarters of an octave, and 4 and 16 MiB.
        let parts = simulated(6 << 14, whole, 0.2);
        assert_eq!(parts, [4, 8, 9, 10, 11, 12, 13, 14, 16]);
        // One far beyond it has one part.
        assert_eq!(simulated(4 * whole, whole, 0.25), [8]);
        let events: Vec<Vec<f64>> = parts.iter().map(|at| vec![*at as f64]).collect();
        let all = between(&parts, &events);
        assert_eq!(all.len(), PARTS);
        for (at, events) in all.iter().enumerate() {
            assert!(
                (events[0] - at.max(4) as f64).abs() < 1e-9,
                "{at} {events:?}"
            );
        }
        assert_eq!(between(&[8], &[vec![3.0]]), [[3.0]]);
    }
}
