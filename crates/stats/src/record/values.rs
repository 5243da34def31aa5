//! The value of every process of every point: what a comparison rests on.
//!
//! Leaner than the summary, as a comparison may be of a thousand records: nothing is decomposed or
//! cut into levels here. The values are those of the summary.

use std::collections::HashMap;

use whyslow_model::Point;
use whyslow_model::record::{Draw, Outcome, Plan, Planned, Process, Record, Series, ValueRule};

use super::alone::Alone;
use super::slots::slots_of;
use super::topology::Classes;
use crate::quantile::{median, quantile_sorted};
use crate::topology::Label;

/// A point, or a series or topology class of one, with the value of each process.
#[derive(Debug, Clone)]
pub struct PointValues<'a> {
    /// What was planned.
    pub planned: &'a Planned,
    /// What of the point this is.
    pub part: Part,
    /// The series that gave the values, where the best of several was taken.
    pub from: Option<String>,
    /// A value for each process, in the order of the record.
    pub processes: Vec<ProcessValue>,
}

/// What of a point values are of.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// All of it.
    Whole,
    /// One of the series that each stand for themselves.
    Series(String),
    /// The samples that were taken in one topology class.
    Class {
        /// `near`, `far`, ...
        name: String,
        /// Typical one-way hand-over in it, ns.
        handover_ns: f64,
    },
}

/// The value of one process, with its inner spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProcessValue {
    /// The value, in the unit of the point.
    pub value: f64,
    /// Standard deviation of the draws' logarithms; absent with fewer than two draws.
    pub draw_spread: Option<f64>,
    /// Standard deviation of the samples about their draw, as a share; absent with one sample a draw.
    pub sample_spread: Option<f64>,
    /// Clock of the process's first CPU, GHz: the mean of before and after its batches.
    pub ghz: Option<f64>,
    /// Instructions a cycle that the core of its first CPU handed out: the mean over the batches that count, or
    /// that of before and after where batches were not looked at.
    pub slots: Option<f64>,
}

/// The series of one process.
#[derive(Debug)]
struct Summed<'a> {
    ghz: Option<f64>,
    slots: Option<f64>,
    sums: Vec<Sum<'a>>,
}

/// What is added up of one series within one process.
#[derive(Debug, Default)]
struct Sum<'a> {
    name: &'a str,
    logs: Vec<f64>,
    squares: f64,
    freedom: f64,
}

/// The points of a record with the values of their processes, in the order planned. Points without
/// any value are left out, and so is what ran beside a neighbor on the core, as [`Alone`] has it.
pub fn values(record: &Record) -> Vec<PointValues<'_>> {
    of_plan(&record.plan, &Alone::of(record).record)
}

/// The same with all batches beside neighbors.
pub fn values_as_measured(record: &Record) -> Vec<PointValues<'_>> {
    of_plan(&record.plan, record)
}

/// The values of what is planned, from the processes of `record`.
fn of_plan<'p>(plan: &'p Plan, record: &Record) -> Vec<PointValues<'p>> {
    let classes = Classes::of(record);
    let mut by_point: HashMap<&Point, Vec<(usize, &[Draw])>> = HashMap::new();
    for (index, process) in record.processes.iter().enumerate() {
        if let Outcome::Draws(draws) = &process.outcome
            && process.round > 0
        {
            by_point
                .entry(&process.point)
                .or_default()
                .push((index, draws));
        }
    }
    let mut found = Vec::new();
    for planned in &plan.points {
        let processes = by_point
            .get(&planned.point)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let series = processes
            .iter()
            .flat_map(|(_, draws)| *draws)
            .flat_map(|draw| &draw.series);
        let all = names(series.map(|series| series.name.as_str()));
        for label in labels(processes, &classes) {
            let sums: Vec<Summed<'_>> = processes
                .iter()
                .map(|&(index, draws)| Summed {
                    ghz: clock(&record.processes[index]),
                    slots: slots_of(&record.processes[index]),
                    sums: sums(planned, index, draws, &classes, label),
                })
                .collect();
            // As in the summary: the best of some series is no value beside the best of all.
            if planned.value == ValueRule::Best
                && names(sums.iter().flat_map(|of| &of.sums).map(|sum| sum.name)).len() < all.len()
            {
                continue;
            }
            let part = label.map(|label| Part::Class {
                name: classes.name(label),
                handover_ns: classes.handover_ns(label),
            });
            of_point(planned, &sums, part, &mut found);
        }
    }
    found
}

