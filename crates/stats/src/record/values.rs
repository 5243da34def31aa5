//! The value of every process of every point: what summary and comparison both rest on.
//!
//! Whatever shows a number of a point takes it from here, so that no two can differ. Lean, as a comparison may
//! be of a thousand records: nothing is decomposed or cut into levels.

use std::collections::HashMap;

use whyslow_model::Point;
use whyslow_model::record::{Draw, Outcome, Plan, Planned, Process, Record, ValueRule};

use super::alone::Alone;
use super::estimate::Difference;
use super::parts::{Part, PointValues, ProcessValue};
use super::priors::Priors;
use super::sums::{Sum, kept, sums};
use super::topology::Classes;
use crate::quantile::quantile;
use crate::topology::Label;

/// The points of a record with the values of their processes, in the order planned. Points without
/// any value are left out, and so are batches with a busy SMT sibling, as in [`Alone`].
pub fn values(record: &Record) -> Vec<PointValues<'_>> {
    of_plan(&record.plan, &Alone::of(record).record)
}

/// The same without moderated variances, which take longer than all else: for what needs the processes' values alone.
pub fn plain_values(record: &Record) -> Vec<PointValues<'_>> {
    unmoderated(&record.plan, &Alone::of(record).record)
}

/// The same, including batches with a busy SMT sibling.
pub fn values_as_measured(record: &Record) -> Vec<PointValues<'_>> {
    of_plan(&record.plan, record)
}

/// Why `point` of `record` has no value, or not all that its processes could have given: what the values by
/// themselves do not say.
pub fn reasons(record: &Record, point: &Point) -> Vec<String> {
    let record = Alone::of(record).record;
    let classes = Classes::of(&record);
    let planned = record.plan.points.iter().find(|p| p.point == *point);
    planned.map_or_else(Vec::new, |planned| {
        let own = by_point(&record).remove(point).unwrap_or_default();
        Found::of(planned, &record, &own, &classes).reasons
    })
}

/// The values of what is planned, from the processes of `record`.
fn of_plan<'p>(plan: &'p Plan, record: &Record) -> Vec<PointValues<'p>> {
    let mut found = unmoderated(plan, record);
    let priors = Priors::of(record, &found);
    for of in &mut found {
        of.moderated = priors.of_part(of);
    }
    found
}

fn unmoderated<'p>(plan: &'p Plan, record: &Record) -> Vec<PointValues<'p>> {
    let classes = Classes::of(record);
    let by_point = by_point(record);
    let mut found = Vec::new();
    for planned in &plan.points {
        let own = by_point.get(&planned.point).map(Vec::as_slice);
        let all = Found::of(planned, record, own.unwrap_or_default(), &classes).values;
        // Samples during a move belong to no place that could be compared.
        found.extend(all.into_iter().filter(PointValues::is_settled));
    }
    found
}

/// The processes of each point, by their places in the record: looking through all of them for each point takes
/// minutes where a record has tens of thousands of both.
pub(super) fn by_point(record: &Record) -> HashMap<&Point, Vec<usize>> {
    let mut by_point: HashMap<&Point, Vec<usize>> = HashMap::new();
    for (index, process) in record.processes.iter().enumerate() {
        by_point.entry(&process.point).or_default().push(index);
    }
    by_point
}

/// A process of the rounds that brought samples, with its place in the record.
#[derive(Clone, Copy)]
struct Measured<'r> {
    index: usize,
    process: &'r Process,
    draws: &'r [Draw],
}

fn measured<'r>(record: &'r Record, own: &[usize]) -> Vec<Measured<'r>> {
    let of = |&index: &usize| {
        let process = &record.processes[index];
        match &process.outcome {
            Outcome::Draws(draws) if process.round > 0 => Some(Measured {
                index,
                process,
                draws,
            }),
            _ => None,
        }
    };
    own.iter().filter_map(of).collect()
}

/// What a point's processes give by its rule.
pub(super) struct Found<'p> {
    /// Every part with its values, the nearest class first and samples during a move last.
    pub(super) values: Vec<PointValues<'p>>,
    /// Every series with its values, over all places.
    pub(super) series: Vec<(String, Vec<ProcessValue>)>,
    /// Why there are no values, or fewer than processes; each once.
    pub(super) reasons: Vec<String>,
}

