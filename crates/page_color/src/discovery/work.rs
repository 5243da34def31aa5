//! The whole search: color by color, until every page has one.

mod doubles;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

use super::classify::{Ballot, agreeing, controls, few, members};
use super::reduce::Tester;
use super::{Cache, Color, Page, Palette, Refusal, Scale, below, calibrate, median, shuffle, ways};

/// Size of the first set for a color, relative to the cache: then each color has more pages than
/// ways even if it has fewer than average.
const SLACK: f64 = 1.7;

/// Additional pages, for small caches (or remainders). Not more: when few colors are left, all
/// surplus pages are of these, and a large surplus makes two colors look like one.
const SLACK_PAGES: usize = 8;

/// Most pages without a color, in percent; with more, the result is rejected.
const MOST_STRAYS: usize = 2;

/// Most tests per page of the cache: 40 to 60 are needed on an idle core, up to 120 with a busy SMT sibling. A
/// search that takes more does not succeed.
const MOST_TESTS: u64 = 200;

/// Attempts with a set that is not stable.
const TRIES: u32 = 3;

/// Pages tested at once: a quarter of the cache, so that few evict each other (those are tested again in
/// smaller groups), and no more than amortizes the loading of a set: longer tests suffer more from other
/// users of the cache.
const BATCH: (u32, usize) = (4, 64);

/// Size of a test set relative to a minimal one. Without true LRU, a minimal set does not evict
/// every time.
const MARGIN: (usize, usize) = (3, 2);

/// A core is reduced from this many pages, mostly of one color: three times the ways of most caches.
const CORE_FROM: usize = 48;

/// Pages searched for a core's candidates, relative to the cache without known colors: as many times its
/// ways are then of the color. Searching all pages would dominate the cost.
const SOME: usize = 5;

/// If the set is itself a core, its other pages are searched for in fewer: half of its ways are needed.
const FEW: usize = 2;

/// No L2 has fewer ways. If a neighbor leaves fewer, colors cannot be distinguished (simulated: 7 of
/// 16 found with 2 of 8 ways left).
const FEWEST_WAYS: u32 = 4;

/// Colors times ways is the cache size in pages, which is also about where half of all pages are
/// evicted. Simulated, their ratio is 0.95 to 1.07, or five where a neighbor's lines left two colors of
/// sixteen.
const MOST_APART: u32 = 2;

/// When less than an eighth of the pages is left and one turns out to have a known color, many more
/// do, and all are tested at once.
const FEW_LEFT: usize = 8;

/// Votes on a single page.
const VOTES: usize = 2;

/// Final check: this many pages of each color are tested against all colors, and this percentage must
/// match their own and no other. One color of sixteen found twice, or mixed from many, gives 94.
const HELD: usize = 16;
const HOLD: u32 = 97;

/// True if sample pages of each color are evicted by its set and by no other.
fn holds(
    cache: &mut impl Cache,
    palette: &Palette,
    by_color: &[Vec<Page>],
    rng: &mut impl Rng,
) -> bool {
    let mut some = Vec::new();
    for (color, pages) in by_color.iter().enumerate() {
        let others = pages.iter().filter(|p| !palette.sets[color].contains(p));
        some.extend(others.take(HELD).map(|&page| (page, color as Color)));
    }
    // Tested at once, pages of one color would evict each other.
    shuffle(&mut some, rng);
    // An invalid set never passes by accident, so one positive vote suffices.
    [1, 3].into_iter().any(|votes| {
        let (_, most) = agreeing(cache, palette, &some, votes);
        most * 100 >= some.len() as u32 * HOLD
    })
}

/// A color with so many times fewer pages than the middle one is none: chance hardly makes that of 20 pages a color, and
/// a set that was found while other work evicted everything is evicted by nothing but itself.
const FEWER: usize = 4;

/// What is known of a page.
enum Known {
    Color(Color),
    /// No set found so far evicts it.
    New,
    /// Votes differ, or two sets evict it.
    Doubtful,
}

pub(super) struct Search<'a, C> {
    tester: Tester<'a, C>,
    rng: Xoshiro256PlusPlus,
    colors: Vec<Option<Color>>,
    sets: Vec<Vec<Page>>,
    batch: usize,
    /// Pages of the smallest core found so far.
    least: Option<usize>,
    /// Size of each color's initial set, in pages.
    begun_with: Vec<usize>,
}