/// The topology classes of a point's samples but `moved`, or `None` alone where they have none.
fn labels(processes: &[(usize, &[Draw])], classes: &Classes) -> Vec<Option<Label>> {
    let mut seen = Vec::new();
    for &(p, draws) in processes {
        for (d, draw) in draws.iter().enumerate() {
            for (s, series) in draw.series.iter().enumerate() {
                for i in 0..series.handover_ns.len().min(series.ns.len()) {
                    let label = classes.get((p, d, s, i));
                    if label.is_some() && !seen.contains(&label) {
                        seen.push(label);
                    }
                }
            }
        }
    }
    if seen.is_empty() {
        return vec![None];
    }
    seen.retain(|l| *l != Some(Label::Moved));
    seen.sort_by_key(|label| match label {
        Some(Label::Class(k)) => *k,
        _ => usize::MAX,
    });
    seen
}

/// The series of one process, with the samples of `label` alone if there is one.
fn sums<'a>(
    planned: &Planned,
    index: usize,
    draws: &'a [Draw],
    classes: &Classes,
    label: Option<Label>,
) -> Vec<Sum<'a>> {
    let mut sums: Vec<Sum<'a>> = Vec::new();
    let mut scratch = Vec::new();
    for (d, draw) in draws.iter().enumerate() {
        for (s, series) in draw.series.iter().enumerate() {
            let wanted = |i: usize| label.is_none() || classes.get((index, d, s, i)) == label;
            kept(planned, series, &wanted, &mut scratch);
            scratch.sort_unstable_by(f64::total_cmp);
            let Some(median) = quantile_sorted(&scratch, 0.5).filter(|m| *m > 0.0) else {
                continue;
            };
            let at = sums
                .iter()
                .position(|sum| sum.name == series.name)
                .unwrap_or_else(|| {
                    sums.push(Sum {
                        name: &series.name,
                        ..Sum::default()
                    });
                    sums.len() - 1
                });
            let mean = scratch.iter().sum::<f64>() / scratch.len() as f64;
            let sum = &mut sums[at];
            sum.logs.push((median / series.work).ln());
            sum.squares += scratch
                .iter()
                .map(|v| ((v - mean) / mean).powi(2))
                .sum::<f64>();
            sum.freedom += (scratch.len() - 1) as f64;
        }
    }
    sums
}

/// The wanted samples without marks; all that are wanted where every one is marked.
fn kept(
    planned: &Planned,
    series: &Series,
    wanted: &impl Fn(usize) -> bool,
    scratch: &mut Vec<f64>,
) {
    let marked = |i: usize| {
        let mut marks = series.marks.iter().filter(|m| m.sample as usize == i);
        marks.any(|m| !planned.usual_marks.contains(&m.what))
    };
    let samples = || series.ns.iter().enumerate().filter(|(i, _)| wanted(*i));
    scratch.clear();
    if series.marks.is_empty() {
        scratch.extend(samples().map(|(_, ns)| *ns));
        return;
    }
    scratch.extend(samples().filter(|(i, _)| !marked(*i)).map(|(_, ns)| *ns));
    if scratch.is_empty() {
        scratch.extend(samples().map(|(_, ns)| *ns));
    }
}

