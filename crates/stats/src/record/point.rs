//! One point of a record, summed up.

use std::collections::BTreeSet;

use whyslow_model::record::{Draw, MarkKind, Outcome, Planned, Record, Series, ValueRule};
use whyslow_model::summary::{
    ClassSummary, Interval, Mode, PointSummary, SeriesSummary, VarianceShares,
};

use super::amounts;
use super::topology::{Classes, Place};
use crate::modes::find_modes;
use crate::nested::{self, Component};
use crate::student::mean_interval;
use crate::summary::{COVERAGE, Process, Sample, Summary, estimate, summarise as summarise_series};
use crate::topology::Label;

/// The samples of one point by series, as time per unit of work.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    series: Vec<CollectedSeries>,
}

/// The samples of one series: one entry a process of the point.
#[derive(Debug)]
pub(crate) struct CollectedSeries {
    name: String,
    pub(crate) processes: Vec<Process>,
}

impl Collected {
    /// Adds the draws of the process at `index` of the record. Samples for which `wanted` says no
    /// are passed over; those with marks other than `usual` are kept aside.
    pub(crate) fn add(
        &mut self,
        index: usize,
        draws: &[Draw],
        usual: &[MarkKind],
        wanted: impl Fn(Place) -> bool,
    ) {
        let mut here: BTreeSet<usize> = BTreeSet::new();
        for (d, draw) in draws.iter().enumerate() {
            for (s, series) in draw.series.iter().enumerate() {
                let samples: Vec<Sample> = samples(series, usual)
                    .enumerate()
                    .filter(|(i, _)| wanted((index, d, s, *i)))
                    .map(|(_, sample)| sample)
                    .collect();
                if samples.is_empty() {
                    continue;
                }
                let at = self.position(&series.name);
                let processes = &mut self.series[at].processes;
                if here.insert(at) {
                    processes.push(Process::default());
                }
                if let Some(process) = processes.last_mut() {
                    process.draws.push(crate::summary::Draw { samples });
                }
            }
        }
    }

    fn position(&mut self, name: &str) -> usize {
        self.series
            .iter()
            .position(|s| s.name == name)
            .unwrap_or_else(|| {
                self.series.push(CollectedSeries {
                    name: name.to_owned(),
                    processes: Vec::new(),
                });
                self.series.len() - 1
            })
    }

    pub(crate) fn first(&self) -> Option<&CollectedSeries> {
        self.series.first()
    }

    fn named(&self, name: &str) -> Option<&CollectedSeries> {
        self.series.iter().find(|s| s.name == name)
    }
}

/// Samples as ns per unit of work, with whether they count.
fn samples<'a>(series: &'a Series, usual: &'a [MarkKind]) -> impl Iterator<Item = Sample> + 'a {
    series.ns.iter().enumerate().map(move |(i, ns)| Sample {
        ns: ns / series.work,
        kept: !series
            .marks
            .iter()
            .any(|m| m.sample as usize == i && !usual.contains(&m.what)),
    })
}

/// Sums up `planned` from its processes.
pub(crate) fn summarise(record: &Record, planned: &Planned, classes: &Classes) -> PointSummary {
    let mut seen: Vec<Label> = Vec::new();
    let mut failures: Vec<String> = Vec::new();
    let collect = |wanted: &dyn Fn(Place) -> bool| {
        let mut collected = Collected::default();
        for (index, process) in record.processes.iter().enumerate() {
            if process.round > 0
                && process.point == planned.point
                && let Outcome::Draws(draws) = &process.outcome
            {
                collected.add(index, draws, &planned.usual_marks, wanted);
            }
        }
        collected
    };
    for (p, process) in record.processes.iter().enumerate() {
        if process.round == 0 || process.point != planned.point {
            continue;
        }
        match &process.outcome {
            Outcome::Failed(failure) if !failures.contains(&failure.why) => {
                failures.push(failure.why.clone())
            }
            Outcome::Failed(_) => {}
            Outcome::Draws(draws) => seen.extend(labels(p, draws, classes)),
        }
    }
    let all = collect(&|_| true);
    let value = |collected: &Collected| Valued::of(planned, collected);
    let mut summary = PointSummary {
        point: planned.point.clone(),
        unit: planned.unit,
        better: planned.better,
        size_bytes: planned.size_bytes,
        title: planned.title.clone(),
        symbol: planned.symbol.clone(),
        value: None,
        from: None,
        series: Vec::new(),
        classes: Vec::new(),
        processes: Vec::new(),
        samples: 0,
        left_out: 0,
        beside: 0,
        variance: None,
        modes: Vec::new(),
        failures,
    };
    for series in &all.series {
        if let Ok(found) = summarise_series(&series.processes) {
            summary.samples += found.n_samples as u32;
            summary.left_out += found.n_left_out as u32;
            summary.series.push(SeriesSummary {
                name: series.name.clone(),
                value: interval(planned, &found),
            });
        } else if let Some(found) = amounts::summarise(planned.unit, &series.processes) {
            summary.samples += found.samples;
            summary.series.push(SeriesSummary {
                name: series.name.clone(),
                value: found.value,
            });
        }
    }
    let mut distinct = distinct(&seen);
    // The best of some series is no value beside the best of all.
    let whole = |part: &Collected| {
        planned.value != ValueRule::Best || part.series.len() == all.series.len()
    };
    distinct.retain(|&label| {
        let part = collect(&|place| classes.get(place) == Some(label));
        let valued = value(&part).filter(|_| whole(&part));
        if let Some(valued) = &valued {
            summary.classes.push(ClassSummary {
                class: classes.name(label),
                handover_ns: classes.handover_ns(label),
                value: valued.interval,
                from: valued.from.clone(),
                samples: seen.iter().filter(|&&l| l == label).count() as u32,
            });
        }
        valued.is_some()
    });
    let settled: Vec<Label> = distinct
        .into_iter()
        .filter(|&l| l != Label::Moved)
        .collect();
    // Never an average over places: one class gives the value (samples during a move or in a place hardly
    // seen apart), several give one value each.
    let valued = match settled[..] {
        [] if seen.is_empty() => value(&all),
        [only] => value(&collect(&|place| classes.get(place) == Some(only))),
        _ => None,
    };
    if let Some(valued) = valued {
        summary.value = Some(valued.interval);
        summary.from = valued.from;
        summary.modes = modes(&valued.processes);
        summary.processes = valued.processes;
        summary.variance = valued.variance;
    }
    summary
}

