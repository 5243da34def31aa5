//! The settings against the library as it is.

use std::collections::{BTreeMap, BTreeSet};

use whyslow_model::Point;
use whyslow_model::experiment::{Estimated, Sensed, Trial};
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

/// What the library uses, as an arm's process saw it.
pub(super) fn used(sensed: &Sensed) -> Known<BTreeMap<String, u64>> {
    match &sensed.state.libc.routines {
        Some(known) => known.clone(),
        None => Known::unknown("the loader was not asked"),
    }
}

/// What was measured of the library as it is, arm 0, and of candidates, the fewest settings first.
pub(super) struct Proof<'a> {
    trial: Trial,
    cells: &'a [CopyCell],
    arms: usize,
}

impl<'a> Proof<'a> {
    pub(super) fn new(trial: Trial, cells: &'a [CopyCell], arms: usize) -> Proof<'a> {
        Proof { trial, cells, arms }
    }

    /// The thresholds of an arm, where a process looked around in it.
    pub(super) fn taken(&self, arm: usize) -> Option<Known<BTreeMap<String, u64>>> {
        let own = self.trial.sensed.iter().find(|(at, _)| *at == arm);
        own.map(|(_, sensed)| used(sensed))
    }

    /// What went wrong, each once.
    pub(super) fn trouble(self) -> Vec<String> {
        self.trial.trouble
    }

    /// Gains of all cells that have an interval, of one arm over another.
    pub(super) fn gains(&self, from: usize, to: usize) -> Vec<CopyGain> {
        let (before, after) = (self.taken(from), self.taken(to));
        let moved = |block| moved(before.as_ref(), after.as_ref(), block);
        gains(&self.trial, self.cells, [from, to], moved)
    }

    /// Cells that seem slower with some settings than with fewer or with none.
    pub(super) fn doubtful(&self) -> Vec<CopyCell> {
        let pairs = (1..self.arms).flat_map(|to| (0..to).map(move |from| (from, to)));
        let slower = pairs
            .flat_map(|(from, to)| self.gains(from, to))
            .filter(seems_slower)
            .map(|gain| gain.cell);
        let cells: BTreeSet<CopyCell> = slower.collect();
        cells.into_iter().collect()
    }

    /// Takes these cells' values from another trial of the same arms.
    pub(super) fn replace(&mut self, cells: &[CopyCell], again: Trial) {
        let measured: Vec<Point> = cells.iter().map(|cell| point(*cell)).collect();
        self.trial.values.retain(|v| !measured.contains(&v.point));
        self.trial.values.extend(again.values);
        self.trial.blocks = self.trial.blocks.max(again.blocks);
        self.trial.trouble.extend(again.trouble);
    }

    /// The arm of what is set; where nothing gains, the one that may. What is set must gain over nothing, and over what was
    /// chosen before, of which it must not seem slower anywhere.
    pub(super) fn chosen(&self) -> usize {
        let gains = |from: usize, to: usize| {
            let cells = self.gains(from, to);
            let slower = from > 0 && cells.iter().any(seems_slower);
            !slower && verdict(&cells) == TuneVerdict::Set
        };
        let chosen = (1..self.arms).fold(0, |arm, more| match gains(arm, more) && gains(0, more) {
            true => more,
            false => arm,
        });
        let says = |arm: &usize| match verdict(&self.gains(0, *arm)) {
            TuneVerdict::Mixed => 0,
            TuneVerdict::Open => 1,
            _ => 2,
        };
        match chosen {
            0 => (1..self.arms).min_by_key(says).unwrap_or(1),
            arm => arm,
        }
    }
}

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
fn moved(
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
fn gains(
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
fn seems_slower(gain: &CopyGain) -> bool {
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