/// The middle time of a draw as the values take it, ns per unit of work: of the series `from`, or
/// of the first.
pub fn draw_middle(planned: &Planned, draw: &Draw, from: Option<&str>) -> Option<f64> {
    let mut series = draw.series.iter();
    let series = series.find(|s| from.is_none_or(|from| s.name == from))?;
    let mut times = Vec::new();
    kept(planned, series, &|_| true, &mut times);
    let middle = median(&times).filter(|ns| *ns > 0.0)? / series.work;
    middle.is_finite().then_some(middle)
}

/// Each name once, in the order of their first.
fn names<'n>(all: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut names = Vec::new();
    for name in all {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Adds what the point's rule makes of the series.
fn of_point<'a>(
    planned: &'a Planned,
    processes: &[Summed<'_>],
    part: Option<Part>,
    found: &mut Vec<PointValues<'a>>,
) {
    let names = names(processes.iter().flat_map(|p| &p.sums).map(|sum| sum.name));
    let mut add = |part: Part, from: Option<&str>, processes: Vec<ProcessValue>| {
        if !processes.is_empty() {
            found.push(PointValues {
                planned,
                part,
                from: from.map(str::to_owned),
                processes,
            });
        }
    };
    let whole = || part.clone().unwrap_or(Part::Whole);
    match &planned.value {
        ValueRule::Single => {
            if let Some(name) = names.first() {
                add(whole(), None, series(planned, processes, name));
            }
        }
        ValueRule::Best => {
            let mean = |name: &str| {
                let all = processes.iter().flat_map(|p| &p.sums);
                let all = all.filter(|s| s.name == name);
                let logs: Vec<f64> = all.map(Sum::log).collect();
                logs.iter().sum::<f64>() / logs.len() as f64
            };
            // As in the summary: by the mean over all processes.
            if let Some(best) = names.iter().min_by(|a, b| mean(a).total_cmp(&mean(b))) {
                add(whole(), Some(best), series(planned, processes, best));
            }
        }
        ValueRule::Less { from, less } => {
            let time = |of: &[Sum<'_>], name: &str| {
                let sum = of.iter().find(|s| s.name == name)?;
                Some(sum.log().exp())
            };
            let bare = |of: &Summed<'_>| {
                Some(ProcessValue {
                    value: time(&of.sums, from)? - time(&of.sums, less)?,
                    draw_spread: None,
                    sample_spread: None,
                    ghz: of.ghz,
                    slots: of.slots,
                })
            };
            add(whole(), None, processes.iter().filter_map(bare).collect());
        }
        ValueRule::Each => {
            for name in names {
                add(
                    Part::Series(name.to_owned()),
                    None,
                    series(planned, processes, name),
                );
            }
        }
    }
}

/// The values of one series.
fn series(planned: &Planned, processes: &[Summed<'_>], name: &str) -> Vec<ProcessValue> {
    let one = |of: &Summed<'_>| {
        let sum = of.sums.iter().find(|s| s.name == name)?;
        Some(ProcessValue {
            value: planned.unit.value(1.0, sum.log().exp()),
            draw_spread: sum.draw_spread(),
            sample_spread: (sum.freedom > 0.0).then(|| (sum.squares / sum.freedom).sqrt()),
            ghz: of.ghz,
            slots: of.slots,
        })
    };
    processes.iter().filter_map(one).collect()
}

/// The clock of a process, GHz.
fn clock(process: &Process) -> Option<f64> {
    around(process.ghz?)
}

/// The mean of what was read before and after the batches; none if a reading makes no sense.
pub(super) fn around([before, after]: [f64; 2]) -> Option<f64> {
    Some((before + after) / 2.0).filter(|mean| mean.is_finite() && *mean > 0.0)
}

impl Sum<'_> {
    fn log(&self) -> f64 {
        self.logs.iter().sum::<f64>() / self.logs.len() as f64
    }

    fn draw_spread(&self) -> Option<f64> {
        let mean = self.log();
        let squares: f64 = self.logs.iter().map(|l| (l - mean).powi(2)).sum();
        let freedom = self.logs.len() as f64 - 1.0;
        (freedom > 0.0).then(|| (squares / freedom).sqrt())
    }
}
