//! Pointer chases: each load gives the address of the next.
//!
//! Dependent loads cannot overlap, so the time per load is the latency of the level that holds the
//! lines. Several chains at once show the memory-level parallelism.
#![allow(unsafe_code)]

#[cfg(target_arch = "aarch64")]
mod aarch64;
// Tested on all architectures, so that it does not go stale.
#[cfg(any(test, not(any(target_arch = "aarch64", target_arch = "x86_64"))))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(test)]
mod tests;

#[cfg(target_arch = "aarch64")]
use aarch64::{follow, follow_many};
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
use portable::{follow, follow_many};
#[cfg(target_arch = "x86_64")]
use x86_64::{follow, follow_many};

/// Loads in one iteration of the loop of [`chase`]. The counter and the branch run in parallel with
/// the chain, which needs at least 3 cycles a load, so even a short body would hide them; 64 makes
/// them rare.
pub const CHASE_UNROLL: u64 = 64;

/// Steps in one turn of the loop of [`chase_many`].
pub const CHASE_MANY_UNROLL: u64 = 8;

/// Most chains that [`chase_many`] follows at once.
pub const CHAINS_MAX: usize = 16;

/// Follows the pointers from `start`: `loads` dependent loads, rounded up to a multiple of
/// [`CHASE_UNROLL`] (and to at least one). Returns the last pointer loaded.
///
/// # Safety
/// `start` and each pointer reached from it must be valid for reading a pointer there.
pub unsafe fn chase(start: *const u8, loads: u64) -> *const u8 {
    // SAFETY: the contract is the caller's.
    unsafe { follow(start, loads.div_ceil(CHASE_UNROLL).max(1)) }
}

/// Follows `starts.len()` chains in parallel, `steps` loads each (rounded up to a multiple of
/// [`CHASE_MANY_UNROLL`]), and leaves the last pointer of each in its place.
///
/// Returns without a load if `starts` is empty.
///
/// # Panics
/// If there are more than [`CHAINS_MAX`] chains.
///
/// # Safety
/// As for [`chase`], for each start.
pub unsafe fn chase_many(starts: &mut [*const u8], steps: u64) {
    assert!(
        starts.len() <= CHAINS_MAX,
        "{} chains: at most {CHAINS_MAX}",
        starts.len()
    );
    if !starts.is_empty() {
        // SAFETY: the contract is the caller's.
        unsafe { follow_many(starts, steps.div_ceil(CHASE_MANY_UNROLL).max(1)) }
    }
}

/// The function that follows one chain.
#[cfg(all(test, any(target_arch = "aarch64", target_arch = "x86_64")))]
pub(crate) fn single_entry() -> *const () {
    follow as *const ()
}

/// The function that follows `chains` of them.
#[cfg(all(test, any(target_arch = "aarch64", target_arch = "x86_64")))]
pub(crate) fn many_entry(chains: usize) -> *const () {
    #[cfg(target_arch = "aarch64")]
    use aarch64::LOOPS;
    #[cfg(target_arch = "x86_64")]
    use x86_64::LOOPS;
    LOOPS[chains - 1] as *const ()
}
