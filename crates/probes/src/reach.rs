//! What shows that memory begins far below four times the claimed last-level cache.

use crate::probe::PlanContext;
use crate::sizes::REACH;

/// Three working sets of random loads: nearly in the cache before the last, a quarter of where the curve of a huge cache
/// ends, and that end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReachCheck {
    /// Bytes, ascending.
    pub sizes: [u64; 3],
    /// Kind of pages: huge ones where there are any, as TLB misses make a curve of small ones rise in memory too.
    pub pages: &'static str,
}

impl ReachCheck {
    /// The check that a host needs: none where four times the claimed cache is no more than that end anyway, where no
    /// private cache is claimed, and where the memory is too small.
    pub fn of(ctx: &PlanContext) -> Option<ReachCheck> {
        let [.., before, _] = ctx.caches.as_slice() else {
            return None;
        };
        // Half of the loads miss that cache at least: whatever comes next has its part in the latency.
        let near = (2 * before.bytes?).next_power_of_two();
        let sizes = [near, REACH / 4, REACH];
        let needed = 4 * ctx.llc_bytes > REACH && ctx.memory_bytes > 2 * REACH;
        (needed && sizes.is_sorted()).then_some(ReachCheck {
            sizes,
            pages: if ctx.thp.is_ok() { "thp" } else { "4k" },
        })
    }

    /// Bytes beyond one last-level cache, if the check holds.
    pub fn beyond(&self) -> u64 {
        REACH
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::{CacheLevel, Intensity};

    #[test]
    fn only_a_large_claim_is_checked() {
        let host = |caches: &[u64]| {
            let mut ctx = PlanContext::complete(Intensity::Quick);
            let cache = |bytes: &u64| CacheLevel {
                bytes: Some(*bytes),
                sharing: 1,
            };
            ctx.caches = caches.iter().map(cache).collect();
            ctx.llc_bytes = caches.last().copied().unwrap_or(0);
            ReachCheck::of(&ctx).map(|check| check.sizes)
        };
        const MIB: u64 = 1 << 20;
        let checked = host(&[48 << 10, 2 * MIB, 480 * MIB]);
        assert_eq!(checked, Some([4 * MIB, 64 * MIB, 256 * MIB]));
        assert_eq!(host(&[48 << 10, MIB, 64 * MIB]), None);
        assert_eq!(host(&[480 * MIB]), None);
        // A second-level cache of a size that no other check could tell from memory.
        assert_eq!(host(&[48 << 10, 64 * MIB, 480 * MIB]), None);
    }
}
