//! Two threads pass one cache line back and forth.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Failed attempts between two checks of `stop`: rare enough to be negligible, and at 100 ns a
/// failed attempt still a tenth of a millisecond.
const PATIENCE: u32 = 1024;

/// One side of the exchange: takes the turn `n` times and returns how many it took.
///
/// `flag` holds the side with the turn, 0 or 1, and starts at 0 or 1; it must have its own cache
/// line. A turn is taken by a compare-and-swap from the own side to the other, tried until it
/// succeeds, without a load before it: a load would first fetch the line as shared and then pay for
/// it again. Two sides with `n` each make 2 n transfers; their time over 2 n is the one-way
/// core-to-core latency. This is the first method of core-to-core-latency, so figures compare with
/// it.
///
/// Gives up when `stop` becomes true, so that a dead peer cannot hang its partner.
pub fn handover(flag: &AtomicU64, side: u64, n: u64, stop: &AtomicBool) -> u64 {
    let other = 1 - side.min(1);
    for taken in 0..n {
        let mut failed = 0;
        while flag
            .compare_exchange(side, other, Ordering::AcqRel, Ordering::Relaxed)
            .is_err()
        {
            failed += 1;
            if failed == PATIENCE {
                failed = 0;
                if stop.load(Ordering::Relaxed) {
                    return taken;
                }
            }
        }
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn both_sides_take_every_turn() {
        let (flag, stop) = (AtomicU64::new(0), AtomicBool::new(false));
        let taken = thread::scope(|scope| {
            let peer = scope.spawn(|| handover(&flag, 1, 1000, &stop));
            (handover(&flag, 0, 1000, &stop), peer.join().unwrap())
        });
        assert_eq!(taken, (1000, 1000));
        assert_eq!(flag.load(Ordering::Relaxed), 0, "an even number of turns");
    }

    #[test]
    fn a_side_without_a_peer_stops_when_told() {
        let (flag, stop) = (AtomicU64::new(0), AtomicBool::new(true));
        assert_eq!(handover(&flag, 0, 1000, &stop), 1);
        assert_eq!(handover(&flag, 0, 1000, &stop), 0);
    }
}
