//! Finding the colors of pages by timing alone.
//!
//! A page has a *color*: the group of cache sets that its lines fall into. Pages of one color push
//! each other out, those of different colors do not; with any index that is linear (a choice or an
//! exclusive-or of address bits) two pages share all of their sets or none. So whole pages are
//! tested: is page x pushed out after all lines of the pages S were loaded?
//!
//! 1. `calibrate`: how long a walk over a page takes when it is in the cache and when it is not, and
//!    from how many pages on it is not. Where these two cannot be told apart, the answer is a refusal.
//! 2. `reduce`: from pages that together push out x, all that are not needed are left out. What
//!    remains is about as many pages as the cache has ways, all of x's color.
//! 3. `classify`: all other pages are tested against that set; then the next color, until none is left.
//! 4. `ways`: so many pages of one color push out another, over all colors.
//!
//! Whoever else uses the cache, such as another guest on the same core, can push pages out but never
//! bring one back. So tests are short, and a page that is out, or whose walk says nothing clear, is asked again.
//! Once colors are known, pages of others are tested along, which nothing here pushes out: when one of them is
//! out, somebody else was there, and the test is made again. So it is where the core itself handed out less
//! before or after, because its other hardware thread was busy.
//!
//! Group testing of eviction sets: Vila, Köpf and Morales, "Theory and practice of finding eviction
//! sets", 2019.

mod calibrate;
mod classify;
pub mod kept;
mod reduce;
mod refusal;
#[cfg(test)]
pub(crate) mod simulated;
#[cfg(test)]
mod tests;
mod timed;
mod ways;
mod work;

use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::alone::waited;
pub use calibrate::Scale;
pub use classify::Agreement;
pub use refusal::{Refusal, Refused};
pub use timed::Timed;
pub use ways::Ways;
use work::Work;

/// A page of a [`Cache`], by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Page(pub u32);

/// The number of a color: an arbitrary label, in the order found.
pub type Color = u16;

/// Something that holds lines of pages: the real cache, timed, or a simulated one in tests.
pub trait Cache {
    /// How many pages there are to look at; they are numbered from 0.
    fn pages(&self) -> u32;

    /// Loads a sample of the lines of `page` one after the other, and says how long that took, in ticks.
    fn probe(&mut self, page: Page) -> u32;

    /// Loads the same lines, all at once: what a walk would bring in, without waiting for each. Where
    /// they come from memory, a walk takes as long as twenty of these.
    fn load(&mut self, page: Page);

    /// Loads all lines of all `pages`, once.
    fn traverse(&mut self, pages: &[Page]);

    /// Has this thread the core to itself at this moment? Also where that cannot be told.
    fn alone(&mut self) -> bool {
        true
    }

    /// Time since some moment.
    fn now(&mut self) -> Duration;

    /// Leaves the CPU to others for so long; the thread may go on on another one.
    fn pause(&mut self, time: Duration);
}

/// Waits for a moment alone, a while.
fn wait(cache: &mut impl Cache) {
    waited(|| cache.alone());
}

/// What is known beforehand. None of it is trusted as an answer.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Seed of all choices.
    pub seed: u64,
    /// Pages that fill the first-level cache about twice.
    pub first_level_pages: u32,
    /// While noise hides the colors, no further try is begun after so long.
    pub budget: Duration,
}

impl Settings {
    /// For a first-level cache of up to 48 KiB: 24 pages of 4 KiB.
    pub fn new(seed: u64) -> Self {
        Settings {
            seed,
            first_level_pages: 24,
            budget: BUDGET,
        }
    }

    /// With another budget than [`BUDGET`].
    pub fn with_budget(self, budget: Duration) -> Self {
        Settings { budget, ..self }
    }

    /// Knowing the size of the first-level data cache, bytes.
    pub fn with_first_level(self, bytes: u64, page: u64) -> Self {
        let pages = u32::try_from((2 * bytes).div_ceil(page.max(1))).unwrap_or(u32::MAX);
        Settings {
            // Fewer than 8 pages push nothing out of any first level; more than 64 are a claim that
            // no cache justifies.
            first_level_pages: pages.clamp(8, 64),
            ..self
        }
    }
}

