//! What was beside a node's work while it was measured: time that it waited for a CPU, work of others, busy sibling
//! threads. Batches that met it are left out of values; what is left out is evidence.

use std::collections::BTreeMap;

use whyslow_explain::{Cause, causes};
use whyslow_model::Record;
use whyslow_model::record::{MarkKind, Outcome, Process};
use whyslow_stats::quantile::median;
use whyslow_stats::record::Slots;

use crate::value::PointValue;

/// A condition, which has a value in each record as a family has.
#[derive(Debug)]
pub(crate) struct Condition {
    /// Its name, which is that of its family and of its one point.
    pub(crate) name: &'static str,
    /// What a node has to have more of than its group, in the unit of [`Condition::shown`], to be told from it: more than a
    /// quiet machine varies by.
    pub(crate) floor: f64,
    /// What it may be the work of.
    pub(crate) cause: &'static Cause,
    /// Its amount in words.
    pub(crate) shown: fn(f64) -> String,
    of: fn(&Record) -> Option<f64>,
}

/// Time that work took, over what it would have taken without waiting for its CPU. It is judged as a family is, as a node
/// that makes work wait is slow.
pub(crate) const WAITING: &str = "waiting for a CPU";

/// The conditions.
pub(crate) const CONDITIONS: [Condition; 3] = [
    Condition {
        name: WAITING,
        floor: 0.05,
        cause: &causes::cpu_neighbor::CAUSE,
        shown: |more| format!("{:.0} % more time", 100.0 * more),
        of: waiting,
    },
    Condition {
        name: "work of others",
        floor: 0.25,
        cause: &causes::memory_neighbor::CAUSE,
        shown: |more| format!("{more:.2} CPUs"),
        of: others,
    },
    Condition {
        name: "busy sibling threads",
        floor: 0.25,
        cause: &causes::core_neighbor::CAUSE,
        shown: |more| format!("{:.0} % of batches", 100.0 * more),
        of: siblings,
    },
];

/// Fewer rounds have no median that one burst of other work leaves alone.
const FEWEST_ROUNDS: usize = 3;

/// The values of `record`: the logarithm of one more than the amount, so that none is zero. Another tool's figures have
/// none.
pub(crate) fn conditions(record: &Record) -> Vec<PointValue> {
    if record.origin.is_some() {
        return Vec::new();
    }
    let known = CONDITIONS
        .iter()
        .filter_map(|c| Some((c.name, (c.of)(record)?)));
    known
        .map(|(name, amount)| PointValue {
            point: name.to_owned(),
            family: name,
            log: amount.max(0.0).ln_1p(),
            variance: None,
            processes: 1,
        })
        .collect()
}

/// Share of time more that batches on one CPU took because their thread was ready and did not run: behind other
/// threads, without quota, or because a hypervisor ran another guest. The median over rounds, as other work comes and goes and
/// what is of the node stays.
fn waiting(record: &Record) -> Option<f64> {
    let mut rounds: BTreeMap<u32, [f64; 2]> = BTreeMap::new();
    let own = record.processes.iter();
    let one_cpu = |p: &&Process| p.round > 0 && p.randomization.cpus.len() == 1;
    for process in own.filter(one_cpu) {
        let Outcome::Draws(draws) = &process.outcome else {
            continue;
        };
        let [all, waited] = rounds.entry(process.round).or_default();
        for series in draws.iter().flat_map(|draw| &draw.series) {
            *all += series.ns.iter().sum::<f64>();
            let late = |kind| matches!(kind, MarkKind::RunDelayNs | MarkKind::StolenNs);
            let marks = series.marks.iter().filter(|mark| late(mark.what));
            *waited += marks.map(|mark| mark.count as f64).sum::<f64>();
        }
    }
    let more = rounds.values().filter(|[all, _]| *all > 0.0);
    // A wait can have begun before its batch.
    let more: Vec<f64> = more
        .map(|[all, waited]| waited / (all - waited).max(0.01 * all))
        .collect();
    (more.len() >= FEWEST_ROUNDS)
        .then(|| median(&more))
        .flatten()
}

/// CPUs' worth of time that other processes used.
fn others(record: &Record) -> Option<f64> {
    let neighbours = record.neighbours.as_ref()?;
    let others = *neighbours.others_cpu_s.value()?;
    (neighbours.wall_s > 0.0).then(|| others / neighbours.wall_s)
}

/// Share of batches whose core's other thread was busy.
fn siblings(record: &Record) -> Option<f64> {
    Some(Slots::of(record)?.shared)
}
