//! The workers of a run or an experiment, one after the other, and what each leaves to those after it:
//! iterations that the first process found, and failures.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use whyslow_model::job::{Answer, Job};
use whyslow_model::record::{FailureKind, Randomization};

use crate::errors::SpawnError;
use crate::failures::Failures;
use crate::request::{Request, WorkerCommand};
use crate::spawn::{self, Limits, WorkerEnd};

/// Iterations of a batch by series.
pub(crate) type Iterations = BTreeMap<String, u64>;

/// Workers by what shares a count of iterations: a point, or a point under conditions.
#[derive(Debug)]
pub(crate) struct Workers<'a, K> {
    stop: &'a AtomicBool,
    patience: Duration,
    iterations: BTreeMap<K, Iterations>,
    failures: Failures<K>,
}

/// A worker that has ended.
pub(crate) struct Ran {
    pub(crate) begun: Instant,
    pub(crate) took: Duration,
    pub(crate) randomization: Randomization,
    pub(crate) end: Result<WorkerEnd, SpawnError>,
}

/// What an answer meant for the workers after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Learned {
    /// Its iterations are from now on those of all.
    pub(crate) iterations: bool,
    /// There will be no other.
    pub(crate) given_up: bool,
}

impl<'a, K: Ord + Clone> Workers<'a, K> {
    /// With the patience of `request`, until its user stops it.
    pub(crate) fn new(request: &'a Request) -> Self {
        Workers {
            stop: &request.stop,
            patience: request.patience,
            iterations: BTreeMap::new(),
            failures: Failures::none(),
        }
    }

    /// Iterations that an earlier run found.
    pub(crate) fn take_over(&mut self, of: K, iterations: Iterations) {
        self.iterations.insert(of, iterations);
    }

    /// Does the user want an end?
    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Is it not tried again?
    pub(crate) fn given_up(&self, of: &K) -> bool {
        self.failures.given_up(of)
    }

    /// Runs one over `job`, with the iterations that are known. It may take `extra` beyond the usual
    /// patience, and not go on after `until`.
    pub(crate) fn run(
        &self,
        command: &WorkerCommand,
        of: &K,
        mut job: Job,
        extra: Duration,
        until: Option<Instant>,
    ) -> Ran {
        job.iterations = self.iterations.get(of).cloned().unwrap_or_default();
        let patience = self.patience + extra;
        let begun = Instant::now();
        let end = spawn::run(command, &job, Limits { patience, until }, self.stop);
        Ran {
            begun,
            took: begun.elapsed(),
            randomization: job.randomization,
            end,
        }
    }

    /// Takes from an answer what those after it need: the count that the first process found is that of all
    /// others.
    pub(crate) fn learn(&mut self, of: &K, answer: &Answer) -> Learned {
        let mut learned = Learned {
            iterations: false,
            given_up: false,
        };
        match answer {
            Answer::Measured(measured) => {
                self.failures.did_well(of);
                if !self.iterations.contains_key(of) {
                    let found = measured.iterations.clone();
                    self.iterations.insert(of.clone(), found);
                    learned.iterations = true;
                }
            }
            Answer::Failed(failure) => {
                // A count found in a bad moment may be what is wrong: the next process finds its own.
                if failure.how == FailureKind::Refused {
                    self.iterations.remove(of);
                }
                learned.given_up = self.failures.failed(of, failure.how);
            }
        }
        learned
    }
}

#[cfg(test)]
mod tests {
    use whyslow_model::job::Measured;
    use whyslow_model::record::Failure;

    use super::*;

    fn found(count: u64) -> Answer {
        Answer::Measured(Measured {
            iterations: BTreeMap::from([(String::new(), count)]),
            ..Measured::default()
        })
    }

    fn failed(how: FailureKind) -> Answer {
        let why = "as a test".into();
        Answer::Failed(Failure { how, why })
    }

    #[test]
    fn the_first_count_is_that_of_all_until_a_worker_refuses_it() {
        let stop = AtomicBool::new(false);
        let mut workers = Workers {
            stop: &stop,
            patience: Duration::ZERO,
            iterations: BTreeMap::new(),
            failures: Failures::none(),
        };
        let count = |workers: &Workers<'_, u32>| workers.iterations.get(&1).map(|i| i[""]);
        assert!(workers.learn(&1, &found(5)).iterations);
        assert!(!workers.learn(&1, &found(7)).iterations);
        workers.learn(&1, &failed(FailureKind::Crashed));
        assert_eq!(count(&workers), Some(5));
        // One that did well in between starts the count of failures anew.
        workers.learn(&1, &found(7));
        assert!(!workers.learn(&1, &failed(FailureKind::Refused)).given_up);
        assert_eq!(count(&workers), None);
        assert!(workers.learn(&1, &failed(FailureKind::Refused)).given_up);
        assert!(workers.given_up(&1) && !workers.given_up(&2));
    }
}
