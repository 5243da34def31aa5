//! Untimed work before a batch, so that it starts with the cache state that its own work leaves.

use super::{Bench, Variant};
use crate::stop::Stop;

/// A batch of fewer iterations has a working set beyond any cache, or takes so long that one cold
/// iteration is negligible.
const WORTH_WARMING: u64 = 4;

/// Most untimed pieces before a batch: a cache share that is not regained after a batch's worth, or so many
/// passes, stays with other users.
const PIECES: u64 = 16;

/// Working sets up to this size fit private caches, which one pass fills.
pub(crate) const PRIVATE: u64 = 1 << 20;

/// The part of a batch that warms a cache for a team: some passes over it, and 0.25 ms.
const PART: u64 = 4;

/// A piece counts as faster only by this factor, and this many that are not faster end the warm-up, or so many ns of
/// them: one cycle through tens of MiB takes longer.
const FASTER: f64 = 0.95;
const SETTLED: u32 = 3;
const SETTLED_NS: f64 = 15e6;

/// Work slowed by other cache users that regains its share as it runs.
pub(crate) struct Settling {
    best: f64,
    /// Pieces since the last that was faster, and their ns.
    slower: u32,
    slower_ns: f64,
}

impl Settling {
    /// Before the first piece.
    pub(crate) fn new() -> Settling {
        Settling {
            best: f64::INFINITY,
            slower: 0,
            slower_ns: 0.0,
        }
    }

    /// Records the time of another piece; true if it no longer gets faster.
    pub(crate) fn settled(&mut self, ns: f64) -> bool {
        (self.slower, self.slower_ns) = match ns < FASTER * self.best {
            true => (0, 0.0),
            false => (self.slower + 1, self.slower_ns + ns),
        };
        self.best = self.best.min(ns);
        self.slower >= SETTLED || self.slower_ns >= SETTLED_NS
    }
}

impl Bench<'_> {
    /// True if the working set of `iterations` fits some cache.
    pub(super) fn fits(&self, iterations: u64) -> bool {
        iterations >= WORTH_WARMING || self.cached()
    }

    /// True if the working set fits some cache.
    pub(super) fn cached(&self) -> bool {
        (1..=self.job.llc_bytes).contains(&self.bytes())
    }

    /// True if the working set is larger than every cache.
    pub(super) fn beyond_caches(&self) -> bool {
        self.bytes() > self.job.llc_bytes
    }

    /// The working sets of all threads; 0 where the point has none.
    fn bytes(&self) -> u64 {
        self.job.size_bytes.unwrap_or(0) * self.threads as u64
    }

    /// Iterations that a team does untimed before a batch of so many: none of work beyond the caches.
    pub(super) fn team_warm_up(&self, iterations: u64) -> u64 {
        let teams = self.team.as_ref().is_some_and(|team| !team.is_empty());
        match self.job.size_bytes {
            _ if !teams || !self.cached() => 0,
            _ => iterations.div_ceil(PART),
        }
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
