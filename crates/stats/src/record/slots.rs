//! How much of their cores the processes of a record could use.
//!
//! A busy SMT sibling uses part of the core's dispatch slots, whether it belongs to this host or to another
//! guest that no counter shows. The dispatch rate is measured before and after each batch on pinned CPUs.

use std::collections::{BTreeMap, HashMap};

use whyslow_model::record::{Outcome, Process, Record, Series};

use crate::quantile::quantile;

/// Below this share of the best value, the SMT sibling was busy: values on an unshared core lie within 3 %
/// of each other, and a busy sibling uses a quarter or more.
const SHARED: f64 = 0.9;

/// Fewer measurements than this give no distribution.
const FEWEST: usize = 20;

/// Instructions dispatched per cycle by the cores, over all measurements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slots {
    /// On average.
    pub mean: f64,
    /// The best value: what the core can dispatch, if its sibling was ever idle.
    pub best: f64,
    /// Share of the batches (of the processes, if there are no values per batch) well below that.
    pub shared: f64,
    /// The median of those; absent if there are none.
    pub when_shared: Option<f64>,
}

impl Slots {
    /// Of the rounds of `record`; none with too few measurements.
    pub fn of(record: &Record) -> Option<Slots> {
        let cores = Cores::of([record]);
        let looks: Vec<_> = looks_at_one(record).collect();
        let lesser = |pair: [f64; 2]| pair[0].min(pair[1]);
        let low = looks
            .iter()
            .filter(|(cpus, pair)| cores.beside(cpus, *pair));
        let low: Vec<f64> = low.map(|(_, pair)| lesser(*pair)).collect();
        let sum: f64 = looks.iter().map(|(_, pair)| lesser(*pair)).sum();
        Some(Slots {
            mean: sum / looks.len() as f64,
            best: cores.best()?,
            shared: low.len() as f64 / looks.len() as f64,
            when_shared: quantile(&low, 0.5),
        })
    }
}

/// The CPUs of a process, each once; none if the record lacks them.
type Cpus = Vec<u32>;

/// The dispatch rate of each CPU of one host with an idle sibling (for sets of CPUs the minimum), if measured. Per
/// CPU, as a host may have several kinds of cores.
#[derive(Debug, Clone, Default)]
pub struct Cores(BTreeMap<Cpus, f64>);

impl Cores {
    /// Of the rounds of `records`, which are of one host.
    pub fn of<'r>(records: impl IntoIterator<Item = &'r Record>) -> Cores {
        let mut seen: HashMap<Cpus, Vec<f64>> = HashMap::new();
        for (cpus, pair) in records.into_iter().flat_map(looks) {
            seen.entry(cpus).or_default().extend(pair);
        }
        let enough = seen.into_iter().filter(|(_, seen)| seen.len() >= FEWEST);
        // Not the maximum: one misread clock would make all others look shared.
        Cores(
            enough
                .filter_map(|(cpus, seen)| Some((cpus, quantile(&seen, 0.98)?)))
                .collect(),
        )
    }

    /// The highest rate of one of them; none with too few measurements.
    pub fn best(&self) -> Option<f64> {
        self.0.values().copied().max_by(f64::total_cmp)
    }

    /// Share of the batches on one CPU in `records` (of their processes, if there are no values per batch) with a
    /// busy SMT sibling; none if not measured.
    pub fn shared<'r>(&self, records: impl IntoIterator<Item = &'r Record>) -> Option<f64> {
        let (mut beside, mut all) = (0u32, 0u32);
        for (cpus, pair) in records.into_iter().flat_map(looks_at_one) {
            all += 1;
            beside += u32::from(self.beside(&cpus, pair));
        }
        (all > 0).then(|| f64::from(beside) / f64::from(all))
    }

    /// The batches of a series of `process` with a busy SMT sibling.
    pub fn beside_batches(
        &self,
        process: &Process,
        series: &Series,
    ) -> impl Iterator<Item = usize> {
        let cpus = cpus(process);
        let looks = series.slots.iter().enumerate();
        looks.filter_map(move |(i, pair)| self.beside(&cpus, *pair).then_some(i))
    }

    /// True if an SMT sibling of `cpus` was busy before or after a batch. False if unknown.
    pub(super) fn beside(&self, cpus: &[u32], [before, after]: [f64; 2]) -> bool {
        let best = self.0.get(cpus);
        best.is_some_and(|best| before.min(after) < SHARED * best)
    }
}

/// The CPUs that `process` was pinned to, each once.
pub(super) fn cpus(process: &Process) -> Cpus {
    let mut cpus = process.randomization.cpus.clone();
    cpus.sort_unstable();
    cpus.dedup();
    cpus
}

/// The values before and after all batches of the rounds, with their CPUs; of all processes if there are no
/// values per batch.
fn looks(record: &Record) -> Vec<(Cpus, [f64; 2])> {
    let rounds = || record.processes.iter().filter(|p| p.round > 0);
    let of_batches = rounds().flat_map(|process| {
        let cpus = cpus(process);
        let looks = all_series(process).flat_map(|series| &series.slots);
        looks.map(move |pair| (cpus.clone(), *pair))
    });
    let of_batches: Vec<_> = of_batches.filter(readable).collect();
    if !of_batches.is_empty() {
        return of_batches;
    }
    // Those are of the first CPU only.
    let first = |p: &Process| p.randomization.cpus.first().copied().into_iter().collect();
    let of_processes = rounds().filter_map(|p| Some((first(p), p.slots?)));
    of_processes.filter(readable).collect()
}

/// Those of one core: the minimum of several cores does not show how much one of them was shared.
fn looks_at_one(record: &Record) -> impl Iterator<Item = (Cpus, [f64; 2])> {
    looks(record).into_iter().filter(|(cpus, _)| cpus.len() < 2)
}

fn readable((_, pair): &(Cpus, [f64; 2])) -> bool {
    pair.iter().all(|slots| slots.is_finite() && *slots > 0.0)
}

fn all_series(process: &Process) -> impl Iterator<Item = &Series> {
    let draws = match &process.outcome {
        Outcome::Draws(draws) => draws.as_slice(),
        Outcome::Failed(_) => &[],
    };
    draws.iter().flat_map(|draw| &draw.series)
}

/// Instructions dispatched per cycle by the core of a process: the mean over its batches of the lower value of
/// each, or over before and after if there are no values per batch.
pub(super) fn slots_of(process: &Process) -> Option<f64> {
    let looks = all_series(process).flat_map(|series| &series.slots);
    let lesser: Vec<f64> = looks.map(|pair| pair[0].min(pair[1])).collect();
    let mean = match (lesser.len(), process.slots) {
        (0, None) => return None,
        (0, Some([before, after])) => (before + after) / 2.0,
        (n, _) => lesser.iter().sum::<f64>() / n as f64,
    };
    Some(mean).filter(|mean| mean.is_finite() && *mean > 0.0)
}
