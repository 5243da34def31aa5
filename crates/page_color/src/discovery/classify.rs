//! Tests many pages against the sets of known colors.

use super::{Cache, Color, Page, Palette, Scale, wait};

/// How often repeated tests gave the same color.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Agreement {
    /// Pages tested against every color.
    pub pages: u32,
    /// Of these, how many matched only their own color with one vote.
    pub one_vote: u32,
    /// The same with the majority of three.
    pub three_votes: u32,
}

/// Test parameters, common to all votes of a search.
#[derive(Clone, Copy)]
pub(super) struct Ballot<'a> {
    /// Interpretation of a walk's time.
    pub(super) scale: Scale,
    /// Pages tested at once, so that the set is loaded once for many.
    pub(super) batch: usize,
    /// Control pages of other colors, which only other users of the cache can evict: if one is evicted,
    /// the vote is invalid. Empty while no other color is known.
    pub(super) controls: &'a [Page],
}

/// Attempts for a batch that a control page or the sibling check found disturbed.
const TIMES: u32 = 2;

/// Then in halves, which take less time each, down to this size: below it, loading the set dominates.
const HALVED: usize = 8;

/// So few pages that they cannot evict each other even if all are of one color: a set has 1.5 times as many pages as
/// ways, and a third of it plus the controls is fewer than the ways.
pub(super) fn few(set: &[Page]) -> usize {
    (set.len() / 3).max(1)
}

/// Repetitions for pages with an ambiguous walk.
const AGAIN: u32 = 2;

/// One vote for each of `pages`: does `set` evict it?
///
/// Other users of the cache evict pages and never bring one back. So one hit is conclusive, and a miss must be
/// repeated, the second time with so few pages that they cannot evict each other even if all are of one color.
pub(super) fn vote(
    cache: &mut impl Cache,
    set: &[Page],
    pages: &[Page],
    ballot: Ballot<'_>,
) -> Vec<bool> {
    let scale = ballot.scale;
    let mut ticks = walks(cache, set, pages, ballot);
    let fewer = Ballot {
        batch: few(set).min(ballot.batch.max(1)),
        ..ballot
    };
    for time in 0..AGAIN {
        let open = |&t: &u32| !scale.is_clear(t) || time == 0 && scale.is_out(t);
        let open: Vec<usize> = (0..pages.len()).filter(|&i| open(&ticks[i])).collect();
        let again: Vec<Page> = open.iter().map(|&i| pages[i]).collect();
        for (i, walk) in open.into_iter().zip(walks(cache, set, &again, fewer)) {
            ticks[i] = walk;
        }
    }
    ticks.into_iter().map(|t| scale.is_out(t)).collect()
}

/// Time of a walk over each of `pages` after loading `set`.
fn walks(cache: &mut impl Cache, set: &[Page], pages: &[Page], ballot: Ballot<'_>) -> Vec<u32> {
    let mut ticks = Vec::with_capacity(pages.len());
    for pages in pages.chunks(ballot.batch.max(1)) {
        undisturbed(cache, set, pages, ballot, &mut ticks);
    }
    ticks
}

/// The walks of one batch; in halves, each taking half the time, if the whole batch was disturbed.
fn undisturbed(
    cache: &mut impl Cache,
    set: &[Page],
    pages: &[Page],
    ballot: Ballot<'_>,
    ticks: &mut Vec<u32>,
) {
    let begin = ticks.len();
    let mut pushed_out = false;
    for _ in 0..TIMES {
        ticks.truncate(begin);
        wait(cache);
        // First, because the oldest pages are evicted first.
        for &page in ballot.controls.iter().chain(pages) {
            cache.load(page);
        }
        cache.traverse(set);
        let mut walk = |page: &Page| cache.probe(*page);
        let disturbed = ballot.controls.iter().any(|page| {
            let ticks = walk(page);
            ballot.scale.is_out(ticks) || !ballot.scale.is_clear(ticks)
        });
        ticks.extend(pages.iter().map(walk));
        // Other users never bring a page back: if all hit, none was evicted.
        let any_out = ticks[begin..].iter().any(|&t| ballot.scale.is_out(t));
        let beside = any_out && !cache.alone();
        if !disturbed && !beside {
            return;
        }
        pushed_out = disturbed;
    }
    // Shorter tests help against short disturbances, not against constant ones.
    if pushed_out && pages.len() > HALVED {
        ticks.truncate(begin);
        let (first, second) = pages.split_at(pages.len() / 2);
        undisturbed(cache, set, first, ballot, ticks);
        undisturbed(cache, set, second, ballot, ticks);
    }
}

