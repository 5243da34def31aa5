//! Chains on architectures without loops of their own: volatile loads.
//!
//! The compiler keeps every load and its order. With many chains it may spill some of the pointers
//! to the stack, which adds accesses that are not counted.

use super::{CHASE_MANY_UNROLL, CHASE_UNROLL};

pub(super) unsafe fn follow(start: *const u8, turns: u64) -> *const u8 {
    let mut at = start;
    for _ in 0..turns {
        for _ in 0..CHASE_UNROLL {
            // SAFETY: a pointer that the caller of `chase` vouches for.
            at = unsafe { at.cast::<*const u8>().read_volatile() };
        }
    }
    at
}

pub(super) unsafe fn follow_many(starts: &mut [*const u8], turns: u64) {
    for _ in 0..turns * CHASE_MANY_UNROLL {
        for at in starts.iter_mut() {
            // SAFETY: a pointer that the caller of `chase_many` vouches for.
            *at = unsafe { at.cast::<*const u8>().read_volatile() };
        }
    }
}
