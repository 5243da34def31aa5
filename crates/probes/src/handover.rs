//! How long a line takes from one CPU to another, which tells where the CPUs really are.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use whyslow_kernels::handover::handover;
use whyslow_model::record::MarkKind;
use whyslow_stats::quantile::median;

use crate::probe::Stop;
use crate::team::Team;

/// Hand-overs in one piece. 500 round trips take 25 us on one cache complex and 250 us between
/// sockets: short against the time between two interruptions.
const PIECE: u64 = 500;

/// Pieces in one label. The median of nine is not moved by four that were interrupted.
const PIECES: usize = 9;

/// Most pairs that one label looks at; more would take longer than the batch it labels.
const MOST_PAIRS: usize = 4;

/// One flag alone on its lines: two lines, because the adjacent one is fetched along on many cores.
#[repr(align(128))]
#[derive(Debug, Default)]
pub struct Flag(pub AtomicU64);

/// Hands `flag` to and fro between two members `trips` times each way. Returns ns one way.
///
/// # Errors
/// When a member died.
pub fn one_way(team: &Team, pair: [usize; 2], flag: &Arc<Flag>, trips: u64) -> Result<(f64, Vec<(MarkKind, u64)>), Stop> {
    flag.0.store(0, Ordering::Release);
    let stop = Arc::new(AtomicBool::new(false));
    let (flag, first) = (flag.clone(), pair[0]);
    let (ns, marks) = team.run(&pair, move |me| {
        handover(&flag.0, u64::from(me != first), trips, &stop);
    })?;
    Ok((ns / (2 * trips) as f64, marks))
}

/// The label of a moment: the slowest of up to four pairs of the team, each the median of nine
/// pieces. Takes about 0.5 ms a pair on one complex and 3 ms across sockets.
///
/// # Errors
/// When a member died.
pub fn label(team: &Team, flag: &Arc<Flag>) -> Result<f64, Stop> {
    let mut slowest = 0.0f64;
    let partners = team.len().saturating_sub(1).min(MOST_PAIRS);
    for k in 0..partners {
        // Spread over the team, the last member included.
        let partner = (k + 1) * (team.len() - 1) / partners;
        let mut pieces = Vec::with_capacity(PIECES);
        for _ in 0..PIECES {
            pieces.push(one_way(team, [0, partner], flag, PIECE)?.0);
        }
        slowest = slowest.max(median(&pieces).unwrap_or(0.0));
    }
    Ok(slowest)
}
