//! Reduces a set of pages that evicts a page to about the minimum.

use rand_xoshiro::rand_core::Rng;

use super::{Cache, Page, Scale, shuffle, wait};

/// The first pass removes a twelfth at a time: sets are longest then, and the first set has slack, so most parts can be
/// removed. (A 24th took half as long again, all of it in that pass.)
const GROUPS: usize = 12;

/// Sets of up to this share of the cache are loaded twice: without true LRU, a minimal set evicts a page in one pass
/// only some of the time, and a set could not be reduced to it. Longer sets have spare pages, and longer tests suffer
/// more from other users of the cache.
const TWICE: usize = 4;

/// Repetitions of a test that a busy SMT sibling may have affected.
const TIMES: u32 = 2;

/// How often a set that no longer evicts its page gets the last removed part back.
const SECOND_CHANCES: u32 = 12;

/// Tests whether sets of pages evict one page.
pub(super) struct Tester<'a, C> {
    pub(super) cache: &'a mut C,
    pub(super) scale: Scale,
    pub(super) tests: u64,
}

impl<C: Cache> Tester<'_, C> {
    /// True if `page` is evicted after loading `by`. One walk.
    pub(super) fn out(&mut self, page: Page, by: &[Page]) -> bool {
        let mut out = false;
        for _ in 0..TIMES {
            wait(self.cache);
            self.tests += 1;
            self.cache.load(page);
            self.cache.traverse(by);
            if by.len() * TWICE <= self.scale.half_at as usize {
                self.cache.traverse(by);
            }
            let ticks = self.cache.probe(page);
            out = self.scale.is_out(ticks);
            // Other users of the cache never bring a page back.
            if self.scale.is_clear(ticks) && (!out || self.cache.alone()) {
                break;
            }
        }
        out
    }

    /// True if it is evicted in two of three tests.
    pub(super) fn mostly_out(&mut self, page: Page, by: &[Page]) -> bool {
        let first = self.out(page, by);
        if self.out(page, by) == first {
            return first;
        }
        self.out(page, by)
    }

    /// Pages of `set` that evict `page`, without most unneeded ones. `None` if the set does not evict
    /// it, or stops doing so.
    ///
    /// With LRU replacement and no other users of the cache, their number equals the number of ways;
    /// otherwise it may differ by a few.
    pub(super) fn reduce(
        &mut self,
        page: Page,
        mut set: Vec<Page>,
        rng: &mut impl Rng,
    ) -> Option<Vec<Page>> {
        shuffle(&mut set, rng);
        let mut left_out: Vec<Vec<Page>> = Vec::new();
        let mut chances = SECOND_CHANCES;
        let mut group = set.len().div_ceil(GROUPS).max(1);
        loop {
            let mut end = set.len();
            while end > 0 {
                let start = end.saturating_sub(group);
                let rest: Vec<Page> = [&set[..start], &set[end..]].concat();
                // A false negative keeps an unneeded page; a false positive may drop a needed one.
                if self.out(page, &rest) && self.out(page, &rest) {
                    left_out.push(set.drain(start..end).collect());
                }
                end = start;
            }
            while !self.mostly_out(page, &set) {
                // A wrong answer removed needed pages.
                chances = chances.checked_sub(1)?;
                set.extend(left_out.pop()?);
            }
            if group == 1 {
                return Some(set);
            }
            group = (group / 2).max(1);
        }
    }
}
