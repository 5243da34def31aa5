//! Samples of some work; only those without a busy SMT sibling count.

use super::middle;
use crate::alone::{Core, waited};

/// Samples that count; their median is the value.
const SAMPLES: usize = 5;

/// Most samples: with an SMT sibling that is busy two thirds of the time, this many include five undisturbed ones,
/// even though it may return during any of them.
const TRIES: usize = 30;

/// Samples skipped after the SMT sibling was busy, because it evicted lines: after one, values for a full cache
/// still differed by up to 2 %, after this many by 1 %.
const REFILLS: usize = 3;

/// Sufficient number of undisturbed samples; with fewer, all samples count.
const ENOUGH: usize = 3;

/// A value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampled {
    /// The median of some samples, in the unit of the work.
    pub value: f64,
    /// True if from samples without a busy SMT sibling.
    pub alone: bool,
}

/// Takes samples on the CPU that this thread is pinned to.
pub(super) struct Sampler {
    core: Core,
    taken: usize,
    beside: usize,
}

impl Sampler {
    pub(super) fn new() -> Sampler {
        Sampler {
            core: Core::new(u32::MAX),
            taken: 0,
            beside: 0,
        }
    }

    /// The share of samples with a busy SMT sibling.
    pub(super) fn beside(&self) -> f64 {
        self.beside as f64 / self.taken.max(1) as f64
    }

    /// The median of some samples, and whether it is from undisturbed ones.
    pub(super) fn middle(&mut self, mut sample: impl FnMut() -> f64) -> Sampled {
        // The first run warms the cache.
        sample();
        let (mut alone, mut all) = (Vec::new(), Vec::new());
        while alone.len() < SAMPLES && all.len() < TRIES {
            if waited(|| self.core.alone()) {
                (0..REFILLS).for_each(|_| {
                    sample();
                });
            }
            let value = sample();
            all.push(value);
            if self.core.alone() {
                alone.push(value);
            }
        }
        self.taken += all.len();
        self.beside += all.len() - alone.len();
        let enough = alone.len() >= ENOUGH;
        Sampled {
            value: middle(if enough { &mut alone } else { &mut all }),
            alone: enough,
        }
    }
}
