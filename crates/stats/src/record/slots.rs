//! How much of their cores the processes of a record had.
//!
//! The other hardware thread of a core takes turns in what the core hands out, whoever it belongs to: this
//! host, or another guest of which no counter tells. Each batch of one CPU is looked at before and after.

use std::collections::{BTreeMap, HashMap};

use whyslow_model::record::{Outcome, Process, Record, Series};

use crate::quantile::quantile;

/// Below this share of the best that was seen, somebody else took turns: looks at a core that nobody shares
/// lie within 3 % of each other, and a busy hardware thread takes a quarter or more.
const SHARED: f64 = 0.9;

/// Fewer looks than this make no distribution.
const FEWEST: usize = 20;

/// What the cores handed out a cycle, over the looks at them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slots {
    /// On average.
    pub mean: f64,
    /// At their best, which is what the core can do if it was ever left alone.
    pub best: f64,
    /// Share of the batches (of the processes, where batches were not looked at) in which it was well below
    /// that.
    pub shared: f64,
    /// The middle of those; absent where there were none.
    pub when_shared: Option<f64>,
}

impl Slots {
    /// Of the rounds of `record`; none where too few looked.
    pub fn of(record: &Record) -> Option<Slots> {
        let cores = Cores::of([record]);
        let looks = looks(record);
        let lesser = |pair: [f64; 2]| pair[0].min(pair[1]);
        let low = looks.iter().filter(|(cpu, pair)| cores.beside(*cpu, *pair));
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

/// What each CPU of one host hands out when it is left alone, as far as that was seen. CPUs apart, as the cores
/// of a host may be of several kinds; all together where records do not say which CPU it was.
#[derive(Debug, Clone, Default)]
pub struct Cores(BTreeMap<Option<u32>, f64>);

impl Cores {
    /// Of the rounds of `records`, which are of one host.
    pub fn of<'r>(records: impl IntoIterator<Item = &'r Record>) -> Cores {
        let mut seen: HashMap<Option<u32>, Vec<f64>> = HashMap::new();
        for (cpu, pair) in records.into_iter().flat_map(looks) {
            seen.entry(cpu).or_default().extend(pair);
        }
        let enough = seen.into_iter().filter(|(_, seen)| seen.len() >= FEWEST);
        // Not the very most: one misread clock would make all others shared.
        Cores(
            enough
                .filter_map(|(cpu, seen)| Some((cpu, quantile(&seen, 0.98)?)))
                .collect(),
        )
    }

    /// The most that one of them hands out; none where too few looked.
    pub fn best(&self) -> Option<f64> {
        self.0.values().copied().max_by(f64::total_cmp)
    }

    /// Share of the batches of `records` (of their processes, where batches were not looked at) beside which
    /// somebody else had the core; none where nobody looked.
    pub fn shared<'r>(&self, records: impl IntoIterator<Item = &'r Record>) -> Option<f64> {
        let (mut beside, mut all) = (0u32, 0u32);
        for (cpu, pair) in records.into_iter().flat_map(looks) {
            all += 1;
            beside += u32::from(self.beside(cpu, pair));
        }
        (all > 0).then(|| f64::from(beside) / f64::from(all))
    }

    /// The batches of a series of `process` beside which somebody else had the core.
    pub fn beside_batches(
        &self,
        process: &Process,
        series: &Series,
    ) -> impl Iterator<Item = usize> {
        let cpu = process.luck.cpus.first().copied();
        let looks = series.slots.iter().enumerate();
        looks.filter_map(move |(i, pair)| self.beside(cpu, *pair).then_some(i))
    }

    /// Was somebody beside a batch on `cpu`, by the looks before and after? No, where that cannot be told.
    pub(super) fn beside(&self, cpu: Option<u32>, [before, after]: [f64; 2]) -> bool {
        let best = self.0.get(&cpu);
        best.is_some_and(|best| before.min(after) < SHARED * best)
    }
}

/// The looks before and after of all batches of the rounds, with their CPU; of all processes where no batch was
/// looked at.
fn looks(record: &Record) -> Vec<(Option<u32>, [f64; 2])> {
    let rounds = || record.processes.iter().filter(|p| p.round > 0);
    let of_batches = rounds().flat_map(|process| {
        let cpu = process.luck.cpus.first().copied();
        let looks = all_series(process).flat_map(|series| &series.slots);
        looks.map(move |pair| (cpu, *pair))
    });
    let of_batches: Vec<_> = of_batches.filter(readable).collect();
    if !of_batches.is_empty() {
        return of_batches;
    }
    let of_processes = rounds().filter_map(|p| Some((p.luck.cpus.first().copied(), p.slots?)));
    of_processes.filter(readable).collect()
}

fn readable((_, pair): &(Option<u32>, [f64; 2])) -> bool {
    pair.iter().all(|slots| slots.is_finite() && *slots > 0.0)
}

fn all_series(process: &Process) -> impl Iterator<Item = &Series> {
    let draws = match &process.outcome {
        Outcome::Draws(draws) => draws.as_slice(),
        Outcome::Failed(_) => &[],
    };
    draws.iter().flat_map(|draw| &draw.series)
}

/// What the core of a process handed out a cycle: the mean over its batches of the lesser look at each, or that
/// of before and after where batches were not looked at.
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
