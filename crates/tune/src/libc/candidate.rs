//! From rates by path to thresholds.

use std::collections::BTreeMap;

use whyslow_model::tunables::{NON_TEMPORAL, REP_MOVSB};
use whyslow_model::tune::{CopyPath, CopyRates};

use super::{NEVER, NO_STRING_INSTRUCTIONS};

/// A path must be better by this much at a size to be chosen over the loop of vectors, which is good at every distance.
const BETTER: f64 = 1.05;

/// And at no distance of the size worse than this.
const WORST: f64 = 0.9;

/// Where a path is as good as the loop, on average over the distances: noise of a few percent.
const AS_GOOD: f64 = 0.97;

/// The library's own choice is kept where no size would gain this much.
const GAIN: f64 = 1.05;

/// The library's own limits, bytes, where it says them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Limits {
    /// From here on it uses non-temporal stores.
    pub(super) non_temporal: Option<u64>,
    /// From here on it uses no string instructions, whatever the threshold.
    pub(super) string_stop: Option<u64>,
}

/// The settings that the rates speak for, the fewest first: each must be proven to gain over those that did before it. None
/// where the library's own choice is as good.
pub(super) fn settings(rates: &[CopyRates], own: Limits) -> Vec<Vec<String>> {
    let mut by_block: BTreeMap<u64, Vec<&CopyRates>> = BTreeMap::new();
    for rate in rates {
        by_block
            .entry(rate.cell.block_bytes)
            .or_default()
            .push(rate);
    }
    let blocks: Vec<(u64, Choice)> = by_block
        .iter()
        .filter_map(|(block, rates)| {
            let mut choice = Choice::of(rates)?;
            if own.string_stop.is_some_and(|stop| *block >= stop) {
                // Both are the loop there, and what they differ by is noise.
                choice.string_is_as_good = true;
                if choice.path == CopyPath::RepMovsb {
                    choice.path = CopyPath::Vector;
                }
            }
            Some((*block, choice))
        })
        .collect();
    let gains = blocks.iter().any(|(_, choice)| choice.gain >= GAIN);
    if !gains {
        return Vec::new();
    }
    // Non-temporal stores are used from the first size on from which that is the best path at all sizes.
    let past = blocks
        .iter()
        .rev()
        .take_while(|(_, c)| c.path == CopyPath::NonTemporal);
    let non_temporal = past.map(|(block, _)| *block).last();
    // String instructions are used from one size on, up to a limit that is no setting: that size must be better for it,
    // and no size from there on that does not use non-temporal stores worse.
    let below = blocks
        .iter()
        .rev()
        .filter(|(block, _)| non_temporal.is_none_or(|from| *block < from));
    let by_string = below.take_while(|(_, c)| c.string_is_as_good);
    let better = by_string.filter(|(_, c)| c.path == CopyPath::RepMovsb);
    // Blocks larger than the threshold are copied by them, so that of this size itself lies one byte below.
    let rep_movsb = better.map(|(block, _)| *block - 1).last();
    let rep_movsb = vec![format!(
        "{REP_MOVSB}={}",
        rep_movsb.unwrap_or(NO_STRING_INSTRUCTIONS)
    )];
    // A limit beyond all sizes that were measured is left as it is.
    let largest = blocks.last().map_or(0, |(block, _)| *block);
    if non_temporal.is_none() && own.non_temporal.is_none_or(|own| own > largest) {
        return vec![rep_movsb];
    }
    let limit = vec![format!("{NON_TEMPORAL}={}", non_temporal.unwrap_or(NEVER))];
    let both = [rep_movsb.clone(), limit.clone()].concat();
    vec![rep_movsb, limit, both]
}

/// The best path of a size.
struct Choice {
    path: CopyPath,
    /// Are string instructions no worse than the loop? Beyond the library's own limit for them they are the loop.
    string_is_as_good: bool,
    /// How many times as fast the worst distance is by it as by the library's own choice.
    gain: f64,
}