impl<'a, C: Cache> Search<'a, C> {
    pub(super) fn new(cache: &'a mut C, scale: Scale, rng: Xoshiro256PlusPlus) -> Self {
        let (share, most) = BATCH;
        Search {
            rng,
            colors: vec![None; cache.pages() as usize],
            sets: Vec::new(),
            least: None,
            begun_with: Vec::new(),
            batch: ((scale.half_at / share) as usize).clamp(1, most),
            tester: Tester {
                cache,
                scale,
                tests: 0,
            },
        }
    }

    pub(super) fn discover(mut self) -> Result<Palette, Refusal> {
        // Pages whose votes contradict each other, and pages that fit no color.
        let (mut doubtful, mut strays) = (Vec::new(), Vec::new());
        let mut tries = 0;
        loop {
            let mut open = self.open(&[&doubtful[..], &strays].concat());
            shuffle(&mut open, &mut self.rng);
            let Some(page) = open.pop() else {
                tries += 1;
                if tries <= TRIES && self.take_back() {
                    continue;
                }
                break;
            };
            match self.known(page) {
                Known::Color(color) => {
                    self.colors[page.0 as usize] = Some(color);
                    if open.len() * FEW_LEFT < self.colors.len() {
                        self.sweep(&open);
                    }
                }
                Known::Doubtful => doubtful.push(page),
                Known::New if self.find_color_of(page, &open) => {}
                Known::New => strays.push(page),
            }
            let endless = self.tester.tests > MOST_TESTS * u64::from(self.tester.scale.half_at);
            if endless || strays.len() * 100 > self.colors.len() * MOST_STRAYS {
                return Err(self.unsteady(strays.len()));
            }
        }
        for page in doubtful.into_iter().chain(strays) {
            let sets: Vec<usize> = (0..self.sets.len())
                .filter(|&color| self.tester.mostly_out(page, &self.sets[color]))
                .collect();
            if let [color] = sets[..] {
                self.colors[page.0 as usize] = Some(color as Color);
            }
        }
        self.settle()
    }

    /// Tests pages against all colors found so far, for those missed by an earlier vote.
    fn sweep(&mut self, open: &[Page]) {
        for color in 0..self.sets.len() {
            let set = self.sets[color].clone();
            let open = open.iter().copied();
            let open: Vec<Page> = open
                .filter(|p| self.colors[p.0 as usize].is_none())
                .collect();
            for page in self.pushed_out_by(&set, &open, &set) {
                self.colors[page.0 as usize] = Some(color as Color);
            }
        }
    }

    /// Pages without a color that were not set aside.
    fn open(&self, aside: &[Page]) -> Vec<Page> {
        let without = self.colors.iter().enumerate().filter(|(_, c)| c.is_none());
        without
            .map(|(i, _)| Page(i as u32))
            .filter(|page| !aside.contains(page))
            .collect()
    }

    /// The color of a page among those found.
    fn known(&mut self, page: Page) -> Known {
        let mut answer = Known::New;
        for color in 0..self.sets.len() {
            let votes = (0..VOTES).filter(|_| self.tester.out(page, &self.sets[color]));
            answer = match (votes.count(), answer) {
                (0, answer) => answer,
                (VOTES, Known::New) => Known::Color(color as Color),
                _ => return Known::Doubtful,
            };
        }
        answer
    }

    /// Searches the remaining pages for the color of `page`; false if it was not found.
    fn find_color_of(&mut self, page: Page, open: &[Page]) -> bool {
        let wanted = self.held_of(open) * SLACK;
        for attempt in 0..TRIES {
            // Twice as many each time, up to all; then other pages.
            let count = ((wanted as usize + SLACK_PAGES) << attempt).min(open.len());
            let from = below(&mut self.rng, open.len() - count + 1);
            let set = open[from..from + count].to_vec();
            if !self.tester.mostly_out(page, &set) {
                continue;
            }
            let Some(rough) = self.tester.reduce(page, set, &mut self.rng) else {
                continue;
            };
            if self.found(page, &rough, open) {
                return true;
            }
        }
        false
    }

