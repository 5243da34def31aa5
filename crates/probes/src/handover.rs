//! How long a line takes from one CPU to another, which tells where the CPUs really are.

use std::sync::atomic::{AtomicBool, AtomicU64};

use whyslow_kernels::handover::handover;
use whyslow_stats::quantile::median;

use crate::clock::Moment;

/// Round trips in one piece of a label: 10 us on one cache complex, 40 us between complexes. Long
/// against the clock, short against the time between two interruptions.
const PIECE: u64 = 200;

/// Pieces in one label. The median of five is not moved by two that were interrupted; more would take
/// long enough for the CPUs to be moved between the label and what it labels.
const PIECES: usize = 5;

/// Most pairs that one label looks at; more would take longer than the batch it labels.
const MOST_PAIRS: usize = 4;

/// One flag alone on its lines: two lines, because the adjacent one is fetched along on many cores.
#[repr(align(128))]
#[derive(Debug, Default)]
pub struct Flag(pub AtomicU64);

/// One side of `pieces` times `trips` hand-overs each way: ns one way for each piece, by the clock of side 0.
pub(crate) fn one_side(
    flag: &Flag,
    side: u64,
    pieces: usize,
    trips: u64,
    stop: &AtomicBool,
) -> Vec<f64> {
    // One trip untimed: the two need not have begun at the same moment.
    handover(&flag.0, side, 1, stop);
    let mut times = Vec::with_capacity(pieces);
    for _ in 0..pieces {
        let start = Moment::now();
        handover(&flag.0, side, trips, stop);
        if side == 0 {
            times.push(Moment::now().since(start) / (2 * trips) as f64);
        }
    }
    times
}

/// The ways between the first of some members and up to four others: where their CPUs are.
#[derive(Debug)]
pub(crate) struct Ways {
    /// The other member of each pair, and the flag that is handed to and fro. All turns taken, it is at
    /// the first's side again, as it began.
    pairs: Vec<(usize, Flag)>,
}

impl Ways {
    /// Of a team of so many.
    pub(crate) fn of(members: usize) -> Ways {
        let partners = members.saturating_sub(1).min(MOST_PAIRS);
        // Spread over the team, the last member included.
        let partner = |k| (k + 1) * (members - 1) / partners;
        Ways {
            pairs: (0..partners)
                .map(|k| (partner(k), Flag::default()))
                .collect(),
        }
    }

    /// What member `me` does for a label while the others do the same. The first learns it: ns one way of the
    /// slowest pair, each the median of its pieces. Takes 0.06 ms a pair on one complex and 0.2 ms between
    /// complexes.
    ///
    /// Gives up when `stop` becomes true.
    pub(crate) fn walk(&self, me: usize, stop: &AtomicBool) -> f64 {
        let mut slowest = 0.0f64;
        for (partner, flag) in &self.pairs {
            if me == 0 || me == *partner {
                let times = one_side(flag, u64::from(me != 0), PIECES, PIECE, stop);
                slowest = slowest.max(median(&times).unwrap_or(0.0));
            }
        }
        slowest
    }
}
