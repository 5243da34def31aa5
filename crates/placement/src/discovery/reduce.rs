//! From many pages that together push out one, to about as few as it takes.

use rand_xoshiro::rand_core::Rng;

use super::{Cache, Page, Scale, shuffle, wait};

/// The first pass leaves out a twelfth at a time: sets are longest then, and with the slack that the first set has, most
/// of these can be done without. (A 24th took half as long again, all of it in that pass.)
const GROUPS: usize = 12;

/// Sets of up to this share of the cache are loaded twice: where it is not always the oldest line that is replaced, just
/// enough pages push out another in one pass only some of the time, and a set could not be reduced to them. Longer ones
/// have pages to spare, and the longer a test takes, the more of it is lost to whoever else uses the cache.
const TWICE: usize = 4;

/// Tests that somebody else on the core may have decided are made so many times.
const TIMES: u32 = 2;

/// A set that no longer pushes out its page gets back what was left out last, so many times.
const SECOND_CHANCES: u32 = 12;

/// Tests one page against sets of others.
pub(super) struct Tester<'a, C> {
    pub(super) cache: &'a mut C,
    pub(super) scale: Scale,
    pub(super) tests: u64,
}

impl<C: Cache> Tester<'_, C> {
    /// Is `page` out after `by` were loaded? One walk.
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
            // A neighbor brings no page back.
            if self.scale.is_clear(ticks) && (!out || self.cache.alone()) {
                break;
            }
        }
        out
    }

    /// Is it out two times of three?
    pub(super) fn mostly_out(&mut self, page: Page, by: &[Page]) -> bool {
        let first = self.out(page, by);
        if self.out(page, by) == first {
            return first;
        }
        self.out(page, by)
    }

    /// Pages of `set` that push out `page`, without most of those that it does not take. `None` if the
    /// set does not push it out, or falls apart in the course of it.
    ///
    /// Where the oldest line is replaced, and nobody else uses the cache, these are exactly as many as
    /// there are ways; elsewhere there may be a few more or fewer.
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
                // A wrong no leaves a page too many; a wrong yes may lose one that is needed.
                if self.out(page, &rest) && self.out(page, &rest) {
                    left_out.push(set.drain(start..end).collect());
                }
                end = start;
            }
            while !self.mostly_out(page, &set) {
                // A wrong answer left out what was needed.
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
