//! How many pages of one color the cache holds side by side.

use rand_xoshiro::rand_core::Rng;

use super::reduce::Tester;
use super::{Cache, Page, below};

/// Tries of each number of pages with each color.
const TRIES: usize = 3;

/// Walks of a try, all of which must say that the page is out: a neighbor can make some say so.
const WALKS: usize = 3;

/// In at least this share of the tries, where there are as many pages as ways. It need not be most: on
/// one guest 15 pages never pushed out another in every walk, and 16 did so in 50 to 90 % of the tries.
const ENOUGH: f64 = 0.25;

/// A count is sharp where the share leaps by so much from one number of pages to the next. (On a core alone it
/// leaps by 0.85 and more.)
const SHARP: f64 = 0.75;

/// A count that is in doubt is made again, so many in all: somebody was there at that moment.
const COUNTS: usize = 3;

/// The number of ways, and how sharply it shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ways {
    /// So many other pages of its color push a page out.
    pub count: u32,
    /// The share of tries in which one fewer did too: 0 where the oldest line is always replaced.
    pub below: f64,
    /// The share in which so many did: 1 there.
    pub at: f64,
}

/// `usual`, as many pages as most sets were reduced to, where the share leaps there beyond doubt; else one count that is
/// as sharp and says the same, or the middle one of three.
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

/// In this share of the tries so many `pages` of a color push out another, over all colors that have as many.
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

/// Adds pages of one color until they push out another, for all colors alike. `None` if they never do.
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
    // Asked again, one fewer may do after all.
    let (mut below, mut at) = (share(high - 1), share(high));
    while below >= ENOUGH && high > 1 {
        high -= 1;
        (below, at) = (share(high - 1), below);
    }
    // A neighbor's line takes a way in some of the tries: the ways are where the share leaps.
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
