//! Calibrates hit and miss times of a walk, and the cache capacity in pages.

use rand_xoshiro::rand_core::Rng;

use super::{Cache, Page, Refusal, Settings, below, median, shuffle, wait};

/// Walks per number of pages: five pages at a time, five times. One page at a time would cost a
/// traversal each; many would themselves occupy the cache.
const AT_ONCE: usize = 5;
const TIMES: usize = 5;

/// A miss is at least this much slower than a hit. Between L2 and L3 the factor is above 2 on all
/// machines surveyed; fences and L1 hits in the walk dilute it.
const LEAST_STEP: f64 = 1.35;

/// Most misclassified walks, in percent of those after the fewest and after the most pages.
const MOST_WRONG: usize = 10;

/// Hit and miss times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Ticks of a walk that hits.
    pub inside: u32,
    /// Ticks of a walk that misses.
    pub outside: u32,
    /// Above this, a walk missed.
    pub threshold: u32,
    /// The number of random pages that evict a page half of the time: about the cache capacity.
    pub half_at: u32,
}

/// Between these fractions of the distance from hit to miss, a page is partly evicted, which a neighbor does and
/// its own set does not. (Measured: 999 of 1,000 cached pages lie below an eighth, 998 of 1,000 evicted pages
/// above five eighths.)
const PARTLY: [f64; 2] = [0.25, 0.55];

/// Beyond this many times the distance from hit to miss, a walk was interrupted or went to memory.
const TOO_LONG: f64 = 1.4;

impl Scale {
    /// True if a walk of so many ticks missed.
    pub(super) fn is_out(&self, ticks: u32) -> bool {
        ticks > self.threshold
    }

    /// True if unambiguous, as every undisturbed walk is.
    pub(super) fn is_clear(&self, ticks: u32) -> bool {
        let way = f64::from(self.outside.saturating_sub(self.inside)).max(1.0);
        let part = (f64::from(ticks) - f64::from(self.inside)) / way;
        part < PARTLY[0] || (PARTLY[1]..TOO_LONG).contains(&part)
    }

    /// With the given miss time, if shorter: other users of the next level only lengthen misses.
    fn with_misses(self, ticks: u32) -> Scale {
        if ticks >= self.outside || f64::from(ticks) <= f64::from(self.inside) * LEAST_STEP {
            return self;
        }
        Scale {
            outside: ticks,
            threshold: self.inside + (ticks - self.inside) / 2,
            ..self
        }
    }
}

/// The walks after `pages` random pages were loaded.
struct Rung {
    pages: u32,
    ticks: Vec<u32>,
}

impl Rung {
    fn median(&self) -> u32 {
        median(&mut self.ticks.clone())
    }

    /// The lower quartile: of misses, those that found most lines in the next level rather than in memory.
    fn quick(&self) -> u32 {
        quick(self.ticks.clone())
    }

    fn share_above(&self, threshold: u32) -> f64 {
        let above = self.ticks.iter().filter(|t| **t > threshold).count();
        above as f64 / self.ticks.len().max(1) as f64
    }
}

fn quick(mut ticks: Vec<u32>) -> u32 {
    ticks.sort_unstable();
    ticks.get(ticks.len() / 4).copied().unwrap_or(0)
}

/// Pages of each color walked for a calibration with known colors.
const OF_EACH: usize = 3;

/// Recalibrates with pages known to be evicted: those of each color after loading its set. With random pages a miss
/// may have gone to memory; on that scale a half-evicted page counts as a hit, and evicting one takes more pages
/// than ways.
pub(super) fn again<'p>(
    cache: &mut impl Cache,
    scale: Scale,
    colors: impl Iterator<Item = (&'p [Page], &'p [Page])>,
) -> Scale {
    let mut ticks = Vec::new();
    for (set, of_color) in colors {
        let others = of_color.iter().filter(|page| !set.contains(page));
        let pages: Vec<Page> = others.copied().take(OF_EACH).collect();
        // Twice, for caches without true LRU.
        ticks.extend(walks(cache, &pages, &[set, set].concat()));
    }
    match ticks.is_empty() {
        true => scale,
        false => scale.with_misses(quick(ticks)),
    }
}

/// Sweeps of a calibration, a millisecond or two each.
const CLIMBS: usize = 3;

