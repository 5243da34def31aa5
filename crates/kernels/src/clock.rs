//! The core's clock, by counting: work with a known number of cycles, and work that uses only dispatch
//! slots.
#![allow(unsafe_code)]

#[cfg(target_arch = "aarch64")]
mod aarch64;
// Tested on all architectures, so that it does not go stale.
#[cfg(any(test, not(any(target_arch = "aarch64", target_arch = "x86_64"))))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
use aarch64::{count, nothing, turn};
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
use portable::{count, nothing, turn};
#[cfg(target_arch = "x86_64")]
use x86_64::{count, nothing, turn};

/// Operations in one turn of [`dependent_ops`].
pub const DEPENDENT_UNROLL: u64 = 64;

/// Runs `n` additions (rounded up to a multiple of [`DEPENDENT_UNROLL`]), each dependent on the
/// previous one, and returns their sum: the number of additions done.
///
/// On x86-64 and aarch64 this is the addition of one register to another, which x86 cores since the 486, and 64-bit
/// Arm cores by their optimization guides, complete in one cycle, so the time for one is the time of a cycle.
/// Neither operand is a constant: recent x86 cores (Golden Cove onwards) fold additions of small constants, and
/// moves, into the renaming of registers, where they take no time at all.
///
/// On other architectures the compiler places the addition; a cycle each is likely, not certain.
pub fn dependent_ops(n: u64) -> u64 {
    count(n.div_ceil(DEPENDENT_UNROLL).max(1), 1)
}

/// Instructions in one turn of [`no_ops`].
pub const NO_OPS_UNROLL: u64 = 128;

/// Runs `n` no-op instructions (rounded up to a multiple of [`NO_OPS_UNROLL`]).
///
/// They need neither registers nor execution units, only the decode and dispatch slots of each cycle,
/// which SMT siblings share. So a lower rate than this core has shown before means that its sibling was
/// busy, even if the kernel knows of no sibling, as in a guest.
///
/// On other architectures an empty loop is used instead, which occupies slots similarly.
pub fn no_ops(n: u64) {
    nothing(n.div_ceil(NO_OPS_UNROLL).max(1));
}

/// Runs an empty loop of `n` turns (at least one): what counting costs.
pub fn empty_loop(n: u64) {
    turn(n.max(1));
}

/// The functions of the loops: dependent additions, the empty one, and the one of no-ops.
#[cfg(all(test, any(target_arch = "aarch64", target_arch = "x86_64")))]
pub(crate) fn entries() -> [*const (); 3] {
    [count as *const (), turn as *const (), nothing as *const ()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn counts_what_it_did() {
        assert_eq!(dependent_ops(0), DEPENDENT_UNROLL);
        assert_eq!(dependent_ops(65), 2 * DEPENDENT_UNROLL);
        assert_eq!(dependent_ops(1 << 20), 1 << 20);
    }

    #[test]
    fn the_portable_loop_counts_alike() {
        assert_eq!(portable::count(3, 2), 6 * DEPENDENT_UNROLL);
        portable::turn(3);
        portable::nothing(3);
    }

    /// Ten times the work in at least three times the time: a folded loop takes none.
    #[test]
    fn takes_time_in_proportion() {
        let best = |n| {
            (0..20)
                .map(|_| {
                    let start = Instant::now();
                    dependent_ops(n);
                    start.elapsed()
                })
                .min()
        };
        assert!(best(10_000_000) > best(1_000_000).map(|t| 3 * t));
    }
}
