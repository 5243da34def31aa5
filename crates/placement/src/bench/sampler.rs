//! Samples of some work, of which those count that nobody else on the core disturbed.

use super::middle;
use crate::alone::{Core, waited};

/// Samples that count, of which the middle one is the value.
const SAMPLES: usize = 5;

/// Samples in all: beside somebody who is there two thirds of the time, so many have five without him, though each
/// may find him come back meanwhile.
const TRIES: usize = 30;

/// Samples that do not count after somebody was there, who has pushed out some of it: after one, values of a full
/// cache still lay up to 2 % apart, after so many 1 %.
const REFILLS: usize = 3;

/// Samples without anybody that are enough; with fewer, all count alike.
const ENOUGH: usize = 3;

/// A value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampled {
    /// The middle of some samples, in the unit of the work.
    pub value: f64,
    /// Of samples without anybody else on the core?
    pub alone: bool,
}

/// Takes samples on the CPU that this thread stays on.
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

    /// The share of samples beside somebody else.
    pub(super) fn beside(&self) -> f64 {
        self.beside as f64 / self.taken.max(1) as f64
    }

    /// The middle of some samples, and whether it is of those that nobody disturbed.
    pub(super) fn middle(&mut self, mut sample: impl FnMut() -> f64) -> Sampled {
        // What comes first brings everything in.
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