impl<'p> Found<'p> {
    /// Of a point of `record`, whose processes are `own`, labeled by `classes`.
    pub(super) fn of(
        planned: &'p Planned,
        record: &Record,
        own: &[usize],
        classes: &Classes,
    ) -> Found<'p> {
        let processes = &measured(record, own)[..];
        let summed = |label: Option<Label>| -> Vec<Summed<'_>> {
            let processes = processes.iter().copied();
            processes
                .map(|of| Summed {
                    process: of.process,
                    sums: sums(planned, of.draws, |d, s, i| {
                        label.is_none() || classes.get((of.index, d, s, i)) == label
                    }),
                })
                .collect()
        };
        let whole = summed(None);
        let all = series_names(&whole);
        let all_of_best = candidates(&whole);
        let of_series = |name: &&str| {
            let values = series(planned, &whole, name)?;
            Some((String::from(*name), values))
        };
        let mut found = Found {
            values: Vec::new(),
            series: all.iter().filter_map(of_series).collect(),
            reasons: Vec::new(),
        };
        let labels = match planned.value {
            // Series that each stand for themselves have no class: the point has no one value to split.
            ValueRule::Each => Vec::new(),
            _ => labels(processes, classes),
        };
        if labels.is_empty() {
            found.add(planned, &whole, None);
        }
        for label in labels {
            let part = summed(Some(label));
            // The best of some series is no value beside the best of all.
            let names = series_names(&part);
            if planned.value != ValueRule::Best || all_of_best.iter().all(|n| names.contains(n)) {
                found.add(planned, &part, Some((label, classes)));
            }
        }
        if planned.value == ValueRule::Best && found.values.is_empty() && !all.is_empty() {
            let why = "no class of CPUs has samples of all variants, and the best of some is not the best";
            found.reasons.push(why.to_owned());
        }
        found
    }

    /// Adds what the point's rule makes of the series in one place, or wherever they are.
    fn add(
        &mut self,
        planned: &'p Planned,
        processes: &[Summed<'_>],
        place: Option<(Label, &Classes)>,
    ) {
        let part = place.map_or(Part::Whole, |(label, classes)| Part::Class {
            name: classes.name(label),
            handover_ns: classes.handover_ns(label),
        });
        let label = place.map(|(label, _)| label);
        let mut add = |part: Part, series: Option<&str>, processes: Vec<ProcessValue>| {
            if !processes.is_empty() {
                let series = series.map(str::to_owned);
                self.values.push(PointValues {
                    planned,
                    part,
                    from: series.clone().filter(|_| planned.value == ValueRule::Best),
                    processes,
                    moderated: None,
                    series,
                    label,
                });
            }
        };
        let of = |name: &str| series(planned, processes, name);
        let names = series_names(processes);
        match &planned.value {
            ValueRule::Single => {
                if let Some((name, values)) = names.first().and_then(|n| Some((n, of(n)?))) {
                    add(part, Some(name), values);
                }
            }
            ValueRule::Best => {
                // By the mean over all processes: choosing anew in each would favor chance.
                let mean = |name: &str| {
                    let all = processes.iter().flat_map(|p| &p.sums);
                    let all = all.filter(|sum| sum.name == name);
                    let logs = all.map(Sum::log).collect::<Option<Vec<f64>>>()?;
                    Some(logs.iter().sum::<f64>() / logs.len() as f64)
                };
                let names = candidates(processes);
                let means = names.iter().filter_map(|name| Some((mean(name)?, *name)));
                let best = means.min_by(|a, b| a.0.total_cmp(&b.0));
                if let Some((name, values)) = best.and_then(|(_, n)| Some((n, of(n)?))) {
                    add(part, Some(name), values);
                }
            }
            ValueRule::Less { from, less } => {
                let difference = Difference::of(processes.iter().map(|of| {
                    let time = |name| of.sum(name).and_then(Sum::time);
                    (of.process, time(from), time(less))
                }));
                let within = match &part {
                    Part::Class { name, .. } => format!("in class {name}, "),
                    _ => String::new(),
                };
                let said = difference.reasons(from, less);
                if difference.known() {
                    let values = difference.values.iter();
                    let value = |(process, value): &(&Process, f64)| ProcessValue {
                        value: *value,
                        parts_spread: parts_spread(processes, process, [from, less], *value),
                        ..ProcessValue::of(process)
                    };
                    add(part, None, values.map(value).collect());
                }
                for said in said.into_iter().map(|said| within.clone() + &said) {
                    if !self.reasons.contains(&said) {
                        self.reasons.push(said);
                    }
                }
            }
            ValueRule::Each => {
                for name in names {
                    let values = of(name).unwrap_or_default();
                    add(Part::Series(name.to_owned()), Some(name), values);
                }
            }
        }
    }
}

