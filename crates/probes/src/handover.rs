//! Core-to-core latency, which shows where the CPUs really are.

use std::sync::atomic::{AtomicBool, AtomicU64};

use whyslow_kernels::handover::handover;
use whyslow_stats::quantile::median;

use crate::clock::Moment;

/// Round trips per piece of a label: 10 us within a core complex, 40 us between complexes. Long
/// compared with the clock step, short compared with the time between interruptions.
const PIECE: u64 = 200;

/// Pieces per label. The median of five tolerates two interrupted pieces; with more, the CPUs could
/// be moved between the label and its batch.
const PIECES: usize = 5;

/// Most pairs measured per label; more would take longer than the batch.
const MOST_PAIRS: usize = 4;

/// A flag alone on two lines, because many cores prefetch the adjacent line.
#[repr(align(128))]
#[derive(Debug, Default)]
pub struct Flag(pub AtomicU64);

/// One side of `pieces` times `trips` round trips: one-way ns for each piece, by the clock of side 0.
pub(crate) fn one_side(
    flag: &Flag,
    side: u64,
    pieces: usize,
    trips: u64,
    stop: &AtomicBool,
) -> Vec<f64> {
    // One untimed trip: the two need not start at the same moment.
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

/// The paths between the first member and up to four others, which show where their CPUs are.
#[derive(Debug)]
pub(crate) struct Ways {
    /// The other member of each pair, and the flag passed back and forth. After all turns it is on the
    /// first member's side, as at the start.
    pairs: Vec<(usize, Flag)>,
}

impl Ways {
    /// The paths in a team of this size.
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

    /// The part of member `me` in measuring a label. The first member returns the one-way ns of the slowest
    /// pair, each the median of its pieces. Takes 0.06 ms a pair within a complex and 0.2 ms between
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
