//! Many pages against the sets of known colors.

use super::{Cache, Color, Page, Palette};

/// How often repeated tests gave the same color.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Agreement {
    /// Pages tested against every color.
    pub pages: u32,
    /// Of these, how many had their color, and no other, with one vote.
    pub one_vote: u32,
    /// The same with the majority of three.
    pub three_votes: u32,
}

/// One vote for each of `pages`: is it pushed out by `set`? Tested `batch` at a time, so that the set
/// is loaded once for many.
pub(super) fn vote(
    cache: &mut impl Cache,
    set: &[Page],
    pages: &[Page],
    threshold: u32,
    batch: usize,
) -> Vec<bool> {
    let mut out = Vec::with_capacity(pages.len());
    for pages in pages.chunks(batch.max(1)) {
        for &page in pages {
            cache.load(page);
        }
        cache.traverse(set);
        out.extend(pages.iter().map(|&page| cache.probe(page) > threshold));
    }
    out
}

/// Those of `pages` that `set` pushes out: said by the first vote, and by two of three in all.
///
/// Pages that the first vote misses (a few in ten thousand) are left for later; asking all of them
/// three times would cost three times as much.
pub(super) fn members(
    cache: &mut impl Cache,
    set: &[Page],
    pages: &[Page],
    threshold: u32,
    batch: usize,
) -> Vec<Page> {
    let chosen = |cache: &mut _, pages: &[Page]| -> (Vec<Page>, Vec<Page>) {
        let votes = vote(cache, set, pages, threshold, batch);
        let (yes, no): (Vec<_>, Vec<_>) = pages.iter().zip(votes).partition(|(_, vote)| *vote);
        let only = |side: Vec<(&Page, bool)>| side.into_iter().map(|(page, _)| *page).collect();
        (only(yes), only(no))
    };
    let (first, _) = chosen(cache, pages);
    let (mut both, doubtful) = chosen(cache, &first);
    let (third, _) = chosen(cache, &doubtful);
    both.extend(third);
    both
}

/// The colors of `pages`, those that fit none left without.
pub(super) fn colors_of(
    cache: &mut impl Cache,
    palette: &Palette,
    pages: &[Page],
) -> Vec<Option<Color>> {
    let mut colors = vec![None; pages.len()];
    // Twice: the second time finds those that a vote missed.
    for _ in 0..2 {
        for (color, set) in palette.sets.iter().enumerate() {
            let open: Vec<usize> = (0..pages.len()).filter(|&i| colors[i].is_none()).collect();
            let asked: Vec<Page> = open.iter().map(|&i| pages[i]).collect();
            let threshold = palette.scale.threshold;
            let mut found = members(cache, set, &asked, threshold, palette.batch);
            found.sort_unstable();
            for i in open {
                if found.binary_search(&pages[i]).is_ok() {
                    colors[i] = Some(color as Color);
                }
            }
        }
    }
    colors
}

/// See [`super::agreement`].
pub(super) fn agreement(
    cache: &mut impl Cache,
    palette: &Palette,
    pages: &[(Page, Color)],
) -> Agreement {
    let asked: Vec<Page> = pages.iter().map(|(page, _)| *page).collect();
    let mut one = vec![true; pages.len()];
    let mut three = vec![true; pages.len()];
    for (color, set) in palette.sets.iter().enumerate() {
        let mut yes = vec![0_u8; pages.len()];
        for round in 0..3 {
            let votes = vote(cache, set, &asked, palette.scale.threshold, palette.batch);
            for (i, vote) in votes.into_iter().enumerate() {
                yes[i] += u8::from(vote);
                if round == 0 {
                    one[i] &= vote == (usize::from(pages[i].1) == color);
                }
            }
        }
        for (i, yes) in yes.into_iter().enumerate() {
            three[i] &= (yes >= 2) == (usize::from(pages[i].1) == color);
        }
    }
    let count = |same: Vec<bool>| same.into_iter().filter(|same| *same).count() as u32;
    Agreement {
        pages: pages.len() as u32,
        one_vote: count(one),
        three_votes: count(three),
    }
}
