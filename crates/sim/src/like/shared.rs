//! A last level of which others use a part that differs from run to run.
//!
//! Lines of others fill the ways that the program leaves, in any set, so that it matters little which set a line lies in: what
//! the program gets is simulated as a fully associative cache. Its size is a part of the whole,
//! what is left where the lines that others bring are log-normally distributed over runs; both parameters are those under
//! which the curve is met best, and so is whether it replaces at random or as LRU does, where a cycle hits or misses as a
//! whole: while it hits it comes round sooner than others displace it.

use whyslow_stats::student::{NORMAL, cdf};

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

/// Standard deviations that the search begins with, and medians between two parts: few sizes on the edge of a level leave
/// several minima.
const SPREADS: [f64; 3] = [0.2, 0.35, 0.6];
const BETWEEN: usize = 2;

/// The standard deviation that three records of a crowded guest showed (0.3 to 0.4), and its own as a logarithm. A curve with few
/// sizes on the edge of a level tells little of it: one that is met by a narrow and by a wide distribution takes the usual one.
const USUAL: f64 = 0.35;
const USUAL_WITHIN: f64 = 0.4;

/// Least standard deviation: about half a step between parts.
const LEAST_SPREAD: f64 = 0.08;

/// Least median, in steps from the whole: others bring something.
const LEAST_MEDIAN: f64 = 0.25;

/// Halvings of the steps of the search, from half a part and a factor of 1.2: down to an eighth of a part and 4 %.
const HALVINGS: i32 = 3;

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

/// So much larger than a cache with random replacement, a cycle misses it always, and what is used more often than that
/// stays in it.
const DISPLACED: f64 = 8.0;

/// The part of `whole` lines whose simulation with random replacement tells what a cycle meets that others displace.
pub(super) fn displaced(lines: u64, whole: u64, part: f64) -> f64 {
    part.min(lines as f64 / whole as f64 / DISPLACED)
}

/// The part whose simulation with random replacement tells what a cycle of so many lines meets in a part of `whole` lines.
pub(super) fn effective(lines: u64, whole: u64, part: f64, replacement: Replacement) -> f64 {
    let own = lines as f64 / whole as f64;
    match replacement {
        Replacement::Random => part,
        _ if own <= part => 1.0,
        _ => displaced(lines, whole, part),
    }
}

/// What happens with each part under LRU, of what happens where all hits and where all misses: from one to the other within a
/// step between parts.
pub(super) fn all_or_none(lines: u64, whole: u64, [hit, miss]: [&[f64]; 2]) -> Vec<Vec<f64>> {
    let of = |at: usize| {
        let room = part(at) * whole as f64 / lines as f64;
        let share = (room.log2() * OCTAVE as f64 + 0.5).clamp(0.0, 1.0);
        let each = hit.iter().zip(miss);
        each.map(|(hit, miss)| miss + share * (hit - miss))
            .collect()
    };
    (0..PARTS).map(of).collect()
}

/// Parts that stand for all runs.
const DRAWN: usize = 9;

/// How large a part a run gets: of the whole, 1 / (1 + x), where others bring x times as many lines as stay, log-normally
/// distributed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Share {
    /// The median, in steps from the whole.
    median: f64,
    /// Standard deviation of ln x.
    spread: f64,
    /// The chance of each part.
    pub(super) chances: Vec<f64>,
    /// How it is replaced in.
    pub(super) replacement: Replacement,
}

/// Replacements that are tried.
pub(super) const TRIED: [Replacement; 2] = [Replacement::Random, Replacement::Lru];

impl Share {
    fn of(median: f64, spread: f64, replacement: Replacement) -> Share {
        let median = median.clamp(LEAST_MEDIAN, (PARTS - 1) as f64);
        let spread = spread.max(LEAST_SPREAD);
        // By so many steps from the whole.
        let brought = |steps: f64| (2f64.powf(steps / OCTAVE as f64) - 1.0).ln();
        let below = |edge: usize| match edge {
            0 => 0.0,
            PARTS => 1.0,
            _ => cdf(
                (brought(edge as f64 - 0.5) - brought(median)) / spread,
                NORMAL,
            ),
        };
        Share {
            median,
            spread,
            chances: (0..PARTS).map(|at| below(at + 1) - below(at)).collect(),
            replacement,
        }
    }

