//! Which measurements are made on which draws.

use super::{BenchWork, Kind};
use crate::arena::page_size;

/// What to measure.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The cache's size as found, bytes.
    pub cache_bytes: usize,
    /// Draws.
    pub draws: usize,
    /// Draws at the cache size, at least as many: estimating the spread takes more than estimating the
    /// center.
    pub edge_draws: usize,
    /// Numbers of colors to measure separately.
    pub few: Vec<usize>,
    /// Seed.
    pub seed: u64,
}

/// Sizes as shares of the cache, in 16ths: dense around the capacity.
const LATENCY: [usize; 13] = [4, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 24];
/// The cache's size among them.
const EDGE: usize = 16;
/// For bandwidth.
const BANDWIDTH: [usize; 6] = [8, 12, 14, 16, 18, 24];
/// For loads: slightly below the cache size, exactly the cache size, and just beyond it.
const LOADS: [usize; 4] = [12, 15, 16, 20];

impl Plan {
    /// Pages that a pool needs for the draws, including those at the cache size: all colored draws exist
    /// at once, plus those of a few colors at a time. A quarter more, because color populations are
    /// uneven, and twice the cache for test pages, some of which are spare.
    pub fn pool_pages(draws: usize, edge_draws: usize, claimed_cache_bytes: usize) -> usize {
        let share = LATENCY.iter().copied().max().unwrap_or(EDGE);
        let cache = claimed_cache_bytes / page_size();
        let edge = edge_draws.saturating_sub(draws) * cache;
        ((draws + 1) * (cache * share / 16) + edge) * 5 / 4 + 2 * cache
    }

    /// True if the draw is for the cache size only.
    pub(super) fn at_edge(&self, draw: usize) -> bool {
        draw >= self.draws
    }

    /// The measurements on a draw in a round, for all sizes or for the cache size only. For a few colors, the same
    /// shares of their part of the cache.
    pub(super) fn jobs(
        &self,
        kind: Kind,
        draw: usize,
        colors: usize,
        all: bool,
    ) -> Vec<(BenchWork, usize)> {
        let part = match kind {
            Kind::Few(few) => self.cache_bytes * few / colors.max(1),
            _ => self.cache_bytes,
        };
        let sizes = |work: BenchWork, shares: &[usize]| -> Vec<(BenchWork, usize)> {
            // Whole lines and vectors: shares of one color of a small cache may not be whole pages.
            let bytes = |share: &usize| (part * share / 16).next_multiple_of(512);
            shares.iter().map(|share| (work, bytes(share))).collect()
        };
        if self.at_edge(draw) || !all {
            return sizes(BenchWork::Latency, &[EDGE]);
        }
        let mut jobs = sizes(BenchWork::Latency, &LATENCY);
        if !matches!(kind, Kind::Few(_)) {
            jobs.extend(sizes(BenchWork::Bandwidth, &BANDWIDTH));
            jobs.extend(sizes(BenchWork::Matrix, &LOADS));
            jobs.extend(sizes(BenchWork::Tree, &LOADS));
        }
        jobs
    }

    /// The largest working set of a draw, bytes.
    pub(super) fn most(&self, kind: Kind, draw: usize, colors: usize) -> usize {
        let jobs = self.jobs(kind, draw, colors, true);
        jobs.iter().map(|(_, bytes)| *bytes).max().unwrap_or(0)
    }
}
