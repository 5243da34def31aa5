//! Untimed work before a batch, so that it starts with the cache state that its own work leaves.

use super::{Bench, Variant};
use crate::stop::Stop;

/// A batch of fewer iterations has a working set beyond any cache, or takes so long that one cold
/// iteration is negligible.
const WORTH_WARMING: u64 = 4;

/// Most untimed pieces before a batch: a cache share that is not regained after a batch's worth, or so many
/// passes, stays with other users.
const PIECES: u64 = 16;

/// A piece counts as faster only by this factor, and this many that are not faster end the warm-up.
const FASTER: f64 = 0.95;
const SETTLED: u32 = 3;

/// Work slowed by other cache users that regains its share as it runs.
pub(crate) struct Settling {
    best: f64,
    slower: u32,
}

impl Settling {
    /// Before the first piece.
    pub(crate) fn new() -> Settling {
        Settling {
            best: f64::INFINITY,
            slower: 0,
        }
    }

    /// Records the time of another piece; true if it no longer gets faster.
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
    /// True if the working set of `iterations` fits some cache.
    pub(super) fn fits(&self, iterations: u64) -> bool {
        iterations >= WORTH_WARMING || self.cached()
    }

    /// True if the working set fits some cache.
    pub(super) fn cached(&self) -> bool {
        let bytes = self.job.size_bytes.unwrap_or(0) * self.threads as u64;
        bytes > 0 && bytes <= self.job.llc_bytes
    }

    /// Runs `variant` in pieces of a batch until it gets no faster: a share of a contended cache is
    /// regained over several passes.
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