/// The topology classes of a point's samples, nearest first and `moved` last; empty where they have none.
fn labels(processes: &[Measured<'_>], classes: &Classes) -> Vec<Label> {
    let mut seen = Vec::new();
    for of in processes {
        for (d, draw) in of.draws.iter().enumerate() {
            for (s, series) in draw.series.iter().enumerate() {
                for i in 0..series.handover_ns.len().min(series.ns.len()) {
                    if let Some(label) = classes.get((of.index, d, s, i))
                        && !seen.contains(&label)
                    {
                        seen.push(label);
                    }
                }
            }
        }
    }
    seen.sort_by_key(|label| match label {
        Label::Class(k) => *k,
        Label::Moved => usize::MAX,
    });
    seen
}

/// The series of one process.
struct Summed<'r> {
    process: &'r Process,
    sums: Vec<Sum<'r>>,
}

impl Summed<'_> {
    fn sum(&self, name: &str) -> Option<&Sum<'_>> {
        self.sums.iter().find(|sum| sum.name == name)
    }
}

/// The spreads of samples and of draws of both series of a difference, as shares of its `value`.
fn parts_spread(
    processes: &[Summed<'_>],
    process: &Process,
    names: [&str; 2],
    value: f64,
) -> [Option<f64>; 2] {
    let of = processes
        .iter()
        .find(|of| std::ptr::eq(of.process, process));
    let spread: [fn(&Sum<'_>) -> Option<f64>; 2] =
        [|sum| sum.sample_spread(), |sum| sum.draw_spread()];
    spread.map(|spread| {
        let one = |name| {
            let sum = of?.sum(name)?;
            Some((spread(sum)? * sum.time()?).powi(2))
        };
        let squares: f64 = one(names[0])? + one(names[1])?;
        Some(squares.sqrt() / value).filter(|share| share.is_finite() && *share > 0.0)
    })
}

/// The names of all series, each once, in the order of their first.
fn series_names<'n>(processes: &'n [Summed<'_>]) -> Vec<&'n str> {
    let mut names = Vec::new();
    for sum in processes.iter().flat_map(|of| &of.sums) {
        if !names.contains(&sum.name) {
            names.push(sum.name);
        }
    }
    names
}

/// The series of which one may be the best: a run measures those that cannot be in its first process only (see
/// [`contenders`](super::contenders)), and what one process says is no match for what several say.
fn candidates<'n>(processes: &'n [Summed<'_>]) -> Vec<&'n str> {
    let count = |name: &str| processes.iter().filter(|of| of.sum(name).is_some()).count();
    let mut names = series_names(processes);
    if names.iter().any(|name| count(name) > 1) {
        names.retain(|name| count(name) > 1);
    }
    names
}

/// The values of one series: middles of logarithms, or of amounts where some sample is zero. None if a sample
/// of it cannot be.
fn series(planned: &Planned, processes: &[Summed<'_>], name: &str) -> Option<Vec<ProcessValue>> {
    let of_name = || {
        let processes = processes.iter();
        processes.filter_map(|of| Some((of.process, of.sum(name)?)))
    };
    let some_zero = of_name().any(|(_, sum)| sum.log().is_none());
    if some_zero && planned.unit.is_rate() {
        return None;
    }
    let one = |(process, sum): (&Process, &Sum<'_>)| {
        let value = match some_zero {
            true => sum.amount()?,
            false => planned.unit.value(1.0, sum.time()?),
        };
        let spread = |of: Option<f64>| of.filter(|_| !some_zero);
        // What is too large for a number has none.
        value.is_finite().then(|| ProcessValue {
            value,
            draw_spread: spread(sum.draw_spread()),
            sample_spread: spread(sum.sample_spread()),
            ..ProcessValue::of(process)
        })
    };
    of_name().map(one).collect()
}

/// The time of a draw as used for values, by the estimator of its point, ns per unit of work: of the series `from`, or of
/// the first.
pub fn draw_middle(planned: &Planned, draw: &Draw, from: Option<&str>) -> Option<f64> {
    let mut series = draw.series.iter();
    let series = series.find(|s| from.is_none_or(|from| s.name == from))?;
    let mut times = Vec::new();
    kept(planned, series, &|_| true, &mut times);
    let middle =
        quantile(&times, planned.estimator.quantile()).filter(|ns| *ns > 0.0)? / series.work;
    middle.is_finite().then_some(middle)
}
