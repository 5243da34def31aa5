//! A record without the batches beside which somebody else had the core.
//!
//! A neighbor on the core's other hardware thread is an interruption like any other: by the looks before and
//! after a batch, and never by its time, the batch is left out. Where too few processes had the core to
//! themselves, everything stays: a value is of undisturbed batches or as measured, and no mixture.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use whyslow_model::Point;
use whyslow_model::record::{Draw, Outcome, Planned, Process, Record, Series, ValueRule};

use super::slots::Cores;

/// So many processes must have had the core to themselves for a while: fewer have no spread to speak of.
const FEWEST: usize = 3;

/// A record and what was left out of it.
#[derive(Debug)]
pub struct Alone<'a> {
    /// The record; processes that had the core never to themselves are there without draws.
    pub record: Cow<'a, Record>,
    /// Batches left out of each point, for a neighbor alone or for interruptions beside him.
    pub left_out: BTreeMap<Point, Counts>,
}

/// Batches of a point.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Left out in all.
    pub batches: u32,
    /// Of these, beside a neighbor.
    pub beside: u32,
}

impl<'a> Alone<'a> {
    /// Of the rounds of `record`.
    pub fn of(record: &'a Record) -> Alone<'a> {
        let cores = Cores::of([record]);
        let mut by_point: HashMap<&Point, Vec<usize>> = HashMap::new();
        let mut met: HashSet<&Point> = HashSet::new();
        for (index, process) in record.processes.iter().enumerate() {
            if process.round > 0 {
                by_point.entry(&process.point).or_default().push(index);
                let mut series = draws(process).iter().flat_map(|d| &d.series);
                if series.any(|s| cores.beside_batches(process, s).next().is_some()) {
                    met.insert(&process.point);
                }
            }
        }
        let mut alone = Alone {
            record: Cow::Borrowed(record),
            left_out: BTreeMap::new(),
        };
        for planned in &record.plan.points {
            if met.contains(&planned.point) {
                alone.leave_out(record, planned, &by_point[&planned.point], &cores);
            }
        }
        alone
    }

    /// Leaves out what ran beside a neighbor in the processes `own`, which measured what was `planned`.
    fn leave_out(&mut self, whole: &Record, planned: &Planned, own: &[usize], cores: &Cores) {
        let own = || own.iter().map(|&index| (index, &whole.processes[index]));
        let mut names: Vec<&str> = Vec::new();
        for series in own().flat_map(|(_, p)| draws(p)).flat_map(|d| &d.series) {
            if !names.contains(&series.name.as_str()) {
                names.push(&series.name);
            }
        }
        // A difference needs all of its series from the same process; others stand for themselves.
        let groups: Vec<Vec<&str>> = match planned.value {
            ValueRule::Less { .. } => vec![names],
            _ => names.into_iter().map(|name| vec![name]).collect(),
        };
        let counts = self.left_out.entry(planned.point.clone()).or_default();
        for group in groups {
            let has = |process: &Process, name: &str| {
                let cpu = cpu(process);
                let series = draws(process).iter().flat_map(|d| &d.series);
                let mut own = series.filter(|s| s.name == name);
                own.any(|s| (0..s.ns.len()).any(|i| good(planned, cpu, s, i, cores)))
            };
            let quiet = own().filter(|(_, p)| group.iter().all(|name| has(p, name)));
            let quiet: HashSet<usize> = quiet.map(|(index, _)| index).collect();
            if quiet.len() < FEWEST {
                continue;
            }
            for (index, _) in own() {
                let process = &mut self.record.to_mut().processes[index];
                let stays = quiet.contains(&index);
                thin(planned, process, &group, stays, cores, counts);
            }
        }
    }
}

/// Takes the batches of the series of `group` that are not good out of `process`, or all where it goes.
fn thin(
    planned: &Planned,
    process: &mut Process,
    group: &[&str],
    stays: bool,
    cores: &Cores,
    counts: &mut Counts,
) {
    let cpu = cpu(process);
    let Outcome::Draws(draws) = &mut process.outcome else {
        return;
    };
    for series in draws.iter_mut().flat_map(|d| &mut d.series) {
        if !group.contains(&series.name.as_str()) {
            continue;
        }
        let stay = |i: &usize| stays && good(planned, cpu, series, *i, cores);
        let kept: Vec<usize> = (0..series.ns.len()).filter(stay).collect();
        let met = (0..series.ns.len()).filter(|i| beside(cpu, series, *i, cores));
        counts.beside += met.count() as u32;
        counts.batches += (series.ns.len() - kept.len()) as u32;
        series.ns = kept.iter().map(|&i| series.ns[i]).collect();
        series.slots = kept
            .iter()
            .filter_map(|&i| series.slots.get(i).copied())
            .collect();
        // Marks of the point's own work say nothing more.
        series.marks.clear();
    }
    for draw in draws.iter_mut() {
        draw.series.retain(|series| !series.ns.is_empty());
    }
    draws.retain(|draw| !draw.series.is_empty());
}

/// Was neither anything marked in a batch, nor anybody beside it?
fn good(planned: &Planned, cpu: Option<u32>, series: &Series, i: usize, cores: &Cores) -> bool {
    let mut marks = series.marks.iter().filter(|m| m.sample as usize == i);
    let marked = marks.any(|m| !planned.usual_marks.contains(&m.what));
    !marked && series.slots.get(i).is_some() && !beside(cpu, series, i, cores)
}

fn beside(cpu: Option<u32>, series: &Series, i: usize, cores: &Cores) -> bool {
    let look = series.slots.get(i);
    look.is_some_and(|pair| cores.beside(cpu, *pair))
}

fn cpu(process: &Process) -> Option<u32> {
    process.luck.cpus.first().copied()
}

fn draws(process: &Process) -> &[Draw] {
    match &process.outcome {
        Outcome::Draws(draws) => draws,
        Outcome::Failed(_) => &[],
    }
}
