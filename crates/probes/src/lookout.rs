//! Who is beside this thread on its core, and waiting until he is not.

use whyslow_model::record::ClockFacts;

use crate::clock;

/// A clock of larger steps than these says too little of half a microsecond, ns.
const FINE: f64 = 50.0;

/// A look below this share of the best is beside somebody, who takes a quarter of the core or more.
const BESIDE: f64 = 0.9;

/// A process waits so many looks in all, some 4 ms: neighbors come and go within milliseconds, and whoever stays is
/// put up with. Fifteen batches take 15 ms.
const LOOKS: u32 = 120;

/// Looks at the core that this thread is pinned to.
#[derive(Debug)]
pub(crate) struct Lookout {
    best: f64,
    looks: u32,
}

impl Lookout {
    /// Absent where the clock is too coarse for a look.
    pub(crate) fn new(clock: &ClockFacts) -> Option<Lookout> {
        (clock.resolution_ns <= FINE).then_some(Lookout {
            best: 0.0,
            looks: LOOKS,
        })
    }

    /// Instructions that do nothing which the core hands out a cycle now.
    pub(crate) fn look(&mut self) -> f64 {
        let slots = clock::slots();
        // What could not be read (a clock that stood still) says nothing of anybody.
        let slots = if slots.is_finite() { slots } else { self.best };
        self.best = self.best.max(slots);
        slots
    }

    /// Waits while somebody is beside, as the look `last` found; that becomes the latest look. True if it waited.
    ///
    /// Nothing is known of who was beside from the first look on: then it does not wait.
    pub(crate) fn wait(&mut self, last: &mut f64) -> bool {
        let mut waited = false;
        while *last < BESIDE * self.best && self.looks > 0 {
            self.looks -= 1;
            *last = self.look();
            waited = true;
        }
        waited
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_for_so_long_and_no_longer() {
        let fine = ClockFacts {
            resolution_ns: 20.0,
            cost_ns: 20.0,
            loop_ns: 0.3,
            ghz: 3.0,
        };
        let coarse = ClockFacts {
            resolution_ns: 4e3,
            ..fine
        };
        assert!(Lookout::new(&coarse).is_none());
        let mut core = Lookout::new(&fine).unwrap();
        let first = core.look();
        assert!(first > 0.0 && !core.wait(&mut { first }));
        // A core that no look will find as free as it was, as after a misread clock.
        core.best = first * 1e6;
        let mut last = first;
        assert!(core.wait(&mut last) && core.looks == 0);
        assert!(!core.wait(&mut last));
    }
}
