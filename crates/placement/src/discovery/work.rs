//! The whole search: one color after the other, until every page has one.

mod doubles;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

use super::classify::{Ballot, agreeing, controls, few, members};
use super::reduce::Tester;
use super::{Cache, Color, Page, Palette, Refusal, Scale, below, calibrate, median, shuffle, ways};

/// The first set for a color holds so many times the pages that the cache does: then each color has
/// more than its ways even where a few are short of their share.
const SLACK: f64 = 1.7;

/// And so many pages more, for caches (or rests) of few pages. No more: when few colors are left, all
/// that is superfluous is of these, and enough of it makes two colors look like one.
const SLACK_PAGES: usize = 8;

/// Pages that fit no color, in percent of all: more, and nothing found is believed.
const MOST_STRAYS: usize = 2;

/// So many tests for each page that the cache holds: on a core alone it takes 40 to 60, beside somebody up to 120.
/// A search that takes more finds nothing in the end.
const MOST_TESTS: u64 = 200;

/// Tries of a set that does not hold.
const TRIES: u32 = 3;

/// Pages tested at once: a quarter of what the cache holds, so that hardly any push out each other (and those
/// are asked again, among fewer), and no more than amortises the loading of a set: the longer a test takes,
/// the more of it is lost to whoever else uses the cache.
const BATCH: (u32, usize) = (4, 64);

/// A set for testing has so many times as many pages as are just enough. Where it is not always the
/// oldest line that is replaced, just enough is not enough each time.
const MARGIN: (usize, usize) = (3, 2);

/// A core is reduced from so many pages, which are mostly of one color: three times the ways of most
/// caches.
const CORE_FROM: usize = 48;

/// A core's candidates are looked for in so many times the pages that the cache holds, less what is of known
/// colors: as many times its ways are of the color, and looking at all pages costs more than anything else.
const SOME: usize = 5;

/// Where the set at hand is a core itself, its other pages are looked for in fewer: half of its ways are wanted.
const FEW: usize = 2;

/// No second-level cache has fewer ways. With fewer left by a neighbor, colors can no longer be told
/// apart (simulated: 7 of 16 were found where a neighbor left 2 ways of 8).
const FEWEST_WAYS: u32 = 4;

/// Colors times ways is the cache in pages, which is also about where half of all pages are pushed out;
/// simulated they lie within 0.95 to 1.07 of each other, or five times apart where a neighbor's lines
/// made two colors of sixteen.
const MOST_APART: u32 = 2;

/// When less than an eighth of the pages is left and one turns out to be of a known color, many more
/// are, and all are tested at once.
const FEW_LEFT: usize = 8;

/// Votes on a single page.
const VOTES: usize = 2;

/// So many pages of each color are held against all colors in the end, and so many percent of them must be
/// of theirs and of no other: one color of sixteen found twice, or made of pages of many, leaves 94.
const HELD: usize = 16;
const HOLD: u32 = 97;

/// Are some pages of each color pushed out by its set and by no other?
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
    // Tested at once, pages of one color would push out each other.
    shuffle(&mut some, rng);
    // Nothing makes a set that is not one look like one: where one vote says so, that will do.
    [1, 3].into_iter().any(|votes| {
        let (_, most) = agreeing(cache, palette, &some, votes);
        most * 100 >= some.len() as u32 * HOLD
    })
}

/// A color with so many times fewer pages than the middle one is none: chance hardly makes that of 20 pages a color, and
/// a set that was found while somebody pushed everything out is pushed out by nothing but itself.
const FEWER: usize = 4;

/// What is known of a page.
enum Known {
    Color(Color),
    /// No set found so far pushes it out.
    New,
    /// Votes differ, or two sets do.
    Doubtful,
}

pub(super) struct Work<'a, C> {
    tester: Tester<'a, C>,
    rng: Xoshiro256PlusPlus,
    colors: Vec<Option<Color>>,
    sets: Vec<Vec<Page>>,
    batch: usize,
    /// Pages of the smallest core found so far.
    least: Option<usize>,
    /// Pages of the set that each color began with.
    begun_with: Vec<usize>,
}