    /// Extends a rough set to all pages of its color.
    ///
    /// First to a set that reliably evicts its color, then to pages evicted by others of their color, and
    /// last to all pages evicted by these.
    fn found(&mut self, page: Page, rough: &[Page], open: &[Page]) -> bool {
        // Fewer than twice the number of ways cannot be two colors.
        let few = |least: usize| rough.len() <= least * MARGIN.0 / MARGIN.1;
        let alike = match self.least.filter(|&least| few(least)) {
            Some(least) => {
                // A minimal set evicts in one pass only some of the time.
                let twice = [rough, rough].concat();
                let mut alike = self.pushed_out_by(&twice, self.some(open, FEW), rough);
                shuffle(&mut alike, &mut self.rng);
                alike.extend(rough);
                Some((alike, least))
            }
            None => self.refined(page, rough, open),
        };
        let Some((alike, core)) = alike else {
            return false;
        };
        let set = self.consistent(&alike, core * MARGIN.0 / MARGIN.1);
        if set.len() < core {
            return false;
        }
        let color = self.sets.len() as Color;
        let more = self.pushed_out_by(&set, open, &set);
        for page in [page].iter().chain(&more).chain(&set) {
            self.colors[page.0 as usize] = Some(color);
        }
        self.sets.push(set);
        self.begun_with.push(rough.len());
        true
    }

    /// Pages of the color of `page`, and the size of its core.
    ///
    /// The rough set may have many unneeded pages, but what it evicts is mostly of the color of
    /// `page`. So that is reduced once more, to little more than a core.
    fn refined(&mut self, page: Page, rough: &[Page], open: &[Page]) -> Option<(Vec<Page>, usize)> {
        let mut candidates = self.pushed_out_by(rough, self.some(open, SOME), rough);
        shuffle(&mut candidates, &mut self.rng);
        // Last, as some may not be of this color.
        candidates.extend(rough);
        let most = rough.len().max(CORE_FROM).min(candidates.len());
        let core = self.core(page, candidates[..most].to_vec())?;
        let mut alike = self.pushed_out_by(&core, &candidates, &core);
        alike.extend(&core);
        self.least = Some(self.least.map_or(core.len(), |least| least.min(core.len())));
        Some((alike, core.len()))
    }

