//! Detects a busy SMT sibling by the time of no-op instructions.

use std::time::Instant;

use whyslow_kernels::clock::no_ops;

/// No-op instructions per measurement: half a microsecond to three, 50 steps of a 10 ns clock.
const LOOK: u64 = 20_000;

/// A measurement this many times the shortest means a busy SMT sibling: undisturbed ones lie within 3 % of
/// each other, and a busy sibling uses a quarter of the core or more.
const BESIDE: f64 = 1.15;

/// Most measurements to wait for an idle sibling, some 0.3 ms: sibling load changes within milliseconds.
const PATIENCE: u32 = 400;

/// Waits up to a limit for an idle SMT sibling; true if it had to wait.
pub(crate) fn waited(mut alone: impl FnMut() -> bool) -> bool {
    (0..PATIENCE).take_while(|_| !alone()).count() > 0
}

/// Watches the core that this thread is pinned to.
#[derive(Debug)]
pub(crate) struct Core {
    /// Shortest measurement, ns.
    shortest: f64,
    /// Remaining measurements that may find a busy sibling.
    looks: u32,
}

impl Core {
    /// After `looks` measurements with a busy sibling, it is tolerated.
    pub(crate) fn new(looks: u32) -> Core {
        Core {
            shortest: f64::INFINITY,
            looks,
        }
    }

    /// True if the SMT sibling is idle now, or busy but tolerated.
    pub(crate) fn alone(&mut self) -> bool {
        if self.looks == 0 {
            return true;
        }
        let start = Instant::now();
        no_ops(LOOK);
        let took = start.elapsed().as_nanos() as f64;
        self.shortest = self.shortest.min(took);
        let alone = took < BESIDE * self.shortest;
        self.looks -= u32::from(!alone);
        alone
    }
}
