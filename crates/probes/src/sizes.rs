//! Working-set sizes: of a curve, of cache levels, and beyond the caches.

use whyslow_kernels::bandwidth::GRAIN;
use whyslow_model::record::SizedBy;

use crate::probe::PlanContext;

/// Sizes from `from` to `to` bytes, `per_octave` (1, 2 or 4) per octave: 1, 1.25, 1.5, 1.75 times a
/// power of two. From 1 KiB on these are whole lines, and they are easier to read than exact
/// geometric steps.
pub(crate) fn ladder(from: u64, to: u64, per_octave: u64) -> Vec<u64> {
    let mut sizes = Vec::new();
    let mut octave = from.next_power_of_two();
    while octave <= to {
        sizes.extend(
            (0..per_octave)
                .map(|i| octave + octave * i / per_octave)
                .filter(|&s| s <= to),
        );
        octave *= 2;
    }
    sizes
}

/// Larger than most last-level caches: what memory is where caches are hidden, and how far a latency curve reaches at least.
pub(crate) const REACH: u64 = 256 << 20;

/// Bytes that exceed one last-level cache of `llc` reported bytes: four times that, or less where a look at the latency
/// curve has shown that less is memory. Guests of large processors are told of 480 MiB and may use 12: four times the
/// claim then takes most of a run's time to write and to move, and shows nothing more.
pub(crate) fn beyond_one(ctx: &PlanContext, llc: u64) -> u64 {
    match ctx.beyond_bytes {
        Some(known) => known.min(4 * llc),
        None => 4 * llc,
    }
}

/// Bytes for each of `threads` CPUs that together exceed the caches: [`beyond_one`], for each such cache (at least
/// two, as a guest may have more than it is told), within the allowed memory. None when that is too little.
pub(crate) fn beyond_caches(ctx: &PlanContext, threads: u64) -> Option<u64> {
    let caches = threads.min(2 * u64::from(ctx.llcs.max(1)));
    let wanted = match ctx.llc_bytes {
        0 => REACH,
        llc => beyond_one(ctx, llc) * caches,
    };
    let most = ctx.memory_bytes.min(wanted);
    (most >= wanted / 2).then_some(most / threads)
}

/// Smallest working set of a level: each half of a copy is still two grains.
const SMALLEST: u64 = 4 * GRAIN as u64;

/// What lies behind the caches that the kernel reports.
const MEMORY: &str = "DRAM";

/// A shared cache whose effective size is below this share of its reported size is in use by
/// others.
const ACTS: f64 = 0.5;
/// A private cache is used by one core only: an effective size below this share, little more than the
/// working set placed in it, contradicts the reported size.
const OWN_ACTS: f64 = 0.3;

/// A working set per CPU, for `threads` CPUs, well inside each cache level and beyond the previous one.
///
/// Where the curve confirms a cache's reported size, that size decides, so that every run on a host uses
/// the same sizes: half of the first level, a quarter of others (page placement there is random), divided
/// among the CPUs that share the cache. A much smaller effective size means that others use the cache, by
/// an amount that changes from run to run: then twice the previous level is used, also where the curve does not show the
/// two apart. Without reported sizes, the curve decides; where it shows no levels, the reported sizes do. For memory:
/// [`beyond_one`] of the largest cache, for each cache of that size (at least two, as a guest may have more than it is told),
/// divided likewise.
pub(crate) fn level_sizes(
    ctx: &PlanContext,
    threads: u64,
) -> Vec<(String, Result<u64, &'static str>)> {
    let (memory, found, claims) = match &ctx.sized_by {
        Some(SizedBy::Curve(levels)) => match levels.split_last() {
            Some((memory, found)) => (memory.name.as_str(), found, false),
            None => return Vec::new(),
        },
        Some(SizedBy::Claims) => (MEMORY, &[][..], true),
        None => return Vec::new(),
    };
    let acts_as = |name: &str| {
        let level = found.iter().find(|level| level.name == name)?;
        level.capacity_bytes.as_ref().map(|c| c.value)
    };
    // Bytes that the levels before hold, and that they act as.
    let (mut below, mut before) = (0.0f64, 0.0f64);
    let mut sizes = Vec::new();
    for k in 0..ctx.caches.len().max(found.len()) {
        let name = format!("L{}", k + 1);
        let cache = ctx.caches.get(k);
        let claimed = cache.and_then(|c| c.bytes).map(|bytes| bytes as f64);
        let share = cache.map_or(1, |c| c.sharing).min(threads as u32).max(1);
        let share = f64::from(share);
        let part = if k == 0 { 0.5 } else { 0.25 };
        let inside = |bytes: f64| (bytes * part).max(1.0).log2().floor().exp2();
        let last = k + 1 == ctx.caches.len();
        let least = if last { ACTS } else { OWN_ACTS };
        let (size, holds) = match (claimed, acts_as(&name)) {
            (Some(claimed), Some(acts)) if acts < claimed * least => {
                let size = if k == 0 { inside(acts) } else { 2.0 * below };
                (Some(size).filter(|size| *size <= acts / share), acts)
            }
            // What acts before this one is more than it can hold: the curve does not show the two apart, and what
            // lies beyond the reported size of the first is served by this one.
            (Some(_), None) if last && !claims => {
                let size = 2.0 * below;
                (Some(size).filter(|size| *size <= before / share), below)
            }
            (Some(holds), _) | (None, Some(holds)) => {
                let size = (inside(holds) / share).max((2.0 * below).min(holds / share));
                (Some(size).filter(|size| *size > below), holds)
            }
            (None, None) => (None, below),
        };
        below = holds.max(below);
        before = acts_as(&name).unwrap_or(before);
        sizes.push((name, size));
    }
    let caches = threads.min(2 * u64::from(ctx.llcs.max(1))) as f64;
    let last = below.max(ctx.llc_bytes as f64) as u64;
    let beyond = beyond_one(ctx, last) as f64 * caches / threads as f64;
    sizes.push((memory.to_owned(), Some(beyond)));
    let most = ctx.memory_bytes / threads;
    let sizes = sizes.into_iter().map(|(name, size)| {
        let bytes = size.map(|b| (b as u64).min(most) / SMALLEST * SMALLEST);
        let size = match bytes {
            Some(bytes) if bytes >= SMALLEST => Ok(bytes),
            Some(_) => Err("the allowed memory is too small"),
            None => Err("a CPU's share of this level is no larger than its caches below, or the curve does not show the level"),
        };
        (name, size)
    });
    sizes.collect()
}

#[cfg(test)]
mod tests {
    use super::ladder;

    #[test]
    fn ladders() {
        assert_eq!(ladder(1024, 4096, 2), [1024, 1536, 2048, 3072, 4096]);
        assert_eq!(ladder(1024, 2000, 4), [1024, 1280, 1536, 1792]);
        assert!(ladder(1024, 1 << 30, 4).iter().all(|s| s % 64 == 0));
    }
}