impl Choice {
    fn of(rates: &[&CopyRates]) -> Option<Choice> {
        let mean = |path: CopyPath| -> Option<f64> {
            let logs: Option<Vec<f64>> = rates
                .iter()
                .map(|r| Some((r.by_path.get(&path)? / r.by_path.get(&CopyPath::Vector)?).ln()))
                .collect();
            let logs = logs?;
            Some((logs.iter().sum::<f64>() / logs.len() as f64).exp())
        };
        let worst = |path: CopyPath| {
            let over = rates
                .iter()
                .filter_map(|r| Some(r.by_path.get(&path)? / r.by_path.get(&CopyPath::Vector)?));
            over.fold(f64::INFINITY, f64::min)
        };
        let others = [CopyPath::RepMovsb, CopyPath::NonTemporal].into_iter();
        let fit = others
            .filter_map(|path| Some((mean(path)?, path)))
            .filter(|(mean, path)| *mean >= BETTER && worst(*path) >= WORST);
        let best = fit.max_by(|a, b| a.0.total_cmp(&b.0));
        let path = best.map_or(CopyPath::Vector, |(_, path)| path);
        let gains = rates
            .iter()
            .filter_map(|r| Some(r.by_path.get(&path)? / r.now));
        let string = mean(CopyPath::RepMovsb).is_some_and(|mean| mean >= AS_GOOD);
        Some(Choice {
            path,
            string_is_as_good: string && worst(CopyPath::RepMovsb) >= WORST,
            gain: gains.fold(None, |most: Option<f64>, gain| {
                Some(most.map_or(gain, |most| most.max(gain)))
            })?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whyslow_model::tune::CopyCell;

    fn rate(block_bytes: u64, distance: u64, now: f64, paths: [f64; 3]) -> CopyRates {
        let names = [CopyPath::Vector, CopyPath::RepMovsb, CopyPath::NonTemporal];
        CopyRates {
            cell: CopyCell {
                block_bytes,
                distance,
            },
            now,
            by_path: names.into_iter().zip(paths).collect(),
        }
    }

    fn within(non_temporal: u64) -> Limits {
        Limits {
            non_temporal: Some(non_temporal),
            ..Limits::default()
        }
    }

    #[test]
    fn a_cliff_of_string_instructions_gives_vectors() {
        let rates = [
            rate(4096, 0, 190.0, [190.0, 200.0, 20.0]),
            rate(4096, 8, 7.0, [180.0, 7.0, 20.0]),
            rate(1 << 26, 0, 20.0, [20.0, 20.0, 19.0]),
        ];
        let first = vec![format!("{REP_MOVSB}={NO_STRING_INSTRUCTIONS}")];
        assert_eq!(
            settings(&rates, within(1 << 28)),
            std::slice::from_ref(&first)
        );
        let limit = vec![format!("{NON_TEMPORAL}={NEVER}")];
        let both = [first.clone(), limit.clone()].concat();
        assert_eq!(settings(&rates, within(1 << 20)), [first, limit, both]);
    }

    #[test]
    fn each_threshold_is_where_its_path_begins_to_win() {
        let rates = [
            rate(1 << 12, 0, 100.0, [100.0, 90.0, 20.0]),
            rate(1 << 16, 0, 60.0, [60.0, 90.0, 20.0]),
            rate(1 << 20, 0, 60.0, [60.0, 70.0, 20.0]),
            rate(1 << 24, 0, 20.0, [20.0, 20.0, 30.0]),
            rate(1 << 26, 0, 20.0, [20.0, 20.0, 30.0]),
        ];
        let first = vec![format!("{REP_MOVSB}={}", (1 << 16) - 1)];
        let limit = vec![format!("{NON_TEMPORAL}={}", 1 << 24)];
        let both = [first.clone(), limit.clone()].concat();
        assert_eq!(settings(&rates, Limits::default()), [first, limit, both]);
    }

    #[test]
    fn beyond_the_limit_of_string_instructions_both_are_the_same() {
        // A Zen 5: string instructions lose in the first cache and win in the second.
        let rates = [
            rate(1 << 12, 0, 278.0, [494.0, 282.0, 487.0]),
            rate(1 << 14, 8, 250.0, [481.0, 253.0, 477.0]),
            rate(1 << 16, 0, 246.0, [130.0, 249.0, 85.0]),
            rate(1 << 18, 8, 239.0, [134.0, 243.0, 85.0]),
            rate(1 << 20, 0, 113.0, [112.0, 113.0, 84.0]),
            rate(1 << 22, 0, 108.0, [108.0, 106.0, 85.0]),
        ];
        let first = vec![format!("{REP_MOVSB}={}", (1 << 16) - 1)];
        assert_eq!(
            settings(&rates, within(1 << 28)),
            std::slice::from_ref(&first)
        );
        // From its limit on the library itself has the loop for them, and noise is no reason against them below.
        let noisy = rate(1 << 26, 0, 16.0, [22.0, 16.0, 15.0]);
        let rates: Vec<CopyRates> = rates.into_iter().chain([noisy]).collect();
        let limits = Limits {
            string_stop: Some(1 << 20),
            ..within(1 << 28)
        };
        assert_eq!(settings(&rates, limits), [first]);
    }

    #[test]
    fn what_is_as_good_already_is_left() {
        let rates = [
            rate(1 << 12, 0, 100.0, [100.0, 99.0, 20.0]),
            rate(1 << 26, 0, 30.0, [20.0, 20.0, 30.0]),
        ];
        assert!(settings(&rates, Limits::default()).is_empty());
        assert!(settings(&[], Limits::default()).is_empty());
    }
}
