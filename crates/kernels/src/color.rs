//! Timed cache probes: a short walk of dependent loads, and a sweep of independent ones.
//!
//! Together they show whether the lines of one page were evicted by those of others. One access is
//! too short to be timed (on one guest the counter advanced in steps of 10 ns, longer than a
//! second-level hit), hence a walk of several.
#![allow(unsafe_code)]

#[cfg(target_arch = "aarch64")]
mod aarch64;
// Tested on all architectures, so that it does not go stale.
#[cfg(any(test, not(any(target_arch = "aarch64", target_arch = "x86_64"))))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
use aarch64::{load, walk};
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
use portable::{load, walk};
#[cfg(target_arch = "x86_64")]
use x86_64::{load, walk};

/// The time and end of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walk {
    /// Ticks of the machine's counter: TSC on x86-64, the virtual counter on aarch64, elsewhere ns.
    /// Only comparisons between them are meaningful.
    pub ticks: u64,
    /// The last pointer loaded.
    pub end: *const u8,
}

/// Follows `loads` pointers (at least one) from `start` and times that, the last load's arrival
/// included.
///
/// # Safety
/// `start` and each pointer reached from it must be valid for reading a pointer there.
pub unsafe fn timed_walk(start: *const u8, loads: u32) -> Walk {
    // SAFETY: the contract is the caller's.
    let (ticks, end) = unsafe { walk(start, u64::from(loads.max(1))) };
    Walk { ticks, end }
}

/// Loads the word at each of `offsets` (in bytes) from `base`, independently of each other and in
/// that order, and returns their sum.
///
/// # Safety
/// A word must be readable at each offset from `base`, which is 8-byte aligned, as the offsets are.
pub unsafe fn sweep(base: *const u8, offsets: &[u16]) -> u64 {
    if offsets.is_empty() {
        return 0;
    }
    // SAFETY: the contract is the caller's; there is at least one offset.
    unsafe { load(base, offsets) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring of `n` places, each pointing five places on.
    fn ring(n: usize) -> Vec<[*const u8; 8]> {
        let mut lines = vec![[std::ptr::null(); 8]; n];
        let base = lines.as_mut_ptr();
        for (i, line) in lines.iter_mut().enumerate() {
            line[0] = base.wrapping_add((i + 5) % n).cast();
        }
        lines
    }

    #[test]
    fn walks_exactly_its_steps() {
        let ring = ring(64);
        for (loads, real) in [(0, 1), (1, 1), (7, 7), (16, 16), (100, 100)] {
            let end: *const u8 = ring[5 * real % 64].as_ptr().cast();
            // SAFETY: every place of the ring points to another.
            let walk = unsafe { timed_walk(ring[0].as_ptr().cast(), loads) };
            assert_eq!(walk.end, end, "{loads} loads");
            // SAFETY: as above.
            let (_, there) = unsafe { portable::walk(ring[0].as_ptr().cast(), real as u64) };
            assert_eq!(there, end, "{loads} loads");
        }
    }

    /// Ten thousand times the work takes longer: the walk is not folded, and the counter counts.
    #[test]
    fn longer_walks_take_longer() {
        let ring = ring(64);
        let start: *const u8 = ring[0].as_ptr().cast();
        // SAFETY: every place of the ring points to another.
        let best = |loads| {
            (0..20)
                // SAFETY: `start` is a place of a closed chain that lives through the test.
                .map(|_| unsafe { timed_walk(start, loads) }.ticks)
                .min()
        };
        assert!(best(1_000_000) > best(100).map(|t| t * 10));
    }

    #[test]
    fn sweeps_every_offset_once() {
        let words: Vec<u64> = (0..512).map(|i| 1 << (i / 8)).collect();
        let offsets: Vec<u16> = (0..64).map(|i| i * 37 % 64 * 64).collect();
        let base = words.as_ptr().cast();
        // SAFETY: 64 lines of 8 words; each offset is the start of one.
        assert_eq!(unsafe { sweep(base, &offsets) }, u64::MAX);
        // SAFETY: as above.
        assert_eq!(unsafe { sweep(base, &offsets[..3]) }, 1 | 1 << 37 | 1 << 10);
        // SAFETY: nothing is read.
        assert_eq!(unsafe { sweep(base, &[]) }, 0);
        // SAFETY: as above.
        assert_eq!(unsafe { portable::load(base, &offsets) }, u64::MAX);
    }
}