    /// Those that the search begins with.
    fn first(replacement: Replacement) -> impl Iterator<Item = Share> {
        (0..PARTS * BETWEEN).flat_map(move |median| {
            let median = median as f64 / BETWEEN as f64;
            SPREADS.map(move |spread| Share::of(median, spread, replacement))
        })
    }

    /// Those a step away.
    fn beside(&self, step: f64) -> [Share; 4] {
        let factor = 2f64.powf(step / 2.0);
        let moved = |by: f64, times: f64| {
            Share::of(self.median + by, self.spread * times, self.replacement)
        };
        [
            moved(step, 1.0),
            moved(-step, 1.0),
            moved(0.0, factor),
            moved(0.0, 1.0 / factor),
        ]
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

/// A share with costs under which a curve is met.
#[derive(Debug)]
pub(super) struct Met {
    pub(super) share: Share,
    pub(super) costs: Vec<f64>,
    /// Squares of relative errors that are left, and how unusual the share is.
    pub(super) left: f64,
}

fn met<'m>(curve: impl Iterator<Item = &'m Measured> + Clone, share: Share) -> Met {
    let (costs, left) = fit(curve, &share.chances);
    let unusual = (share.spread / USUAL).ln() / USUAL_WITHIN;
    Met {
        left: left + unusual.powi(2),
        share,
        costs,
    }
}

/// The share under which a curve that was simulated with a replacement is met best: the best of some, and from there by steps
/// that become smaller.
pub(super) fn best<'m>(
    curve: impl Iterator<Item = &'m Measured> + Clone,
    replacement: Replacement,
) -> Met {
    let mut best = met(curve.clone(), Share::of(0.0, USUAL, replacement));
    for share in Share::first(replacement) {
        let next = met(curve.clone(), share);
        if next.left < best.left {
            best = next;
        }
    }
    for halving in 0..HALVINGS {
        let step = 0.5f64.powi(halving + 1);
        loop {
            let beside = best.share.beside(step);
            let all = beside.map(|share| met(curve.clone(), share));
            let next = all.into_iter().min_by(|a, b| a.left.total_cmp(&b.left));
            match next {
                Some(next) if next.left < best.left * (1.0 - ENOUGH) => best = next,
                _ => break,
            }
        }
    }
    best
}

/// A share is better by so much of what is left at least: less is rounding.
const ENOUGH: f64 = 1e-6;

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
        let wanted = Share::of(9.75, 0.27, Replacement::Random);
        let curve: Vec<Measured> = (0..12)
            .map(|at| {
                let mut size = Measured {
                    events: events(2f64.powf(f64::from(at) / 2.0)),
                    ns: 0.0,
                    weight: 1000.0,
                };
                size.ns = size.cost(&wanted.chances, &[10.0, 100.0]);
                size
            })
            .collect();
        let Met { share, costs, .. } = best(curve.iter(), Replacement::Random);
        assert!((share.median - 9.75).abs() < 0.2, "{share:?}");
        assert!((share.spread / 0.27).ln().abs() < 0.1, "{share:?}");
        assert!((costs[1] - 100.0).abs() < 1.0, "{costs:?}");
        assert_eq!(share.quantile(0.5), 10);
        assert!(share.quantile(0.9) < 10 && share.quantile(0.1) > 10);
    }

    #[test]
    fn with_lru_a_cycle_hits_or_misses_as_a_whole() {
        let whole = 1 << 19;
        let of = |lines, at| effective(lines, whole, part(at), Replacement::Lru);
        // 8 MiB of 32 MiB: in a part of 8 MiB, and in one of 6.7.
        assert!((of(1 << 17, 8) - 1.0).abs() < 1e-9);
        assert!((of(1 << 17, 9) - 0.25 / DISPLACED).abs() < 1e-9);
        let all = all_or_none(1 << 17, whole, [&[1.0, 0.0], &[1.0, 1.0]]);
        let misses: Vec<f64> = all.iter().map(|events| events[1]).collect();
        assert!((misses[8] - 0.5).abs() < 1e-9, "{misses:?}");
        assert!(misses[..8].iter().all(|m| *m == 0.0) && misses[9..].iter().all(|m| *m == 1.0));
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
