//! What runs before a batch, untimed, so that it begins with the caches as its own work leaves them.

use super::{Bench, Variant};
use crate::stop::Stop;

/// A batch of fewer iterations goes through more memory than any cache holds, or takes so long that
/// one cold iteration does not show.
const WORTH_WARMING: u64 = 4;

/// Pieces of a batch that come before it untimed, at most: what is not won back after as much as a batch, or so
/// many passes, is not this program's to have.
const PIECES: u64 = 16;

/// A piece has to be so much faster than the best before to count as faster, and so many that are not end it.
const FASTER: f64 = 0.95;
const SETTLED: u32 = 3;

/// Work that others on the caches made slow, and that wins them back as it goes on.
pub(crate) struct Settling {
    best: f64,
    slower: u32,
}

impl Settling {
    /// Nothing was done yet.
    pub(crate) fn new() -> Settling {
        Settling {
            best: f64::INFINITY,
            slower: 0,
        }
    }

    /// After another piece that took so long: does it get no faster any more?
    pub(crate) fn settled(&mut self, ns: f64) -> bool {
        self.slower = if ns < FASTER * self.best {
            0
        } else {
            self.slower + 1
        };
        self.best = self.best.min(ns);
        self.slower >= SETTLED
    }
}

impl Bench<'_> {
    /// Does some cache hold what `iterations` go through?
    pub(super) fn fits(&self, iterations: u64) -> bool {
        iterations >= WORTH_WARMING || self.cached()
    }

    /// Is the work on memory that some cache holds?
    pub(super) fn cached(&self) -> bool {
        let bytes = self.job.size_bytes.unwrap_or(0) * self.threads as u64;
        bytes > 0 && bytes <= self.job.llc_bytes
    }

    /// Runs `variant` in pieces of a batch until it gets no faster: a cache that others use too is won back
    /// from them over several passes.
    pub(super) fn settle(
        &mut self,
        variant: &mut Variant<'_>,
        iterations: u64,
    ) -> Result<(), Stop> {
        let mut settling = Settling::new();
        for _ in 0..PIECES {
            let ns = self.ns_of(variant, iterations.div_ceil(PIECES))?;
            if settling.settled(ns) {
                break;
            }
        }
        Ok(())
    }
}