/// The calibration from several sweeps: other users of the cache lengthen misses and reduce the effective
/// capacity.
pub(super) fn calibrate(
    cache: &mut impl Cache,
    settings: &Settings,
    rng: &mut impl Rng,
) -> Result<Scale, Refusal> {
    let mut best = ladder(cache, settings, rng);
    for _ in 1..CLIMBS {
        best = match (best, ladder(cache, settings, rng)) {
            (Ok(one), Ok(two)) => {
                let half_at = one.half_at.max(two.half_at);
                let quick = if two.outside < one.outside { two } else { one };
                Ok(Scale { half_at, ..quick })
            }
            (best, next) => best.or(next),
        };
    }
    best
}

/// Loads increasing numbers of random pages until a page is evicted, and then some more.
fn ladder(
    cache: &mut impl Cache,
    settings: &Settings,
    rng: &mut impl Rng,
) -> Result<Scale, Refusal> {
    let first = settings.first_level_pages;
    let have = cache.pages();
    // At least three doublings are needed to see an edge and the plateau after it.
    let need = first * 8 + AT_ONCE as u32;
    if have < need {
        return Err(Refusal::TooFew { have, need });
    }
    let mut all: Vec<Page> = (0..have).map(Page).collect();
    let mut rungs: Vec<Rung> = Vec::new();
    let mut edge = None;
    // Half-octaves. Beyond the edge, one octave more: the plateau.
    for step in 0.. {
        let pages = (f64::from(first) * 2f64.powf(f64::from(step) / 2.0)).round() as u32;
        if pages > have - AT_ONCE as u32 || edge.is_some_and(|edge| step > edge + 2) {
            break;
        }
        let rung = climb(cache, &mut all, pages, rng);
        let inside = rungs.first().map_or(u32::MAX, Rung::median);
        if edge.is_none() && f64::from(rung.median()) > f64::from(inside) * LEAST_STEP {
            edge = Some(step);
        }
        rungs.push(rung);
    }
    judge(&rungs, edge.is_some())
}

/// A walk over each of `pages` after they were loaded, and then `others`.
fn walks(cache: &mut impl Cache, pages: &[Page], others: &[Page]) -> Vec<u32> {
    wait(cache);
    for &page in pages {
        cache.load(page);
    }
    cache.traverse(others);
    pages.iter().map(|&page| cache.probe(page)).collect()
}

/// The walks after `pages` random ones.
fn climb(cache: &mut impl Cache, all: &mut [Page], pages: u32, rng: &mut impl Rng) -> Rung {
    let mut ticks = Vec::with_capacity(AT_ONCE * TIMES);
    let wanted = pages as usize + AT_ONCE;
    for _ in 0..TIMES {
        // The first elements of a shuffle.
        for i in 0..wanted {
            let other = i + below(rng, all.len() - i);
            all.swap(i, other);
        }
        let (looked_at, loaded) = all[..wanted].split_at(AT_ONCE);
        ticks.extend(walks(cache, looked_at, loaded));
    }
    shuffle(all, rng);
    Rung { pages, ticks }
}

/// The calibration, if the walks form two groups.
fn judge(rungs: &[Rung], edge: bool) -> Result<Scale, Refusal> {
    let inside = rungs.first().map_or(0, Rung::median);
    // Under memory load most evicted pages may also be gone from the next level.
    let outside = rungs.last().map_or(0, Rung::quick);
    if !edge || f64::from(outside) <= f64::from(inside) * LEAST_STEP {
        return Err(Refusal::NoEdge {
            inside,
            outside,
            pages: rungs.last().map_or(0, |rung| rung.pages),
        });
    }
    let threshold = inside + (outside - inside) / 2;
    // Near the edge a page is partly evicted even on an idle machine; at both ends it should not
    // be.
    let ends =
        [rungs.first(), rungs.last()].map(|rung| rung.map_or(1.0, |r| r.share_above(threshold)));
    let percent = ((ends[0] + 1.0 - ends[1]) * 50.0).round() as usize;
    if percent > MOST_WRONG {
        return Err(Refusal::Overlap {
            inside,
            outside,
            percent: percent as u32,
        });
    }
    let shares = rungs.iter().map(|r| (r.pages, r.share_above(threshold)));
    Ok(Scale {
        inside,
        outside,
        threshold,
        half_at: half(shares),
    })
}

/// Where the share first reaches a half, interpolated between steps.
fn half(shares: impl Iterator<Item = (u32, f64)>) -> u32 {
    let mut before = (0, 0.0);
    for (pages, share) in shares {
        if share >= 0.5 {
            let part = (0.5 - before.1) / (share - before.1);
            return before.0 + (f64::from(pages - before.0) * part) as u32;
        }
        before = (pages, share);
    }
    before.0
}
