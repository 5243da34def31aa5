//! Whether this thread has its core to itself, by how long instructions take that do nothing.

use std::time::Instant;

use whyslow_kernels::clock::no_ops;

/// Instructions that do nothing in a look at the core: half a microsecond to three, 50 steps of a clock of 10 ns.
const LOOK: u64 = 20_000;

/// A look that takes so many times as long as the shortest was not alone: looks alone lie within 3 % of each
/// other, and a busy hardware thread takes a quarter of the core or more.
const BESIDE: f64 = 1.15;

/// Somebody else on the core is waited for so many looks, some 0.3 ms: he comes and goes within milliseconds.
const PATIENCE: u32 = 400;

/// Waits until a look finds nobody else, a while; true if there was need to.
pub(crate) fn waited(mut alone: impl FnMut() -> bool) -> bool {
    (0..PATIENCE).take_while(|_| !alone()).count() > 0
}

/// Looks at the core that this thread stays on.
#[derive(Debug)]
pub(crate) struct Core {
    /// Time of the shortest look, ns.
    shortest: f64,
    /// How many looks may yet find somebody else.
    looks: u32,
}

impl Core {
    /// After `looks` that found somebody else, he is put up with.
    pub(crate) fn new(looks: u32) -> Core {
        Core {
            shortest: f64::INFINITY,
            looks,
        }
    }

    /// Is nobody else on it at this moment? Also where he is put up with.
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
