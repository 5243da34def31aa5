//! The number of pages of one color that the cache holds.

use rand_xoshiro::rand_core::Rng;

use super::reduce::Tester;
use super::{Cache, Page, below};

/// Trials per number of pages and color.
const TRIES: usize = 3;

/// Walks per trial; all must find the page evicted, because a neighbor can cause some to.
const WALKS: usize = 3;

/// Least share of trials with an eviction when there are as many pages as ways. It can be low: on one
/// guest 15 pages never evicted another in every walk, and 16 did so in 50 to 90 % of the trials.
const ENOUGH: f64 = 0.25;

/// A count is sharp where the share jumps by this much from one number of pages to the next. (On an idle core
/// it jumps by at least 0.85.)
const SHARP: f64 = 0.75;

/// Most counts in total; a doubtful count is repeated, as it was probably disturbed.
const COUNTS: usize = 3;

/// The number of ways, and how sharply it is determined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ways {
    /// The number of other pages of its color that evict a page.
    pub count: u32,
    /// The share of trials in which one fewer did too: 0 with true LRU.
    pub below: f64,
    /// The share in which this number did: 1 with true LRU.
    pub at: f64,
}

/// `usual`, the most common reduced set size, if the share clearly jumps there; else a count that is as sharp and
/// agrees, or the median of three.
pub(super) fn count<C: Cache>(
    tester: &mut Tester<'_, C>,
    by_color: &[&[Page]],
    usual: Option<usize>,
    rng: &mut impl Rng,
) -> Option<Ways> {
    let sharp = |ways: &Ways| ways.below < ENOUGH && ways.at - ways.below >= SHARP;
    if let Some(usual) = usual.filter(|&usual| usual > 1) {
        let [below, at] = [usual - 1, usual].map(|pages| share(tester, by_color, pages, rng));
        let ways = Ways {
            count: usual as u32,
            below,
            at,
        };
        if sharp(&ways) {
            return Some(ways);
        }
    }
    let mut counts: Vec<Ways> = Vec::new();
    for _ in 0..COUNTS {
        let Some(ways) = once(tester, by_color, rng) else {
            continue;
        };
        if sharp(&ways) && usual.is_none_or(|usual| usual == ways.count as usize) {
            return Some(ways);
        }
        counts.push(ways);
    }
    counts.sort_by_key(|ways| ways.count);
    counts.get(counts.len() / 2).copied()
}

/// The share of trials in which `pages` pages of a color evict another, over all colors with enough pages.
fn share<C: Cache>(
    tester: &mut Tester<'_, C>,
    by_color: &[&[Page]],
    pages: usize,
    rng: &mut impl Rng,
) -> f64 {
    let (mut out, mut tries) = (0u32, 0u32);
    for color in by_color.iter().filter(|color| color.len() > pages) {
        let mut color = color.to_vec();
        for _ in 0..TRIES {
            for i in 0..=pages {
                let other = i + below(rng, color.len() - i);
                color.swap(i, other);
            }
            let (page, others) = (color[0], &color[1..=pages]);
            out += u32::from((0..WALKS).all(|_| tester.out(page, others)));
            tries += 1;
        }
    }
    f64::from(out) / f64::from(tries.max(1))
}

/// Adds pages of one color until they evict another, for all colors together. `None` if they never do.
fn once<C: Cache>(
    tester: &mut Tester<'_, C>,
    by_color: &[&[Page]],
    rng: &mut impl Rng,
) -> Option<Ways> {
    let most = by_color
        .iter()
        .map(|color| color.len())
        .max()?
        .saturating_sub(1);
    let mut share = |pages: usize| share(tester, by_color, pages, rng);
    // By doubling, then halving: the share grows with the number.
    let mut high = 1;
    while share(high) < ENOUGH {
        if high == most {
            return None;
        }
        high = (2 * high).min(most);
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if share(middle) < ENOUGH {
            low = middle;
        } else {
            high = middle;
        }
    }
    // In a repeated test, one fewer may suffice.
    let (mut below, mut at) = (share(high - 1), share(high));
    while below >= ENOUGH && high > 1 {
        high -= 1;
        (below, at) = (share(high - 1), below);
    }
    // A neighbor's line occupies a way in some trials: the number of ways is where the share jumps.
    while high < most {
        let above = share(high + 1);
        if above - at <= at - below {
            break;
        }
        high += 1;
        (below, at) = (at, above);
    }
    Some(Ways {
        count: high as u32,
        below,
        at,
    })
}