/// The colors of a cache, as found.
#[derive(Debug, Clone)]
pub struct Palette {
    /// For each color, pages that together push out any other page of that color: half as many again
    /// as there are ways.
    pub sets: Vec<Vec<Page>>,
    /// Ways.
    pub ways: Ways,
    /// What a hit and a miss look like.
    pub scale: Scale,
    /// The color of each page looked at; none where it fitted none.
    pub colors: Vec<Option<Color>>,
    /// Tests that were needed.
    pub tests: u64,
    /// Pages tested at once.
    batch: usize,
}

impl Palette {
    /// How many colors there are.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Are there none? There never are.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// Pages that may be tested at once without pushing out each other.
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// How pages are tested against a color, beside pages of others.
    fn ballot<'a>(&self, controls: &'a [Page]) -> classify::Ballot<'a> {
        classify::Ballot {
            scale: self.scale,
            batch: self.batch,
            controls,
        }
    }

    /// The cache's size as it acts, in pages.
    pub fn pages(&self) -> u32 {
        self.ways.count * self.sets.len() as u32
    }

    /// Pages found of each color.
    pub fn population(&self) -> Vec<u32> {
        population(&self.colors, self.sets.len())
    }
}

/// Pages of each of `count` colors.
fn population(colors: &[Option<Color>], count: usize) -> Vec<u32> {
    let mut pages = vec![0; count];
    for color in colors.iter().flatten() {
        pages[usize::from(*color)] += 1;
    }
    pages
}

/// How long a search is tried again by default: neighbors that are there for some tenths of a second come and go many
/// times meanwhile.
pub const BUDGET: Duration = Duration::from_secs(5);

/// After a try that noise ended, others have the CPU for so long, twice as long each time up to a limit. A burst of
/// noise of 0.2 s would end six tries in a row, as each that meets it takes some milliseconds.
const PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(160);

/// Finds the colors of all pages of `cache`, and tries again while noise hides them and the budget lasts.
///
/// # Errors
/// When the cache has no edge, or noise hides it each time: what each try saw.
pub fn discover(cache: &mut impl Cache, settings: &Settings) -> Result<Palette, Refused> {
    let begun = cache.now();
    let mut tries = Vec::new();
    let mut pause = PAUSE;
    loop {
        let seed = settings.seed.wrapping_add(tries.len() as u64);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let found = calibrate::calibrate(cache, settings, &mut rng)
            .and_then(|scale| Work::new(cache, scale, rng).discover());
        let refusal = match found {
            Ok(palette) => return Ok(palette),
            Err(refusal) => refusal,
        };
        let noise = refusal.may_be_noise();
        tries.push(refusal);
        let took = cache.now().saturating_sub(begun);
        if !noise || took + pause >= settings.budget {
            return Err(Refused { tries, took });
        }
        cache.pause(pause);
        pause = (2 * pause).min(LONGEST_PAUSE);
    }
}

/// Finds the colors of further pages, by three votes each; those that fit none have none.
pub fn colors_of(cache: &mut impl Cache, palette: &Palette, pages: &[Page]) -> Vec<Option<Color>> {
    classify::colors_of(cache, palette, pages)
}

/// Tests pages of known color anew, against every color, and counts how often the answer is the same:
/// with one vote, and with the majority of three.
pub fn agreement(cache: &mut impl Cache, palette: &Palette, pages: &[(Page, Color)]) -> Agreement {
    classify::agreement(cache, palette, pages)
}

/// Those of `pages` that are not of their color any more, as their frame was moved: nothing else has a page stay
/// where its set was loaded.
pub fn strangers(cache: &mut impl Cache, palette: &Palette, pages: &[(Page, Color)]) -> Vec<Page> {
    classify::strangers(cache, palette, pages)
}

/// Brings `items` into random order.
pub(crate) fn shuffle<T>(items: &mut [T], rng: &mut impl Rng) {
    for i in (1..items.len()).rev() {
        items.swap(i, below(rng, i + 1));
    }
}

/// A number below `bound`, which is not zero.
pub(crate) fn below(rng: &mut impl Rng, bound: usize) -> usize {
    // Multiply and shift: its bias is below bound / 2^64.
    ((u128::from(rng.next_u64()) * bound as u128) >> 64) as usize
}

/// The middle value; 0 of none.
pub(crate) fn median(values: &mut [u32]) -> u32 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}
