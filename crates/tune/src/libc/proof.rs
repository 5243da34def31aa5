//! The settings against the library as it is.

use std::collections::BTreeMap;

use whyslow_model::experiment::{Estimated, Trial};
use whyslow_model::host::Known;
use whyslow_model::tune::{CopyCell, CopyGain, CopyPath, TuneVerdict};
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

/// Whether blocks of so many bytes go by another path after than before. Any may where the library does not say its thresholds.
pub(super) fn moved(
    before: Option<&Known<BTreeMap<String, u64>>>,
    after: Option<&Known<BTreeMap<String, u64>>>,
    block: u64,
) -> bool {
    let path = |used: Option<&Known<BTreeMap<String, u64>>>| path(used?.value()?, block);
    match (path(before), path(after)) {
        (Some(before), Some(after)) => before != after,
        _ => true,
    }
}

/// The path of a block by these thresholds, in the order in which the library asks: blocks larger than the first go by string
/// instructions, up to a limit that it derives from its caches.
fn path(used: &BTreeMap<String, u64>, block: u64) -> Option<CopyPath> {
    let limit = |name: &str| used.get(name).copied();
    let string = limit("rep_movsb_threshold")?;
    let past = limit("non_temporal_threshold")?;
    let stop = limit("rep_movsb_stop_threshold").unwrap_or(past);
    Some(match block {
        _ if block > string && block < stop => CopyPath::RepMovsb,
        _ if block >= past => CopyPath::NonTemporal,
        _ => CopyPath::Vector,
    })
}

/// Gains of all cells that have an interval, of the second of two arms over the first; `moved` says of a block whether its path
/// differs.
pub(super) fn gains(
    trial: &Trial,
    cells: &[CopyCell],
    arms: [usize; 2],
    moved: impl Fn(u64) -> bool,
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
            moved: moved(cell.block_bytes),
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

/// Whether a cell seems slower, of those whose path differs.
pub(super) fn seems_slower(gain: &CopyGain) -> bool {
    gain.moved && gain.times.value < LOSS
}

/// Whether one is. A loss is believed sooner than a gain: what is recommended must not cost anything.
fn is_slower(gain: &CopyGain) -> bool {
    let plain = gain.times.value <= PLAIN_LOSS && gain.times.range[1] < 1.0;
    seems_slower(gain) && (gain.together[1] <= LOSS || plain)
}

/// What the gains speak for, by intervals that hold for all cells together. Cells whose path stays are none.
pub(super) fn verdict(gains: &[CopyGain]) -> TuneVerdict {
    let gains: Vec<&CopyGain> = gains.iter().filter(|gain| gain.moved).collect();
    let gained = gains.iter().any(|g| g.together[0] >= GAIN);
    let lost = gains.iter().any(|gain| is_slower(gain));
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
        // Where the path stays a difference is noise, and no loss.
        let mut stays = gain(0.7, 0.8);
        stays.moved = false;
        assert_eq!(of(&[gain(9.0, 12.0), stays]), TuneVerdict::Set);
    }

    #[test]
    fn blocks_move_where_their_path_differs() {
        let known = |string: u64, stop: u64, past: u64| {
            let of = |name: &str, n: u64| (name.to_owned(), n);
            Known::Is(BTreeMap::from([
                of("rep_movsb_threshold", string),
                of("rep_movsb_stop_threshold", stop),
                of("non_temporal_threshold", past),
            ]))
        };
        let own = known(2112, 1 << 20, 1 << 28);
        let where_moved = |after: &Known<BTreeMap<String, u64>>| {
            let blocks = (10..30).step_by(4);
            let moved = blocks.filter(|power| moved(Some(&own), Some(after), 1 << power));
            moved.collect::<Vec<_>>()
        };
        // From its limit on the library uses no string instructions, whatever the threshold.
        assert_eq!(where_moved(&known(1 << 30, 1 << 20, 1 << 28)), [14, 18]);
        assert_eq!(where_moved(&known(2112, 1 << 20, 1 << 22)), [22, 26]);
        // Those go first.
        assert_eq!(where_moved(&known(2112, 1 << 20, 1 << 12)), [22, 26]);
        let unknown = Known::unknown("no");
        assert!(moved(Some(&own), Some(&unknown), 1024));
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
