//! The settings against the library as it is.

use std::collections::BTreeMap;

use whyslow_model::experiment::{Estimated, Trial};
use whyslow_model::host::Known;
use whyslow_model::tune::{CopyCell, CopyGain, TuneVerdict};
use whyslow_stats::student::mean_interval;

use super::{measured, point};

/// The probability outside of an interval.
const TAIL: f64 = 0.05;

/// A cell that is surely this much slower speaks against settings.
const LOSS: f64 = 0.97;

/// A cell must surely be this much faster for them to be worth a word.
const GAIN: f64 = 1.05;

/// Did the library take other thresholds? One that does not say which it uses is not known to have.
pub(super) fn took(
    before: Option<&Known<BTreeMap<String, u64>>>,
    after: Option<&Known<BTreeMap<String, u64>>>,
) -> bool {
    match (before.and_then(Known::value), after.and_then(Known::value)) {
        (Some(before), Some(after)) => before != after,
        _ => false,
    }
}

/// From which block on the library does something else, bytes: the least of the thresholds that moved, before or after. From
/// the first where it does not say.
pub(super) fn moved_from(
    before: Option<&Known<BTreeMap<String, u64>>>,
    after: Option<&Known<BTreeMap<String, u64>>>,
) -> u64 {
    let both = before
        .and_then(Known::value)
        .zip(after.and_then(Known::value));
    let moved = both.into_iter().flat_map(|(before, after)| {
        before.iter().filter_map(|(name, was)| {
            let is = after.get(name)?;
            (was != is).then_some(*was.min(is))
        })
    });
    moved.min().unwrap_or(0)
}

/// Gains of all cells that have an interval, of the second of two arms over the first, which differ from a block of
/// `moved_from` bytes on.
pub(super) fn gains(
    trial: &Trial,
    cells: &[CopyCell],
    arms: [usize; 2],
    moved_from: u64,
) -> Vec<CopyGain> {
    let all = 1.0 - TAIL / cells.len().max(1) as f64;
    let gain = |&cell: &CopyCell| {
        let logs = by_block(trial, cell, arms);
        let (mean, wide) = (
            mean_interval(&logs, 1.0 - TAIL)?,
            mean_interval(&logs, all)?,
        );
        let (range, wide) = (mean.interval?, wide.interval?);
        Some(CopyGain {
            cell,
            before: measured::typical(trial, cell, arms[0])?,
            after: measured::typical(trial, cell, arms[1])?,
            times: Estimated {
                value: mean.mean.exp(),
                range: [range.lo.exp(), range.hi.exp()],
            },
            together: [wide.lo.exp(), wide.hi.exp()],
            moved: cell.block_bytes >= moved_from,
        })
    };
    cells.iter().filter_map(gain).collect()
}

/// How much faster the second arm is in each block, as a logarithm.
fn by_block(trial: &Trial, cell: CopyCell, arms: [usize; 2]) -> Vec<f64> {
    let point = point(cell);
    let mean = |block: u32, arm: usize| {
        let own = trial.values.iter();
        let own = own.filter(|v| v.point == point && v.block == block && v.arm == arm);
        let logs: Vec<f64> = own.map(|v| v.value.ln()).collect();
        (!logs.is_empty()).then(|| logs.iter().sum::<f64>() / logs.len() as f64)
    };
    (0..trial.blocks)
        .filter_map(|block| Some(mean(block, arms[1])? - mean(block, arms[0])?))
        .collect()
}

/// A cell that is slower by so much, and by its own interval slower, is a loss also where all cells together may be chance.
const PLAIN_LOSS: f64 = 0.9;

/// What the gains speak for, by intervals that hold for all cells together. Cells that no threshold moves are none.
pub(super) fn verdict(gains: &[CopyGain]) -> TuneVerdict {
    let gains: Vec<&CopyGain> = gains.iter().filter(|gain| gain.moved).collect();
    let gained = gains.iter().any(|g| g.together[0] >= GAIN);
    // A loss is believed sooner than a gain: what is recommended must not cost anything.
    let plain = |g: &CopyGain| g.times.value <= PLAIN_LOSS && g.times.range[1] < 1.0;
    let lost = gains.iter().any(|g| g.together[1] <= LOSS || plain(g));
    // Of one cell alone: between all cells nearly anything may be.
    let may = gains.iter().any(|g| g.times.range[0] >= GAIN);
    match (gained, lost) {
        (true, false) => TuneVerdict::Set,
        (true, true) => TuneVerdict::Mixed,
        (false, _) if may => TuneVerdict::Open,
        (false, _) => TuneVerdict::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gain(lo: f64, hi: f64) -> CopyGain {
        CopyGain {
            cell: CopyCell {
                block_bytes: 4096,
                distance: 0,
            },
            before: 1.0,
            after: (lo * hi).sqrt(),
            times: Estimated {
                value: (lo * hi).sqrt(),
                range: [lo, hi],
            },
            together: [lo, hi],
            moved: true,
        }
    }

    #[test]
    fn nothing_is_set_where_the_interval_includes_none() {
        let of = |gains: &[CopyGain]| verdict(gains);
        assert_eq!(of(&[gain(9.0, 12.0), gain(0.98, 1.02)]), TuneVerdict::Set);
        assert_eq!(of(&[gain(9.0, 12.0), gain(0.8, 0.9)]), TuneVerdict::Mixed);
        assert_eq!(of(&[gain(0.99, 1.02)]), TuneVerdict::Nothing);
        let mut wide = gain(1.1, 1.2);
        wide.together = [0.9, 1.4];
        assert_eq!(of(&[wide]), TuneVerdict::Open);
        assert_eq!(of(&[gain(0.9, 1.2)]), TuneVerdict::Nothing);
        assert_eq!(of(&[]), TuneVerdict::Nothing);
        // Below the thresholds that moved a difference is noise, and no loss.
        let mut below = gain(0.7, 0.8);
        below.moved = false;
        assert_eq!(of(&[gain(9.0, 12.0), below]), TuneVerdict::Set);
    }

    #[test]
    fn blocks_are_moved_from_the_least_threshold_that_differs() {
        let known = |rep: u64, past: u64| {
            let of = |name: &str, n: u64| (name.to_owned(), n);
            Known::Is(BTreeMap::from([of("rep", rep), of("past", past)]))
        };
        let (own, other) = (known(2112, 1 << 28), known(2112, 1 << 22));
        assert_eq!(moved_from(Some(&own), Some(&other)), 1 << 22);
        assert_eq!(moved_from(Some(&own), Some(&known(1 << 30, 1 << 22))), 2112);
        assert_eq!(moved_from(Some(&own), Some(&Known::unknown("no"))), 0);
    }

    #[test]
    fn a_library_that_does_not_say_has_not_taken_them() {
        let known = |n: u64| Known::Is(BTreeMap::from([("x".to_owned(), n)]));
        assert!(took(Some(&known(1)), Some(&known(2))));
        assert!(!took(Some(&known(1)), Some(&known(1))));
        assert!(!took(Some(&known(1)), Some(&Known::unknown("no"))));
        assert!(!took(None, None));
    }
}
