//! The available pages by color, and their use.
#![allow(unsafe_code)]

use std::io;
use std::ops::Range;
use std::time::{Duration, Instant};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::{Chooser, Counts, Mechanism, Policy, Unavailable, mechanism};
use crate::arena::{Arena, Kind, page_size};
use crate::discovery::{
    Color, Page, Palette, Refused, Settings, Timed, discover, shuffle, strangers,
};

/// Consecutive failed moves before the rest of a range is left ordinary.
const FAILURES: u32 = 16;

/// Parameters of a pool.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Pages in it, some of which are kept for testing others.
    pub pages: usize,
    /// Seed of all random choices.
    pub seed: u64,
    /// Size of the L1 data cache, if known, bytes.
    pub first_level_bytes: Option<u64>,
    /// While noise hides the colors, no further try is begun after so long.
    pub budget: Duration,
}

/// Why there is no pool.
#[derive(Debug, thiserror::Error)]
pub enum Reason {
    /// No colors were found.
    #[error("{0}")]
    Colors(#[from] Refused),
    /// Pages cannot be moved.
    #[error("{0}")]
    Moving(#[from] Unavailable),
    /// The policy does not match this cache.
    #[error("{0}")]
    Policy(String),
    /// The kernel refused something else.
    #[error("memory for the pool: {0}")]
    Memory(#[from] io::Error),
}

/// Pages of known color.
#[derive(Debug)]
pub struct Pool {
    arena: Arena,
    cache: Timed,
    palette: Option<Palette>,
    /// The color of each page, and the available pages by color.
    colors: Vec<Option<Color>>,
    free: Vec<Vec<Page>>,
    mechanism: Option<Box<dyn Mechanism>>,
    name: &'static str,
    total: Counts,
    rng: Xoshiro256PlusPlus,
    took: Duration,
}

/// Memory that a pool filled. Unmapped when dropped, with its frames; [`Pool::take_back`] keeps them.
#[derive(Debug)]
pub struct Region {
    arena: Arena,
    pages: Vec<Option<Page>>,
    /// Outcome of its pages.
    pub counts: Counts,
}

impl Region {
    /// First byte.
    pub fn start(&self) -> *mut u8 {
        self.arena.start()
    }

    /// The content.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        self.arena.bytes()
    }

    /// Length in bytes, a multiple of the page size.
    pub fn len(&self) -> usize {
        self.arena.len()
    }

    /// Always false: it has at least one page.
    pub fn is_empty(&self) -> bool {
        self.arena.is_empty()
    }
}

/// Makes pages, and finds their colors on the CPU that the thread is on; it stays there as long as the cache lives.
///
/// # Errors
/// When there is no memory, or no colors are found.
pub(crate) fn look(options: &Options) -> Result<(Arena, Timed, Palette), Reason> {
    let arena = Arena::touched(options.pages.max(1) * page_size(), Kind::Small)?;
    let mut cache = Timed::new(options.seed);
    cache.pin()?;
    for page in arena.pages() {
        // SAFETY: a page of the arena, which moves with the cache and is not used elsewhere.
        unsafe { cache.add(page) };
    }
    let mut settings = Settings::new(options.seed).with_budget(options.budget);
    if let Some(bytes) = options.first_level_bytes {
        settings = settings.with_first_level(bytes, page_size() as u64);
    }
    let palette = discover(&mut cache, &settings)?;
    Ok((arena, cache, palette))
}

impl Pool {
    /// Allocates pages, finds their colors, and opens a mechanism to move them.
    ///
    /// # Errors
    /// When one of these steps fails.
    pub fn new(options: &Options) -> Result<Pool, Reason> {
        let begin = Instant::now();
        let mechanism = mechanism()?;
        let (arena, mut cache, palette) = look(options)?;
        cache.unpin();
        let mut colors = palette.colors.clone();
        // Test pages are not moved.
        for page in palette.sets.iter().flatten() {
            colors[page.0 as usize] = None;
        }
        let mut pool = Pool::of(arena, cache, colors, palette.len(), mechanism, options.seed);
        pool.palette = Some(palette);
        pool.took = begin.elapsed();
        Ok(pool)
    }

    /// From pages of known color; pages without a color stay unused.
    pub(crate) fn of(
        arena: Arena,
        cache: Timed,
        colors: Vec<Option<Color>>,
        count: usize,
        mechanism: Box<dyn Mechanism>,
        seed: u64,
    ) -> Pool {
        let mut free = vec![Vec::new(); count];
        for (i, color) in colors.iter().enumerate() {
            if let Some(color) = color {
                free[usize::from(*color)].push(Page(i as u32));
            }
        }
        Pool {
            arena,
            cache,
            palette: None,
            colors,
            free,
            name: mechanism.name(),
            mechanism: Some(mechanism),
            total: Counts::none(count),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            took: Duration::ZERO,
        }
    }

    /// The colors found; none if they were given.
    pub fn palette(&self) -> Option<&Palette> {
        self.palette.as_ref()
    }

    /// The number of colors.
    pub fn colors(&self) -> usize {
        self.free.len()
    }

    /// Available pages, by color.
    pub fn left(&self) -> Vec<usize> {
        self.free.iter().map(Vec::len).collect()
    }

    /// The mechanism's name.
    pub fn mechanism(&self) -> &'static str {
        self.name
    }

    /// Time to build the pool.
    pub fn took(&self) -> Duration {
        self.took
    }

    /// Outcome of all pages so far.
    pub fn counts(&self) -> &Counts {
        &self.total
    }

    /// New memory of at least `bytes`, filled by `policy`.
    ///
    /// # Errors
    /// When the policy names nonexistent colors, or there is no memory. Pages that could not be
    /// colored are not an error: they are in the counts.
    pub fn region(&mut self, bytes: usize, policy: &Policy) -> Result<Region, Reason> {
        let seed = rand_xoshiro::rand_core::Rng::next_u64(&mut self.rng);
        let mut chooser = Chooser::new(policy, self.colors(), seed).map_err(Reason::Policy)?;
        let arena = Arena::reserve(bytes, Kind::Small)?;
        // SAFETY: the arena is new: untouched and not used elsewhere.
        let (pages, counts) = unsafe { self.fill(arena.start(), arena.len(), &mut chooser) };
        Ok(Region {
            arena,
            pages,
            counts,
        })
    }

    /// Fills `bytes` from `start` with zeroed pages of the colors from `chooser`. Returns the pages
    /// and their outcome; pages not filled become ordinary on first touch.
    ///
    /// # Safety
    /// The range is whole pages of a private anonymous mapping for reading and writing, on base pages,
    /// not touched so far, and not touched before this returns.
    pub unsafe fn fill(
        &mut self,
        start: *mut u8,
        bytes: usize,
        chooser: &mut Chooser,
    ) -> (Vec<Option<Page>>, Counts) {
        let range = start.addr()..start.addr() + bytes;
        let count = bytes / page_size();
        let mut pages = vec![None; count];
        let mut counts = Counts::none(self.colors());
        let begun = match &mut self.mechanism {
            Some(mechanism) => mechanism.begin(range.clone()).is_ok(),
            None => false,
        };
        let mut failures = if begun { 0 } else { FAILURES };
        for (i, slot) in pages.iter_mut().enumerate() {
            let to = start.wrapping_add(i * page_size());
            let left = self.left();
            let wanted = chooser.want(to.addr() / page_size(), &left);
            let color = match left.get(usize::from(wanted)) {
                Some(&n) if n > 0 => Some(wanted),
                _ => chooser.instead(wanted, &left),
            };
            let page = color.filter(|_| failures < FAILURES);
            let page = page.and_then(|color| self.free[usize::from(color)].pop());
            let (Some(color), Some(page)) = (color, page) else {
                counts.ordinary += 1;
                continue;
            };
            let home = home(&self.arena, page);
            // SAFETY: a free page of the pool, at its home address.
            unsafe { home.write_bytes(0, page_size()) };
            let moved = match &mut self.mechanism {
                // SAFETY: a free page of the pool; the range was begun, and is the caller's.
                Some(mechanism) => unsafe { mechanism.move_page(home, to) }.is_ok(),
                None => false,
            };
            if !moved {
                failures += 1;
                counts.ordinary += 1;
                self.bring_home(page);
                continue;
            }
            failures = 0;
            *slot = Some(page);
            counts.by_color[usize::from(color)] += 1;
            if color == wanted {
                counts.hits += 1;
            } else {
                counts.fallbacks += 1;
            }
        }
        if begun {
            self.end(range);
        }
        self.total.add(&counts);
        (pages, counts)
    }

    /// For each of `regions`, the number of pages that no longer have the color they were placed by, because
    /// the host or the kernel (compaction) migrated them. The content of the regions is overwritten. Those
    /// pages are not used again.
    pub fn moved(&mut self, regions: &[&Region]) -> Vec<usize> {
        let Some(palette) = &self.palette else {
            return vec![0; regions.len()];
        };
        let mut placed = Vec::new();
        for region in regions {
            for (page, address) in region.pages.iter().zip(region.arena.pages()) {
                let Some(page) = page else { continue };
                let Some(color) = self.colors[page.0 as usize] else {
                    continue;
                };
                // SAFETY: the page was moved to this address of the region, which is borrowed here.
                unsafe { self.cache.relocate(*page, address) };
                placed.push((*page, color));
            }
        }
        let mut moved = strangers(&mut self.cache, palette, &placed);
        moved.sort_unstable();
        for page in &moved {
            self.colors[page.0 as usize] = None;
        }
        let stranger = |page: &&Page| moved.binary_search(page).is_ok();
        let count = |region: &&Region| region.pages.iter().flatten().filter(stranger).count();
        regions.iter().map(count).collect()
    }

    /// Takes the frames of `region` back into the pool. Those that cannot be moved are freed with the
    /// region.
    pub fn take_back(&mut self, region: Region) {
        let range = self.arena.addresses();
        let begun = match &mut self.mechanism {
            Some(mechanism) => mechanism.begin(range.clone()).is_ok(),
            None => false,
        };
        if !begun {
            return;
        }
        let mut back = Vec::new();
        for (page, from) in region.pages.iter().zip(region.arena.pages()) {
            let (Some(page), Some(mechanism)) = (page, &mut self.mechanism) else {
                continue;
            };
            let home = home(&self.arena, *page);
            // SAFETY: the page at `from` is the region's, which is given up here, and its home has had
            // no page since it was moved away. The arena was begun.
            if unsafe { mechanism.move_page(from, home) }.is_ok() {
                back.push(*page);
            }
        }
        self.end(range);
        for page in back {
            self.bring_home(page);
        }
        for free in &mut self.free {
            shuffle(free, &mut self.rng);
        }
    }

    /// Marks a page as free at its home address.
    fn bring_home(&mut self, page: Page) {
        let home = home(&self.arena, page);
        // SAFETY: a page of the arena not used elsewhere; it needs its chain again.
        unsafe { self.cache.relocate(page, home) };
        if let Some(color) = self.colors[page.0 as usize] {
            self.free[usize::from(color)].push(page);
        }
    }

    /// Ends a range. A range that stays registered would block any thread that touches it, so if this
    /// fails the mechanism is dropped: closing it ends all ranges.
    fn end(&mut self, range: Range<usize>) {
        if let Some(mechanism) = &mut self.mechanism
            && mechanism.finish(range).is_err()
        {
            self.mechanism = None;
        }
    }
}

/// The home address of a page in the arena: pages are numbered in address order.
fn home(arena: &Arena, page: Page) -> *mut u8 {
    arena.start().wrapping_add(page.0 as usize * page_size())
}
