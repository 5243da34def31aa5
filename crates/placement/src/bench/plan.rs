//! What is measured on which draw.

use super::{Kind, Work};
use crate::arena::page_size;

/// What to measure.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The cache's size as found, bytes.
    pub cache_bytes: usize,
    /// Draws.
    pub draws: usize,
    /// Draws at the cache's size, at least as many: how far they lie apart takes more to be known than
    /// where they lie.
    pub edge_draws: usize,
    /// Numbers of colors to measure alone.
    pub few: Vec<usize>,
    /// Seed.
    pub seed: u64,
}

/// Sizes as shares of the cache, in 16ths: close together around its edge, where things happen.
const LATENCY: [usize; 13] = [4, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 24];
/// The cache's size among them.
const EDGE: usize = 16;
/// For bandwidth.
const BANDWIDTH: [usize; 6] = [8, 12, 14, 16, 18, 24];
/// For loads: with room for what else they touch, exactly the cache, and just beyond it.
const LOADS: [usize; 4] = [12, 15, 16, 20];

impl Plan {
    /// Pages that a pool needs for so many draws and draws at the cache's size: all those of colored pages
    /// lie side by side, and besides them those of a few colors at a time. A quarter more, because colors
    /// are found unevenly often, and twice the cache for the pages that test others, some of which are
    /// left over.
    pub fn pool_pages(draws: usize, edge_draws: usize, claimed_cache_bytes: usize) -> usize {
        let share = LATENCY.iter().copied().max().unwrap_or(EDGE);
        let cache = claimed_cache_bytes / page_size();
        let edge = edge_draws.saturating_sub(draws) * cache;
        ((draws + 1) * (cache * share / 16) + edge) * 5 / 4 + 2 * cache
    }

    /// Is that a draw for the cache's size only?
    pub(super) fn at_edge(&self, draw: usize) -> bool {
        draw >= self.draws
    }

    /// What is measured on a draw in a round, of all sizes or of the cache's alone: of a few colors, the same shares
    /// of their part of the cache.
    pub(super) fn jobs(
        &self,
        kind: Kind,
        draw: usize,
        colors: usize,
        all: bool,
    ) -> Vec<(Work, usize)> {
        let part = match kind {
            Kind::Few(few) => self.cache_bytes * few / colors.max(1),
            _ => self.cache_bytes,
        };
        let sizes = |work: Work, shares: &[usize]| -> Vec<(Work, usize)> {
            // Whole lines and vectors: the shares of one color of a small cache may be no whole pages.
            let bytes = |share: &usize| (part * share / 16).next_multiple_of(512);
            shares.iter().map(|share| (work, bytes(share))).collect()
        };
        if self.at_edge(draw) || !all {
            return sizes(Work::Latency, &[EDGE]);
        }
        let mut jobs = sizes(Work::Latency, &LATENCY);
        if !matches!(kind, Kind::Few(_)) {
            jobs.extend(sizes(Work::Bandwidth, &BANDWIDTH));
            jobs.extend(sizes(Work::Matrix, &LOADS));
            jobs.extend(sizes(Work::Tree, &LOADS));
        }
        jobs
    }

    /// The most that is worked on in a draw, bytes.
    pub(super) fn most(&self, kind: Kind, draw: usize, colors: usize) -> usize {
        let jobs = self.jobs(kind, draw, colors, true);
        jobs.iter().map(|(_, bytes)| *bytes).max().unwrap_or(0)
    }
}
