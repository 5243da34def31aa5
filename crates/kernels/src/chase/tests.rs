//! The chases go where the pointers lead, as many steps as asked.

use super::*;

/// A ring of `n` lines of 64 bytes in an order that jumps about, each holding the address of the
/// next. 7 is coprime to the lengths used, so every line is visited.
struct Ring {
    lines: Vec<[*const u8; 8]>,
}

impl Ring {
    fn new(n: usize) -> Self {
        let mut lines = vec![[std::ptr::null(); 8]; n];
        let base = lines.as_mut_ptr();
        for (i, line) in lines.iter_mut().enumerate() {
            line[0] = base.wrapping_add((i + 7) % n).cast();
        }
        Self { lines }
    }

    fn line(&self, i: usize) -> *const u8 {
        self.lines[i % self.lines.len()].as_ptr().cast()
    }

    /// Where `steps` steps lead from line `i`.
    fn after(&self, i: usize, steps: u64) -> *const u8 {
        self.line((i as u64 + 7 * steps) as usize)
    }
}

#[test]
fn one_chain_takes_exactly_its_steps() {
    let ring = Ring::new(1000);
    for (loads, real) in [(0, 64), (1, 64), (64, 64), (65, 128), (6400, 6400)] {
        // SAFETY: every line of the ring points to another.
        let end = unsafe { chase(ring.line(3), loads) };
        assert_eq!(end, ring.after(3, real), "{loads} loads");
    }
}

/// Each line is visited: breaking the chain at any one of them changes where it ends.
#[test]
fn one_chain_visits_every_line() {
    let mut ring = Ring::new(64);
    let mut dead_end = [std::ptr::null::<u8>(); 8];
    dead_end[0] = dead_end.as_ptr().cast();
    let trap: *const u8 = dead_end.as_ptr().cast();
    for broken in 0..64 {
        let kept = ring.lines[broken][0];
        ring.lines[broken][0] = trap;
        // SAFETY: every line points to another or to the trap, which points to itself.
        let end = unsafe { chase(ring.line(0), 64) };
        assert_eq!(end, trap, "line {broken} was not visited");
        ring.lines[broken][0] = kept;
    }
}

#[test]
fn many_chains_each_take_exactly_their_steps() {
    let ring = Ring::new(1000);
    for chains in 0..=CHAINS_MAX {
        for (steps, real) in [(0, 8), (1, 8), (8, 8), (9, 16), (800, 800)] {
            let start = |chain| 50 * chain + chain % 3;
            let mut at: Vec<*const u8> = (0..chains).map(|c| ring.line(start(c))).collect();
            // SAFETY: every line of the ring points to another.
            unsafe { chase_many(&mut at, steps) };
            let expected: Vec<_> = (0..chains).map(|c| ring.after(start(c), real)).collect();
            assert_eq!(at, expected, "{chains} chains, {steps} steps");
        }
    }
}

#[test]
fn portable_chases_lead_to_the_same_places() {
    let ring = Ring::new(1000);
    // SAFETY: every line of the ring points to another.
    let end = unsafe { portable::follow(ring.line(3), 2) };
    assert_eq!(end, ring.after(3, 2 * CHASE_UNROLL));
    let mut at = [0, 1, 2].map(|i| ring.line(i));
    // SAFETY: as above.
    unsafe { portable::follow_many(&mut at, 3) };
    assert_eq!(at, [0, 1, 2].map(|i| ring.after(i, 3 * CHASE_MANY_UNROLL)));
}

#[test]
#[should_panic(expected = "at most 16")]
fn too_many_chains_are_refused() {
    let ring = Ring::new(1000);
    let mut at = [ring.line(0); CHAINS_MAX + 1];
    // SAFETY: refused before anything is read.
    unsafe { chase_many(&mut at, 1) };
}
