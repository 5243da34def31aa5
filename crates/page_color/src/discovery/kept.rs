//! Colors again by pages that an earlier search put together, instead of another search.
//!
//! What tells a color is a set of frames. While these stay where they are, pages of any process can be held against
//! them: so new sets are made of fresh pages, and then it is checked that each of these is of one color. Whatever
//! happened to the old frames since, or to the machine, shows there.

use super::classify::{Ballot, agreeing, few, members};
use super::{Cache, Color, Page, Palette, Scale, Ways};

/// A set has so many times as many pages as there are ways, and at least so many: as a search makes them.
const WANTED: (usize, usize) = (3, 2);
const LEAST: (usize, usize) = (5, 4);

/// Pages of each color beyond its set, which are held against all sets.
const ASKED: usize = 3;

/// So many percent of them must be of their color and no other, as after a search.
const HOLD: u32 = 97;

/// Fresh pages for each that the cache holds: a color of 8 ways has 24 of them then, and one in some thousands fewer than
/// it takes.
pub const FRESH: u32 = 3;

/// Sets of an earlier search, by pages that need not be fit to be probed.
#[derive(Debug, Clone)]
pub struct Old {
    /// Pages of each color.
    pub sets: Vec<Vec<Page>>,
    /// Ways.
    pub ways: Ways,
    /// What a hit and a miss look like.
    pub scale: Scale,
    /// Pages tested at once.
    pub batch: usize,
}

impl Old {
    /// So many fresh pages are needed to find all colors in.
    pub fn fresh_pages(&self) -> usize {
        (self.ways.count * FRESH) as usize * self.sets.len()
    }
}

/// From `pages`, some of each color of `old`: `of_each` of them, or as many as there are. Fewer pages are tested than in
/// a search, as each color takes only what it needs.
pub fn gather(cache: &mut impl Cache, old: &Old, pages: &[Page], of_each: usize) -> Vec<Vec<Page>> {
    let mut open = pages.to_vec();
    let count = old.sets.len();
    let mut gathered = Vec::with_capacity(count);
    for (color, set) in old.sets.iter().enumerate() {
        // The rest is of fewer and fewer colors: no more at once than would push out each other.
        let batch = (old.batch * (count - color) / count).max(few(set));
        let ballot = Ballot {
            scale: old.scale,
            batch,
            // Old pages may not be probed.
            controls: &[],
        };
        let mut found = Vec::new();
        let mut looked = 0;
        while found.len() < of_each && looked < open.len() {
            let end = (looked + batch).min(open.len());
            found.extend(members(cache, set, &open[looked..end], ballot));
            looked = end;
        }
        open.retain(|page| !found.contains(page));
        gathered.push(found);
    }
    gathered
}

/// The colors of `fresh` pages, as far as they are needed, by those of `old`; none where these are of no color any more.
pub fn recognize(cache: &mut impl Cache, old: &Old, fresh: &[Page]) -> Option<Palette> {
    let ways = old.ways.count as usize;
    let (wanted, least) = (ways * WANTED.0 / WANTED.1, ways * LEAST.0 / LEAST.1);
    let gathered = gather(cache, old, fresh, wanted + ASKED);
    let mut colors = vec![None; cache.pages() as usize];
    let (mut sets, mut asked) = (Vec::new(), Vec::new());
    for (color, pages) in gathered.into_iter().enumerate() {
        if pages.len() < least + ASKED {
            return None;
        }
        for page in &pages {
            colors[page.0 as usize] = Some(color as Color);
        }
        let (others, set) = pages.split_at(ASKED);
        asked.extend(others.iter().map(|&page| (page, color as Color)));
        sets.push(set[..wanted.min(set.len())].to_vec());
    }
    let palette = Palette {
        sets,
        ways: old.ways,
        scale: old.scale,
        colors,
        tests: 0,
        batch: old.batch,
    };
    // As after a search: where one vote says so, that will do.
    let holds = [1, 3].into_iter().any(|votes| {
        let (_, most) = agreeing(cache, &palette, &asked, votes);
        most * 100 >= asked.len() as u32 * HOLD
    });
    holds.then_some(palette)
}
