//! Finds the colors of this process's pages with the launcher's sets.
#![allow(unsafe_code)]

use core::sync::atomic::Ordering::Relaxed;

use super::reason::COLORS;
use super::shared::{LINES, Shared};
use super::{sys, timed};

/// No color; no slot.
pub(crate) const NONE: u16 = u16::MAX;
/// Pages classified together.
pub(crate) const LOOK: usize = 256;
/// Most repetitions of votes if the thread migrated.
const AGAIN: u32 = 3;

/// Writes the ring of pointers that a walk follows.
///
/// # Safety
/// `page` is a page of the caller's; `samples` are offsets of lines in it.
pub(crate) unsafe fn chain(page: usize, samples: &[u16]) {
    for (i, at) in samples.iter().enumerate() {
        let next = samples.get(i + 1).or(samples.first()).copied().unwrap_or(0);
        let at = (page + usize::from(*at)) as *mut usize;
        // SAFETY: the start of a line in the caller's page.
        unsafe { at.write(page + usize::from(next)) };
    }
}

/// Parameters of a vote.
struct Votes<'a> {
    shared: &'a Shared,
    /// Offsets of the lines of a walk, and of all lines.
    samples: &'a [u16],
    lines: &'a [u16],
    threshold: u64,
}

impl Votes<'_> {
    /// Loads the lines of a walk in parallel.
    fn load(&self, page: usize) {
        // SAFETY: sample lines of a page with a chain.
        unsafe { timed::load(page as *const u8, self.samples) };
    }

    fn probe(&self, page: usize) -> u64 {
        let start = (page + usize::from(self.samples.first().copied().unwrap_or(0))) as *const u8;
        // SAFETY: `chain` made a ring of the page's sample lines.
        unsafe { timed::walk(start, self.samples.len() as u64) }.0
    }

    /// Loads the pages of a color's set.
    fn traverse(&self, color: usize) {
        let bound = |i: usize| {
            self.shared
                .set_start
                .get(i)
                .map_or(0, |at| at.load(Relaxed))
        };
        let (from, to) = (bound(color) as usize, bound(color + 1) as usize);
        let base = core::ptr::from_ref(self.shared) as usize;
        let base = base + self.shared.pages_at.load(Relaxed) as usize;
        let page_size = self.shared.page_size.load(Relaxed) as usize;
        for page in self.shared.set_pages.get(from..to).unwrap_or(&[]) {
            let page = base + page.load(Relaxed) as usize * page_size;
            // SAFETY: a page of the launcher's file, mapped after its first part.
            unsafe { timed::load(page as *const u8, self.lines) };
        }
    }

    /// One vote for each page, at most 64: does the color's set evict it?
    fn cast(&self, color: usize, pages: &[usize]) -> u64 {
        let mut out = 0;
        for _ in 0..AGAIN {
            let cpu = sys::cpu();
            for page in pages {
                self.load(*page);
            }
            self.traverse(color);
            out = 0;
            for (i, page) in pages.iter().enumerate() {
                out |= u64::from(self.probe(*page) > self.threshold) << i;
            }
            if sys::cpu() == cpu {
                break;
            }
        }
        out
    }

    /// The same, so few at a time that pages of one color cannot evict each other.
    fn cast_few(&self, color: usize, pages: &[usize]) -> u64 {
        let few = (self.shared.ways.load(Relaxed) as usize / 2).max(1);
        let mut out = 0;
        for (i, pages) in pages.chunks(few).enumerate() {
            out |= self.cast(color, pages) << (i * few);
        }
        out
    }
}

/// Finds the color of each page; `NONE` if it matches none. As in `placement`: by the first vote, and
/// by two of three in total.
///
/// # Safety
/// `pages` have chains over `samples`; `shared` is `READY` and lies before the pages of its file.
pub(crate) unsafe fn colors(shared: &Shared, samples: &[u16], pages: &[usize], found: &mut [u16]) {
    let line_count = (shared.line_count.load(Relaxed) as usize).min(LINES);
    // SAFETY: `line_count` of them, not written once the stage is `READY`.
    let lines =
        unsafe { core::slice::from_raw_parts(shared.lines.as_ptr().cast::<u16>(), line_count) };
    let votes = Votes {
        shared,
        samples,
        lines,
        threshold: u64::from(shared.threshold.load(Relaxed)),
    };
    if lines.is_empty() || samples.is_empty() {
        return;
    }
    let colors = (shared.colors.load(Relaxed) as usize).min(COLORS);
    let ways = shared.ways.load(Relaxed) as usize;
    let batch = (shared.batch.load(Relaxed) as usize).clamp(1, 64);
    // Twice: the second time finds those that a vote missed.
    for round in 0..2 {
        for color in 0..colors {
            let mut open = [0_u16; LOOK];
            let mut count = 0;
            for (i, color) in found.iter().enumerate() {
                if *color == NONE && count < LOOK {
                    open[count] = i as u16;
                    count += 1;
                }
            }
            // The remainder has fewer and fewer colors: no more at once than could evict each other.
            let few = match round {
                0 => batch * (colors - color) / colors,
                _ => batch,
            };
            let few = few.max((ways / 3).max(1)).min(batch);
            for part in open.get(..count).unwrap_or(&[]).chunks(few) {
                vote(&votes, color, part, pages, found);
            }
        }
    }
}

/// Assigns the color to those pages of `part` that have it.
fn vote(votes: &Votes<'_>, color: usize, part: &[u16], pages: &[usize], found: &mut [u16]) {
    let mut some = [0_usize; 64];
    let mut asked = [0_u16; 64];
    let mut count = 0;
    for index in part.iter().take(64) {
        some[count] = pages.get(usize::from(*index)).copied().unwrap_or(0);
        asked[count] = *index;
        count += 1;
    }
    let mut yes = [0_u8; 64];
    for round in 0..3 {
        let open = some.get(..count).unwrap_or(&[]);
        let out = match round {
            0 => votes.cast(color, open),
            _ => votes.cast_few(color, open),
        };
        let mut kept = 0;
        for i in 0..count {
            let vote = (out >> i & 1) as u8;
            let sum = yes[i] + vote;
            if sum == 2 {
                if let Some(found) = found.get_mut(usize::from(asked[i])) {
                    *found = color as u16;
                }
            } else if round == 1 || vote == 1 {
                // A second round: a single positive vote, then a negative one.
                (some[kept], asked[kept], yes[kept]) = (some[i], asked[i], sum);
                kept += 1;
            }
        }
        count = kept;
        if count == 0 {
            return;
        }
    }
}