impl<'a, C: Cache> Work<'a, C> {
    pub(super) fn new(cache: &'a mut C, scale: Scale, rng: Xoshiro256PlusPlus) -> Self {
        let (share, most) = BATCH;
        Work {
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

    /// Tests pages against all colors found so far: for those that a vote missed before.
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

    /// Looks for the color of `page` among the pages that are left; false if it was not found.
    fn find_color_of(&mut self, page: Page, open: &[Page]) -> bool {
        let wanted = self.held_of(open) * SLACK;
        for attempt in 0..TRIES {
            // Twice as many each time, up to all; others if all were tried.
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

    /// From a rough set to all pages of its color.
    ///
    /// First to a set that is sure to push out its color; then come pages that others of their color push
    /// out, and last all that these do.
    fn found(&mut self, page: Page, rough: &[Page], open: &[Page]) -> bool {
        // Of fewer than twice its ways, a cache's pages are no two colors.
        let few = |least: usize| rough.len() <= least * MARGIN.0 / MARGIN.1;
        let alike = match self.least.filter(|&least| few(least)) {
            Some(least) => {
                // Just enough pages push out another in one pass only some of the time.
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

    /// Pages that are of the color of `page`, and how many are a core of it.
    ///
    /// Whatever the rough set holds without need may be much, but what it pushes out is mostly of the
    /// color of `page`. So that is reduced once more, to hardly more than a core.
    fn refined(&mut self, page: Page, rough: &[Page], open: &[Page]) -> Option<(Vec<Page>, usize)> {
        let mut candidates = self.pushed_out_by(rough, self.some(open, SOME), rough);
        shuffle(&mut candidates, &mut self.rng);
        // Last, as one or the other may not be of this color.
        candidates.extend(rough);
        let most = rough.len().max(CORE_FROM).min(candidates.len());
        let core = self.core(page, candidates[..most].to_vec())?;
        let mut alike = self.pushed_out_by(&core, &candidates, &core);
        alike.extend(&core);
        self.least = Some(self.least.map_or(core.len(), |least| least.min(core.len())));
        Some((alike, core.len()))
    }

    /// The first of `open`, `times` as many as the cache holds of their colors.
    fn some<'p>(&self, open: &'p [Page], times: usize) -> &'p [Page] {
        let some = self.held_of(open) * times as f64;
        &open[..(some as usize + SLACK_PAGES).min(open.len())]
    }

    /// So many pages of the colors of `open`, and of a page beside them, the cache holds.
    fn held_of(&self, open: &[Page]) -> f64 {
        let share = (open.len() + 1) as f64 / self.colors.len() as f64;
        f64::from(self.tester.scale.half_at) * share
    }

    /// Reduces until that makes no difference any more.
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

    /// Those of `open`, but for `without`, that `set` pushes out.
    fn pushed_out_by(&mut self, set: &[Page], open: &[Page], without: &[Page]) -> Vec<Page> {
        let rest = open.iter().copied().filter(|p| !without.contains(p));
        let rest: Vec<Page> = rest.collect();
        // The rest is of fewer and fewer colors, so that more of a batch are of the same one.
        let share = rest.len() as f64 / self.colors.len() as f64;
        let batch = ((self.batch as f64 * share) as usize).max(few(set));
        // The set itself may be that of a color found before.
        let own = self.sets.iter().position(|found| found.as_slice() == set);
        let controls = controls(&self.sets, own.unwrap_or(self.sets.len()));
        let ballot = Ballot {
            scale: self.tester.scale,
            batch,
            controls: &controls,
        };
        members(self.tester.cache, set, &rest, ballot)
    }

    /// `count` of `candidates` of which each is pushed out by the others; fewer if there are not as many.
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

    /// Joins colors that are one: a few of the pages of the one are each pushed out by the set of the
    /// other.
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

    /// With the colors known, counts the ways.
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
        // Sets of pages that are known to be of one color, and of the size that is needed.
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

    /// So many pages had the set that most colors began with.
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
