//! The timed walk and the sweep elsewhere: volatile loads between two readings of the clock.

use std::time::Instant;

pub(super) unsafe fn walk(start: *const u8, loads: u64) -> (u64, *const u8) {
    let begin = Instant::now();
    let mut at = start;
    for _ in 0..loads {
        // SAFETY: a pointer that the caller of `timed_walk` vouches for.
        at = unsafe { at.cast::<*const u8>().read_volatile() };
    }
    // The pointer must be there before the clock is read.
    let at = std::hint::black_box(at);
    (begin.elapsed().as_nanos() as u64, at)
}

pub(super) unsafe fn load(base: *const u8, offsets: &[u16]) -> u64 {
    let word = |&offset: &u16| {
        let at = base.wrapping_add(usize::from(offset)).cast::<u64>();
        // SAFETY: a word that the caller of `sweep` vouches for.
        unsafe { at.read_volatile() }
    };
    offsets.iter().map(word).fold(0, u64::wrapping_add)
}
