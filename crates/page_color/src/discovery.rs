//! Finding the colors of pages by timing alone.
//!
//! A page has a *color*: the group of cache sets that its lines map to. Pages of one color evict
//! each other, those of different colors do not; with a linear index (a selection or exclusive-or
//! of address bits) two pages share all of their sets or none. So whole pages are tested: is page x
//! evicted after loading all lines of the pages S?
//!
//! 1. `calibrate`: the time of a walk over a page when it is cached and when it is not, and the
//!    number of pages that evicts it. If the two times overlap, discovery is refused.
//! 2. `reduce`: removes all unneeded pages from a set that evicts x. What remains is about as many
//!    pages as the cache has ways, all of x's color.
//! 3. `classify`: tests all other pages against that set; then the next color, until none is left.
//! 4. `ways`: the number of pages of one color that evict another, over all colors.
//!
//! Other users of the cache, such as a guest on the SMT sibling, can evict pages but never bring one back. So
//! tests are short, and a page that missed, or whose walk was ambiguous, is tested again. Once colors are known,
//! control pages of other colors, which the test itself does not evict, are included: if one of them is evicted,
//! the test was disturbed and is repeated. It is also repeated if the SMT sibling was busy before or after.
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
use work::Search;

/// A page of a [`Cache`], by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Page(pub u32);

/// The number of a color: an arbitrary label, in order of discovery.
pub type Color = u16;

/// Something that holds lines of pages: the real cache, timed, or a simulated one in tests.
pub trait Cache {
    /// The number of pages; they are numbered from 0.
    fn pages(&self) -> u32;

    /// Loads a sample of the lines of `page` serially, and returns the time in ticks.
    fn probe(&mut self, page: Page) -> u32;

    /// Loads the same lines in parallel: same effect as a walk, without waiting for each. From
    /// memory, a walk takes as long as twenty of these.
    fn load(&mut self, page: Page);

    /// Loads all lines of all `pages`, once.
    fn traverse(&mut self, pages: &[Page]);

    /// True if the SMT sibling is idle now, or its state is unknown.
    fn alone(&mut self) -> bool {
        true
    }

    /// Time since some moment.
    fn now(&mut self) -> Duration;

    /// Leaves the CPU to others for so long; the thread may go on on another one.
    fn pause(&mut self, time: Duration);
}

/// Waits up to a limit for an idle SMT sibling.
fn wait(cache: &mut impl Cache) {
    waited(|| cache.alone());
}

/// What is known beforehand. None of it is trusted as an answer.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Seed of all random choices.
    pub seed: u64,
    /// Pages that fill L1 about twice.
    pub first_level_pages: u32,
    /// While noise hides the colors, no further try is begun after so long.
    pub budget: Duration,
}

impl Settings {
    /// For an L1 of up to 48 KiB: 24 pages of 4 KiB.
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
            // Fewer than 8 pages evict nothing from any L1; more than 64 exceed any real L1.
            first_level_pages: pages.clamp(8, 64),
            ..self
        }
    }
}

/// The colors found in a cache.
#[derive(Debug, Clone)]
pub struct Palette {
    /// For each color, pages that together evict any other page of that color: 1.5 times the ways.
    pub sets: Vec<Vec<Page>>,
    /// Ways.
    pub ways: Ways,
    /// What a hit and a miss look like.
    pub scale: Scale,
    /// The color of each page; none if it matched none.
    pub colors: Vec<Option<Color>>,
    /// Number of tests.
    pub tests: u64,
    /// Pages tested at once.
    batch: usize,
}

impl Palette {
    /// The number of colors.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Always false: there is at least one color.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// Pages that can be tested at once without evicting each other.
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// Test parameters for a color, with control pages of others.
    fn ballot<'a>(&self, controls: &'a [Page]) -> classify::Ballot<'a> {
        classify::Ballot {
            scale: self.scale,
            batch: self.batch,
            controls,
        }
    }

    /// The effective cache size, in pages.
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
            .and_then(|scale| Search::new(cache, scale, rng).discover())
            .and_then(|palette| plausible(palette, &tries));
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

/// Tries that agree on a number of colors that is no power of two, before it is believed.
const ODD_TRIES: usize = 3;

/// Refuses a number of colors that is no power of two, unless the tries before found the same. The index of a set is made
/// of address bits, so that only a hypervisor that withholds colors leaves another number; noise that hides a color or
/// splits one leaves another number each time (31 and 28 of 32 were seen beside a full load).
fn plausible(palette: Palette, before: &[Refusal]) -> Result<Palette, Refusal> {
    let colors = palette.len() as u32;
    let odd = Refusal::OddCount { colors };
    let same = before.iter().rev().take_while(|&refusal| *refusal == odd);
    if colors.is_power_of_two() || same.count() + 1 >= ODD_TRIES {
        Ok(palette)
    } else {
        Err(odd)
    }
}

/// Finds the colors of further pages, by three votes each; none for those that match none.
pub fn colors_of(cache: &mut impl Cache, palette: &Palette, pages: &[Page]) -> Vec<Option<Color>> {
    classify::colors_of(cache, palette, pages)
}

/// Retests pages of known color against every color, and counts how often the result is the same:
/// with one vote, and with the majority of three.
pub fn agreement(cache: &mut impl Cache, palette: &Palette, pages: &[(Page, Color)]) -> Agreement {
    classify::agreement(cache, palette, pages)
}

/// Those of `pages` that no longer have their color because their frame was migrated: nothing else keeps a page
/// cached after its set was loaded.
pub fn strangers(cache: &mut impl Cache, palette: &Palette, pages: &[(Page, Color)]) -> Vec<Page> {
    classify::strangers(cache, palette, pages)
}

/// Shuffles `items`.
pub(crate) fn shuffle<T>(items: &mut [T], rng: &mut impl Rng) {
    for i in (1..items.len()).rev() {
        items.swap(i, below(rng, i + 1));
    }
}

/// A number below `bound`, which is not zero.
pub(crate) fn below(rng: &mut impl Rng, bound: usize) -> usize {
    // Multiply and shift: the bias is below bound / 2^64.
    ((u128::from(rng.next_u64()) * bound as u128) >> 64) as usize
}

/// The median; 0 if empty.
pub(crate) fn median(values: &mut [u32]) -> u32 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}
