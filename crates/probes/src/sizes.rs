//! Sizes of a curve, and of what lies beyond the caches.

use crate::probe::PlanContext;

/// Sizes from `from` to `to` bytes, `per_octave` (1, 2 or 4) an octave: 1, 1.25, 1.5, 1.75 times a
/// power of two, which are whole lines from 1 KiB on and easy to read, unlike exact powers.
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

/// Where a host hides its caches: larger than the last-level cache of most machines.
const USUAL_BEYOND: u64 = 256 << 20;

/// Bytes for each of `threads` CPUs that lie in memory together: four times the largest cache as claimed
/// for each of the caches (or two, as a guest may have more than it is told), within the memory that
/// may be used. None when that is too little to be beyond the caches.
pub(crate) fn beyond_caches(ctx: &PlanContext, threads: u64) -> Option<u64> {
    let caches = threads.min(2 * u64::from(ctx.llcs.max(1)));
    let wanted = match ctx.llc_bytes {
        0 => USUAL_BEYOND,
        llc => 4 * llc * caches,
    };
    let most = ctx.memory_bytes.min(wanted);
    (most >= wanted / 2).then_some(most / threads)
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