/// Labels of a process's samples; empty where they have none.
fn labels(process: usize, draws: &[Draw], classes: &Classes) -> Vec<Label> {
    let mut labels = Vec::new();
    for (d, draw) in draws.iter().enumerate() {
        for (s, series) in draw.series.iter().enumerate() {
            labels.extend((0..series.ns.len()).filter_map(|i| classes.get((process, d, s, i))));
        }
    }
    labels
}

/// The labels that occur, nearest class first, `moved` last.
fn distinct(labels: &[Label]) -> Vec<Label> {
    let mut distinct: Vec<Label> = Vec::new();
    for &label in labels {
        if !distinct.contains(&label) {
            distinct.push(label);
        }
    }
    distinct.sort_by_key(|label| match label {
        Label::Class(k) => *k,
        Label::Moved => usize::MAX,
    });
    distinct
}

/// The value of a point by its rule.
struct Valued {
    interval: Interval,
    from: Option<String>,
    processes: Vec<f64>,
    variance: Option<VarianceShares>,
}

impl Valued {
    fn of(planned: &Planned, collected: &Collected) -> Option<Valued> {
        match &planned.value {
            ValueRule::Each => None,
            ValueRule::Single => Valued::of_series(planned, collected.first()?, false),
            ValueRule::Best => {
                // By the mean over all processes: choosing anew in each would favour luck.
                let best = collected
                    .series
                    .iter()
                    .filter_map(|s| Some((summarise_series(&s.processes).ok()?.estimate.value, s)))
                    .min_by(|a, b| a.0.total_cmp(&b.0))?;
                Valued::of_series(planned, best.1, true)
            }
            ValueRule::Less { from, less } => {
                let values = |name| summarise_series(&collected.named(name)?.processes).ok();
                let (from, less) = (values(from)?, values(less)?);
                let processes: Vec<f64> = from
                    .process_values
                    .iter()
                    .zip(&less.process_values)
                    .map(|(a, b)| a - b)
                    .collect();
                Some(Valued {
                    interval: difference(&processes)?,
                    from: None,
                    processes,
                    variance: None,
                })
            }
        }
    }

    fn of_series(planned: &Planned, series: &CollectedSeries, name_it: bool) -> Option<Valued> {
        let Ok(found) = summarise_series(&series.processes) else {
            let found = amounts::summarise(planned.unit, &series.processes)?;
            return Some(Valued {
                interval: found.value,
                from: None,
                processes: found.processes,
                variance: None,
            });
        };
        Some(Valued {
            interval: interval(planned, &found),
            from: name_it.then(|| series.name.clone()),
            processes: found
                .process_values
                .iter()
                .map(|&ns| planned.unit.value(1.0, ns))
                .collect(),
            variance: variance(&series.processes),
        })
    }
}

/// The estimate from the differences of each process: as every other time where all are above zero, so that its
/// interval is too; arithmetic where noise made one zero or less, which says how little was seen.
fn difference(processes: &[f64]) -> Option<Interval> {
    if let Ok(found) = estimate(processes) {
        return Some(Interval {
            value: found.value,
            range: found.lo.zip(found.hi).map(|(lo, hi)| [lo, hi]),
        });
    }
    let mean = mean_interval(processes, COVERAGE)?;
    Some(Interval {
        value: mean.mean,
        range: mean.interval.map(|i| [i.lo, i.hi]),
    })
}

/// The estimate in the point's unit: a rate is the inverse of a time, and its interval turned round.
fn interval(planned: &Planned, found: &Summary) -> Interval {
    let value = |ns| planned.unit.value(1.0, ns);
    let ends = found.estimate.lo.zip(found.estimate.hi);
    Interval {
        value: value(found.estimate.value),
        range: ends.map(|(lo, hi)| {
            let (a, b) = (value(lo), value(hi));
            [a.min(b), a.max(b)]
        }),
    }
}

fn variance(processes: &[Process]) -> Option<VarianceShares> {
    let found = nested::decompose(processes).ok()?;
    let share = |c: Option<Component>| c.map_or(0.0, |c| c.share);
    found.process.map(|_| VarianceShares {
        process: share(found.process),
        draw: share(found.draw),
        sample: share(found.sample),
    })
}

fn modes(processes: &[f64]) -> Vec<Mode> {
    match find_modes(processes) {
        Ok(modes) if modes.len() > 1 => modes
            .iter()
            .map(|m| Mode {
                value: m.center,
                processes: m.count as u32,
            })
            .collect(),
        // Differences at or below zero have no logarithm, and so no modes.
        _ => Vec::new(),
    }
}