/// Pages of two other colors, to test pages against `color`.
pub(super) fn controls(sets: &[Vec<Page>], color: usize) -> Vec<Page> {
    let count = sets.len();
    let mut others = vec![
        (color + 1) % count.max(1),
        (color + count.div_ceil(2)) % count.max(1),
    ];
    others.dedup();
    let others = others.into_iter().filter(|&other| other != color);
    others
        .filter_map(|other| sets.get(other)?.first().copied())
        .collect()
}

/// Those of `pages` that `set` evicts, by the first vote and by two of three in total.
///
/// Pages missed by the first vote (a few in ten thousand) are left for later; three votes for all
/// would cost three times as much.
pub(super) fn members(
    cache: &mut impl Cache,
    set: &[Page],
    pages: &[Page],
    ballot: Ballot<'_>,
) -> Vec<Page> {
    let chosen = |cache: &mut _, pages: &[Page]| -> (Vec<Page>, Vec<Page>) {
        let votes = vote(cache, set, pages, ballot);
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

/// The colors of `pages`; none for those that match no color.
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
            let controls = controls(&palette.sets, color);
            let mut found = members(cache, set, &asked, palette.ballot(&controls));
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

/// Votes needed, all negative, to find that a page has left its color.
const STRANGE: usize = 2;

/// See [`super::strangers`].
pub(super) fn strangers(
    cache: &mut impl Cache,
    palette: &Palette,
    pages: &[(Page, Color)],
) -> Vec<Page> {
    let mut strangers = Vec::new();
    for (color, set) in palette.sets.iter().enumerate() {
        let own = pages.iter().filter(|(_, own)| usize::from(*own) == color);
        let mut asked: Vec<Page> = own.map(|(page, _)| *page).collect();
        let controls = controls(&palette.sets, color);
        for _ in 0..STRANGE {
            let out = vote(cache, set, &asked, palette.ballot(&controls));
            let mut out = out.into_iter();
            asked.retain(|_| out.next() == Some(false));
        }
        strangers.extend(asked);
    }
    strangers
}

/// See [`super::agreement`].
pub(super) fn agreement(
    cache: &mut impl Cache,
    palette: &Palette,
    pages: &[(Page, Color)],
) -> Agreement {
    let (one_vote, three_votes) = agreeing(cache, palette, pages, 3);
    Agreement {
        pages: pages.len() as u32,
        one_vote,
        three_votes,
    }
}

/// How many of `pages` match only their own color by the first of several votes, and by majority.
pub(super) fn agreeing(
    cache: &mut impl Cache,
    palette: &Palette,
    pages: &[(Page, Color)],
    votes: u8,
) -> (u32, u32) {
    let asked: Vec<Page> = pages.iter().map(|(page, _)| *page).collect();
    let mut first = vec![true; pages.len()];
    let mut most = vec![true; pages.len()];
    for (color, set) in palette.sets.iter().enumerate() {
        let mut yes = vec![0_u8; pages.len()];
        let controls = controls(&palette.sets, color);
        for round in 0..votes {
            let said = vote(cache, set, &asked, palette.ballot(&controls));
            for (i, said) in said.into_iter().enumerate() {
                yes[i] += u8::from(said);
                if round == 0 {
                    first[i] &= said == (usize::from(pages[i].1) == color);
                }
            }
        }
        for (i, yes) in yes.into_iter().enumerate() {
            most[i] &= (2 * yes > votes) == (usize::from(pages[i].1) == color);
        }
    }
    let count = |same: Vec<bool>| same.into_iter().filter(|same| *same).count() as u32;
    (count(first), count(most))
}
