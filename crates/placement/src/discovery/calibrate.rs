//! How long a walk takes in the cache and beyond it, and how many pages lie between.

use rand_xoshiro::rand_core::Rng;

use super::{Cache, Page, Refusal, Settings, below, median, shuffle, wait};

/// Walks after each number of pages: five pages at a time, five times. One page at a time would
/// cost a traversal each; many at a time would be a load of their own.
const AT_ONCE: usize = 5;
const TIMES: usize = 5;

/// A miss is at least this much slower than a hit. Between second and third level the factor is
/// above 2 on all machines looked up; fences and the first-level share of the walk dilute it.
const LEAST_STEP: f64 = 1.35;

/// How many walks may lie on the wrong side, in percent of those after the fewest pages and after
/// the most.
const MOST_WRONG: usize = 10;

/// What a hit and a miss look like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Ticks of a walk in the cache.
    pub inside: u32,
    /// Ticks of a walk beyond it.
    pub outside: u32,
    /// Above these, a walk was beyond.
    pub threshold: u32,
    /// So many random pages push out a page half of the time: about as many as the cache holds.
    pub half_at: u32,
}

/// Between these parts of the way from a hit to a miss, a page is out in part, which its own set does to none:
/// a neighbor does. (Measured: of pages in the cache 999 of 1,000 lie below an eighth, of pages that are out 998
/// above five eighths.)
const PARTLY: [f64; 2] = [0.25, 0.55];

/// So many times the way from a hit to a miss, and a walk was interrupted, or led to memory.
const TOO_LONG: f64 = 1.4;

impl Scale {
    /// Was a walk of so many ticks beyond the cache?
    pub(super) fn is_out(&self, ticks: u32) -> bool {
        ticks > self.threshold
    }

    /// Does it say so clearly? A walk that nobody disturbed does.
    pub(super) fn is_clear(&self, ticks: u32) -> bool {
        let way = f64::from(self.outside.saturating_sub(self.inside)).max(1.0);
        let part = (f64::from(ticks) - f64::from(self.inside)) / way;
        part < PARTLY[0] || (PARTLY[1]..TOO_LONG).contains(&part)
    }

    /// With misses that take so many ticks, where that is sooner: whoever else uses the next level only makes them
    /// longer.
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

    /// A quarter of the walks are quicker: of misses, those that found most lines in the next level, and not in memory.
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

/// Pages of each color that are walked over for a scale of known colors.
const OF_EACH: usize = 3;

/// The scale again, by pages that are known to be out: those of each color after its set was loaded. What random
/// pages said of a miss may have been one to memory; on that scale a page that is out in half of its lines counts as
/// in, and it takes more pages than there are ways to push one out.
pub(super) fn again<'p>(
    cache: &mut impl Cache,
    scale: Scale,
    colors: impl Iterator<Item = (&'p [Page], &'p [Page])>,
) -> Scale {
    let mut ticks = Vec::new();
    for (set, of_color) in colors {
        let others = of_color.iter().filter(|page| !set.contains(page));
        let pages: Vec<Page> = others.copied().take(OF_EACH).collect();
        // Twice: where it is not always the oldest line that is replaced.
        ticks.extend(walks(cache, &pages, &[set, set].concat()));
    }
    match ticks.is_empty() {
        true => scale,
        false => scale.with_misses(quick(ticks)),
    }
}

/// Climbs of a calibration, a millisecond or two each.
const CLIMBS: usize = 3;

/// The scale by some climbs: whoever else uses the cache makes misses longer, and takes from what it holds.
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

/// Loads more and more random pages until a page is pushed out, and some more.
fn ladder(
    cache: &mut impl Cache,
    settings: &Settings,
    rng: &mut impl Rng,
) -> Result<Scale, Refusal> {
    let first = settings.first_level_pages;
    let have = cache.pages();
    // Three doublings are the least in which an edge and a plateau behind it can show.
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
        // The first places of a shuffle.
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

/// The scale, if the walks fall into two groups.
fn judge(rungs: &[Rung], edge: bool) -> Result<Scale, Refusal> {
    let inside = rungs.first().map_or(0, Rung::median);
    // Beside a load on memory most pages that are pushed out may be gone from the next level too.
    let outside = rungs.last().map_or(0, Rung::quick);
    if !edge || f64::from(outside) <= f64::from(inside) * LEAST_STEP {
        return Err(Refusal::NoEdge {
            inside,
            outside,
            pages: rungs.last().map_or(0, |rung| rung.pages),
        });
    }
    let threshold = inside + (outside - inside) / 2;
    // Near the edge a page is out in part, on the quietest machine; at both ends it should not be.
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

/// Where the share first reaches a half, between rungs by proportion.
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
