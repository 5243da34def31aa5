//! What runs before a batch, untimed, so that it begins with the caches as its own work leaves them.

use super::{Bench, Variant};
use crate::probe::Stop;

/// A batch of fewer iterations goes through more memory than any cache holds, or takes so long that
/// one cold iteration does not show.
const WORTH_WARMING: u64 = 4;

/// Pieces of a batch that come before it untimed, at most: what is not won back after as much as a batch, or so
/// many passes, is not this program's to have.
const PIECES: u64 = 16;

/// A piece has to be so much faster than the best before to count as faster, and so many that are not end it.
const FASTER: f64 = 0.95;
const SETTLED: u32 = 3;

impl Bench<'_> {
    /// Does some cache hold what `iterations` go through?
    pub(super) fn fits(&self, iterations: u64) -> bool {
        let bytes = self.job.size_bytes.unwrap_or(0) * self.threads as u64;
        iterations >= WORTH_WARMING || (bytes > 0 && bytes <= self.job.llc_bytes)
    }

    /// Runs `variant` in pieces of a batch until it gets no faster: a cache that others use too is won back
    /// from them over several passes.
    pub(super) fn settle(
        &mut self,
        variant: &mut Variant<'_>,
        iterations: u64,
    ) -> Result<(), Stop> {
        let (mut best, mut slower) = (f64::INFINITY, 0);
        for _ in 0..PIECES {
            let (ns, _) = self.batch(variant, iterations.div_ceil(PIECES))?;
            slower = if ns < FASTER * best { 0 } else { slower + 1 };
            best = best.min(ns);
            if slower == SETTLED {
                break;
            }
        }
        Ok(())
    }
}
