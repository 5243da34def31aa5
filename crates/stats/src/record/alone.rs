//! A record without the batches that had a busy SMT sibling.
//!
//! A busy SMT sibling is a disturbance like any other: batches are excluded by the dispatch rate before and
//! after, never by their time. If too few processes had an idle sibling, all batches stay: a value is from
//! undisturbed batches or as measured, never a mixture. For several CPUs this is decided per topology class, as
//! for their values.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use whyslow_model::Point;
use whyslow_model::record::{Draw, Outcome, Planned, Process, Record, Series, ValueRule};

use super::slots::{Cores, cpus};
use super::topology::Classes;
use crate::topology::Label;

/// Least number of processes with undisturbed batches: fewer give no reliable spread.
const FEWEST: usize = 3;

/// A record and what was left out of it.
#[derive(Debug)]
pub struct Alone<'a> {
    /// The record; processes without an undisturbed batch have no draws.
    pub record: Cow<'a, Record>,
    /// Batches left out of each point, for a busy SMT sibling or for interruptions besides.
    pub left_out: BTreeMap<Point, Counts>,
}

/// Batches of a point.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Left out in total.
    pub batches: u32,
    /// Of these, with a busy SMT sibling.
    pub beside: u32,
}

impl<'a> Alone<'a> {
    /// Of the rounds of `record`.
    pub fn of(record: &'a Record) -> Alone<'a> {
        let cores = Cores::of([record]);
        let classes = Classes::of(record);
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
                let looked = Looked {
                    planned,
                    cores: &cores,
                    classes: &classes,
                };
                alone.leave_out(record, looked, &by_point[&planned.point]);
            }
        }
        alone
    }

    /// Leaves out batches with a busy SMT sibling in the processes `own` of one point.
    fn leave_out(&mut self, whole: &Record, looked: Looked<'_>, indices: &[usize]) {
        let own = || {
            indices
                .iter()
                .map(|&index| (index, &whole.processes[index]))
        };
        let mut names: Vec<&str> = Vec::new();
        for series in own().flat_map(|(_, p)| draws(p)).flat_map(|d| &d.series) {
            if !names.contains(&series.name.as_str()) {
                names.push(&series.name);
            }
        }
        // A difference needs all of its series from the same process; others are independent.
        let groups: Vec<Vec<&str>> = match looked.planned.value {
            ValueRule::Less { .. } => vec![names],
            _ => names.into_iter().map(|name| vec![name]).collect(),
        };
        let counts = self
            .left_out
            .entry(looked.planned.point.clone())
            .or_default();
        for group in groups {
            // The processes with a good batch of each series, by topology class.
            let mut quiet: HashMap<Option<Label>, HashSet<usize>> = HashMap::new();
            for (index, process) in own() {
                let mut good = group
                    .iter()
                    .map(|name| looked.good_places(index, process, name));
                let mut places = good.next().unwrap_or_default();
                for of_another in good {
                    places.retain(|place| of_another.contains(place));
                }
                for place in places {
                    quiet.entry(place).or_default().insert(index);
                }
            }
            quiet.retain(|_, processes| processes.len() >= FEWEST);
            if quiet.is_empty() {
                continue;
            }
            for (index, _) in own() {
                let process = &mut self.record.to_mut().processes[index];
                looked.thin(index, process, &group, &quiet, counts);
            }
        }
        // Last, because positions refer to the whole record.
        if let Cow::Owned(record) = &mut self.record {
            for &index in indices {
                without_empty(&mut record.processes[index]);
            }
        }
    }
}

/// A point, and the observations around its batches.
#[derive(Clone, Copy)]
struct Looked<'l> {
    planned: &'l Planned,
    cores: &'l Cores,
    /// Of the whole record.
    classes: &'l Classes,
}

impl Looked<'_> {
    /// The topology classes of the good batches of the series `name`, each once; none for one CPU.
    fn good_places(&self, index: usize, process: &Process, name: &str) -> Vec<Option<Label>> {
        let cpus = cpus(process);
        let mut places = Vec::new();
        for (d, draw) in draws(process).iter().enumerate() {
            for (s, series) in draw.series.iter().enumerate() {
                let all = (0..series.ns.len()).filter(|_| series.name == name);
                for i in all.filter(|&i| self.good(&cpus, series, i)) {
                    let place = self.classes.get((index, d, s, i));
                    if !places.contains(&place) {
                        places.push(place);
                    }
                }
            }
        }
        places
    }

    /// Removes the batches of the series in `group` that are not good from process number `index`, or all if it is
    /// not in `quiet`. Batches of a class with too few quiet processes all stay.
    fn thin(
        &self,
        index: usize,
        process: &mut Process,
        group: &[&str],
        quiet: &HashMap<Option<Label>, HashSet<usize>>,
        counts: &mut Counts,
    ) {
        let cpus = cpus(process);
        let Outcome::Draws(draws) = &mut process.outcome else {
            return;
        };
        for (d, draw) in draws.iter_mut().enumerate() {
            for (s, series) in draw.series.iter_mut().enumerate() {
                if !group.contains(&series.name.as_str()) {
                    continue;
                }
                let stays = |i: &usize| match quiet.get(&self.classes.get((index, d, s, *i))) {
                    Some(quiet) => quiet.contains(&index) && self.good(&cpus, series, *i),
                    None => true,
                };
                let (kept, gone): (Vec<usize>, Vec<usize>) = (0..series.ns.len()).partition(stays);
                let beside = gone.iter().filter(|i| self.beside(&cpus, series, **i));
                counts.beside += beside.count() as u32;
                counts.batches += gone.len() as u32;
                keep(series, &kept);
            }
        }
    }

    /// True if a batch has no marks and an idle SMT sibling.
    fn good(&self, cpus: &[u32], series: &Series, i: usize) -> bool {
        let mut marks = series.marks.iter().filter(|m| m.sample as usize == i);
        let marked = marks.any(|m| !self.planned.usual_marks.contains(&m.what));
        !marked && series.slots.get(i).is_some() && !self.beside(cpus, series, i)
    }

    fn beside(&self, cpus: &[u32], series: &Series, i: usize) -> bool {
        let look = series.slots.get(i);
        look.is_some_and(|pair| self.cores.beside(cpus, *pair))
    }
}

/// Keeps the batches numbered in `kept`.
fn keep(series: &mut Series, kept: &[usize]) {
    fn some<T: Copy>(of: &[T], kept: &[usize]) -> Vec<T> {
        kept.iter().filter_map(|&i| of.get(i).copied()).collect()
    }
    series.ns = some(&series.ns, kept);
    series.slots = some(&series.slots, kept);
    series.handover_ns = some(&series.handover_ns, kept);
    series.marks.retain_mut(|mark| {
        let place = kept.iter().position(|&i| i == mark.sample as usize);
        mark.sample = place.unwrap_or_default() as u32;
        place.is_some()
    });
}

/// Removes series and draws without remaining batches.
fn without_empty(process: &mut Process) {
    if let Outcome::Draws(draws) = &mut process.outcome {
        for draw in draws.iter_mut() {
            draw.series.retain(|series| !series.ns.is_empty());
        }
        draws.retain(|draw| !draw.series.is_empty());
    }
}

fn draws(process: &Process) -> &[Draw] {
    match &process.outcome {
        Outcome::Draws(draws) => draws,
        Outcome::Failed(_) => &[],
    }
}