    /// The first of `open`, `times` the cache's capacity for their colors.
    fn some<'p>(&self, open: &'p [Page], times: usize) -> &'p [Page] {
        let some = self.held_of(open) * times as f64;
        &open[..(some as usize + SLACK_PAGES).min(open.len())]
    }

    /// The cache's capacity for the colors of `open` plus one page, in pages.
    fn held_of(&self, open: &[Page]) -> f64 {
        let share = (open.len() + 1) as f64 / self.colors.len() as f64;
        f64::from(self.tester.scale.half_at) * share
    }

    /// Reduces until the set no longer changes.
    fn core(&mut self, page: Page, mut set: Vec<Page>) -> Option<Vec<Page>> {
        for _ in 0..TRIES {
            let before = set.len();
            set = self.tester.reduce(page, set, &mut self.rng)?;
            if set.len() * 10 > before * 9 {
                break;
            }
        }
        Some(set)
    }

    /// Those of `open`, except `without`, that `set` evicts.
    fn pushed_out_by(&mut self, set: &[Page], open: &[Page], without: &[Page]) -> Vec<Page> {
        let rest = open.iter().copied().filter(|p| !without.contains(p));
        let rest: Vec<Page> = rest.collect();
        // The remainder has fewer and fewer colors, so more pages of a batch share one.
        let share = rest.len() as f64 / self.colors.len() as f64;
        let batch = ((self.batch as f64 * share) as usize).max(few(set));
        // The set may be that of a color found before.
        let own = self.sets.iter().position(|found| found.as_slice() == set);
        let controls = controls(&self.sets, own.unwrap_or(self.sets.len()));
        let ballot = Ballot {
            scale: self.tester.scale,
            batch,
            controls: &controls,
        };
        members(self.tester.cache, set, &rest, ballot)
    }

    /// `count` of `candidates`, each evicted by the others; fewer if there are not enough.
    fn consistent(&mut self, candidates: &[Page], count: usize) -> Vec<Page> {
        let mut set: Vec<Page> = candidates.iter().copied().take(count).collect();
        let mut next = set.len();
        let mut at = 0;
        while at < set.len() {
            let others: Vec<Page> = [&set[..at], &set[at + 1..]].concat();
            if self.tester.mostly_out(set[at], &others) {
                at += 1;
            } else if let Some(&other) = candidates.get(next) {
                set[at] = other;
                next += 1;
            } else {
                set.remove(at);
            }
        }
        set
    }

    /// Merges duplicate colors: sample pages of one are evicted by the set of the other.
    fn join(&mut self) {
        let mut color = 0;
        while color < self.sets.len() {
            let some: Vec<Page> = self.sets[color].iter().copied().take(3).collect();
            let same = (0..color).find(|&other| {
                some.iter()
                    .all(|&page| self.tester.mostly_out(page, &self.sets[other]))
            });
            let Some(same) = same else {
                color += 1;
                continue;
            };
            self.sets.remove(color);
            for name in self.colors.iter_mut().flatten() {
                match usize::from(*name) {
                    n if n == color => *name = same as Color,
                    n if n > color => *name -= 1,
                    _ => {}
                }
            }
        }
    }

    /// Counts the ways, once the colors are known.
    fn settle(mut self) -> Result<Palette, Refusal> {
        self.join();
        let strays = self.colors.iter().filter(|c| c.is_none()).count();
        if self.single().contains(&false) {
            return Err(self.unsteady(strays));
        }
        let mut by_color = vec![Vec::new(); self.sets.len()];
        for (i, color) in self.colors.iter().enumerate() {
            if let Some(color) = color {
                by_color[usize::from(*color)].push(Page(i as u32));
            }
        }
        let mut pages: Vec<u32> = by_color.iter().map(|pages| pages.len() as u32).collect();
        let middle = median(&mut pages) as usize;
        if by_color.iter().any(|pages| pages.len() * FEWER < middle) {
            return Err(self.unsteady(strays));
        }
        let slices: Vec<&[Page]> = by_color.iter().map(Vec::as_slice).collect();
        let known = self.sets.iter().map(Vec::as_slice);
        let known = known.zip(slices.iter().copied());
        self.tester.scale = calibrate::again(self.tester.cache, self.tester.scale, known);
        let usual = self.usual();
        let Some(ways) = ways::count(&mut self.tester, &slices, usual, &mut self.rng) else {
            return Err(self.unsteady(strays));
        };
        if ways.count < FEWEST_WAYS {
            return Err(Refusal::FewWays { ways: ways.count });
        }
        let (found, acts) = (
            ways.count * self.sets.len() as u32,
            self.tester.scale.half_at,
        );
        if found > acts * MOST_APART || acts > found * MOST_APART {
            return Err(Refusal::Mismatch { found, acts });
        }
        // Sets of pages known to be of one color, of the required size.
        let enough = ways.count as usize * MARGIN.0 / MARGIN.1;
        for (color, pages) in by_color.iter().enumerate() {
            let mut pages = pages.to_vec();
            shuffle(&mut pages, &mut self.rng);
            let set = self.consistent(&pages, enough);
            if set.len() >= ways.count as usize {
                self.sets[color] = set;
            }
        }
        let strays = self.unsteady(strays);
        let palette = Palette {
            ways,
            scale: self.tester.scale,
            tests: self.tester.tests,
            sets: self.sets,
            colors: self.colors,
            batch: self.batch,
        };
        if holds(self.tester.cache, &palette, &by_color, &mut self.rng) {
            Ok(palette)
        } else {
            Err(strays)
        }
    }

    /// The most common initial set size.
    fn usual(&self) -> Option<usize> {
        let times = |pages: usize| self.begun_with.iter().filter(|&&n| n == pages).count();
        let pages = self.begun_with.iter().copied();
        pages.max_by_key(|&pages| times(pages))
    }

    fn unsteady(&self, strays: usize) -> Refusal {
        Refusal::Unsteady {
            strays: strays as u32,
            pages: self.colors.len() as u32,
        }
    }
}
