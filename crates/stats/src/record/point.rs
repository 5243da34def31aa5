//! The summary of one point of a record.

use std::collections::BTreeSet;

use whyslow_model::record::{Draw, MarkKind, Outcome, Planned, Record, Series};
use whyslow_model::summary::{ClassSummary, Mode, PointSummary, SeriesSummary, VarianceShares};

use super::estimate::estimate;
use super::parts::Part;
use super::priors::{Priors, shown};
use super::topology::{Classes, Place};
use super::values::Found;
use crate::modes::find_modes;
use crate::nested::{self, Component};
use crate::summary::{ProcessSamples, Sample};
use crate::topology::Label;

/// The samples of one point by series, as time per unit of work.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    series: Vec<CollectedSeries>,
}

/// The samples of one series: one entry per process of the point.
#[derive(Debug)]
pub(crate) struct CollectedSeries {
    name: String,
    pub(crate) processes: Vec<ProcessSamples>,
}

impl Collected {
    /// Adds the draws of the process at `index` of the record. Samples rejected by `wanted` are
    /// skipped; those with marks other than `usual` are set aside.
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
                    processes.push(ProcessSamples::default());
                }
                if let Some(process) = processes.last_mut() {
                    process.draws.push(crate::summary::DrawSamples { samples });
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

impl CollectedSeries {
    /// Samples in all, and those left out for their marks: all count in a draw that has no others.
    fn counts(&self) -> (u32, u32) {
        let draws = self.processes.iter().flat_map(|p| &p.draws);
        draws.fold((0, 0), |(all, out), draw| {
            let marked = draw.samples.iter().filter(|s| !s.kept).count();
            let out_here = if marked < draw.samples.len() {
                marked
            } else {
                0
            };
            (all + draw.samples.len() as u32, out + out_here as u32)
        })
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

/// Summarizes `planned` from its processes, whose places in the record are `own`, and what was `found` of them.
pub(crate) fn summarise(
    record: &Record,
    planned: &Planned,
    own: &[usize],
    classes: &Classes,
    mut found: Found<'_>,
    priors: &Priors,
) -> PointSummary {
    for part in &mut found.values {
        part.moderated = priors.of_part(part);
    }
    let mut failures: Vec<String> = Vec::new();
    let mut seen: Vec<Label> = Vec::new();
    for &p in own {
        let process = &record.processes[p];
        if process.round == 0 {
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
    failures.extend(found.reasons);
    let mut summary = PointSummary {
        point: planned.point.clone(),
        unit: planned.unit,
        better: planned.better,
        size_bytes: planned.size_bytes,
        title: planned.title.clone(),
        symbol: planned.symbol.clone(),
        value: None,
        moderated: None,
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
    let all = collect(record, planned, own, |_| true);
    for (name, values) in &found.series {
        let numbers: Vec<f64> = values.iter().map(|v| v.value).collect();
        let moderated = priors.moderate(planned, values);
        if let Some((series, value)) = all.named(name).zip(estimate(&numbers, moderated)) {
            let (samples, left_out) = series.counts();
            summary.samples += samples;
            summary.left_out += left_out;
            let name = name.clone();
            summary.series.push(SeriesSummary {
                name,
                value,
                moderated: shown(moderated),
            });
        }
    }
    let in_classes = found.values.iter().filter_map(|part| {
        let label = part.label?;
        Some(ClassSummary {
            class: classes.name(label),
            handover_ns: classes.handover_ns(label),
            value: part.estimate()?,
            moderated: shown(part.moderated),
            from: part.from.clone(),
            samples: seen.iter().filter(|&&l| l == label).count() as u32,
        })
    });
    summary.classes = in_classes.collect();
    // Never an average over places: one class gives the value (samples during a move or in a place hardly
    // seen apart), several give one value each.
    let settled = found
        .values
        .iter()
        .filter(|part| matches!(part.part, Part::Whole | Part::Class { .. }) && part.is_settled());
    if let [only] = settled.collect::<Vec<_>>()[..] {
        summary.value = only.estimate();
        summary.moderated = shown(only.moderated);
        summary.from = only.from.clone();
        summary.processes = only.numbers();
        summary.modes = modes(&summary.processes);
        summary.variance = only.series.as_deref().and_then(|series| {
            let part = collect(record, planned, own, |place| {
                only.label.is_none() || classes.get(place) == only.label
            });
            variance(&part.named(series)?.processes)
        });
    }
    summary
}

/// The samples of `planned` in the rounds for which `wanted` says yes.
fn collect(
    record: &Record,
    planned: &Planned,
    own: &[usize],
    wanted: impl Fn(Place) -> bool,
) -> Collected {
    let mut collected = Collected::default();
    for &index in own {
        let process = &record.processes[index];
        if process.round > 0
            && let Outcome::Draws(draws) = &process.outcome
        {
            collected.add(index, draws, &planned.usual_marks, &wanted);
        }
    }
    collected
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

fn variance(processes: &[ProcessSamples]) -> Option<VarianceShares> {
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
