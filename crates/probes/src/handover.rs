//! How long a line takes from one CPU to another, which tells where the CPUs really are.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;

use whyslow_kernels::handover::handover;
use whyslow_stats::quantile::median;

use crate::clock::Moment;
use crate::marks::Happened;
use crate::probe::Stop;
use crate::team::Team;

/// Round trips in one piece of a label: 25 us on one cache complex, 125 us between complexes. Long
/// against the clock, short against the time between two interruptions.
const PIECE: u64 = 500;

/// Pieces in one label. The median of nine is not moved by four that were interrupted.
const PIECES: usize = 9;

/// Most pairs that one label looks at; more would take longer than the batch it labels.
const MOST_PAIRS: usize = 4;

/// One flag alone on its lines: two lines, because the adjacent one is fetched along on many cores.
#[repr(align(128))]
#[derive(Debug, Default)]
pub struct Flag(pub AtomicU64);

/// Hands `flag` to and fro between two members, `trips` times each way in each of `pieces`. Returns
/// ns one way for each piece, by the clock of the first member, and what happened to the two.
///
/// # Errors
/// When a member died.
pub fn one_way(
    team: &Team,
    pair: [usize; 2],
    flag: &Arc<Flag>,
    pieces: usize,
    trips: u64,
) -> Result<(Vec<f64>, Happened), Stop> {
    flag.0.store(0, Ordering::Release);
    let stop = AtomicBool::new(false);
    let (report, times) = channel();
    let (flag, first) = (flag.clone(), pair[0]);
    let (_, marks) = team.run(&pair, move |me| {
        let side = u64::from(me != first);
        // One trip untimed: the two need not have begun at the same moment.
        handover(&flag.0, side, 1, &stop);
        for _ in 0..pieces {
            let start = Moment::now();
            handover(&flag.0, side, trips, &stop);
            if side == 0 {
                // The receiver is taken when the work is done; nobody else listens.
                let _ = report.send(Moment::now().since(start) / (2 * trips) as f64);
            }
        }
    })?;
    Ok((times.try_iter().collect(), marks))
}

/// The label of a moment: the slowest of up to four pairs of the team, each the median of nine
/// pieces. Takes 0.3 ms a pair on one complex and 1.2 ms between complexes.
///
/// # Errors
/// When a member died.
pub fn label(team: &Team, flag: &Arc<Flag>) -> Result<f64, Stop> {
    let mut slowest = 0.0f64;
    let partners = team.len().saturating_sub(1).min(MOST_PAIRS);
    for k in 0..partners {
        // Spread over the team, the last member included.
        let partner = (k + 1) * (team.len() - 1) / partners;
        let (pieces, _) = one_way(team, [0, partner], flag, PIECES, PIECE)?;
        slowest = slowest.max(median(&pieces).unwrap_or(0.0));
    }
    Ok(slowest)
}
