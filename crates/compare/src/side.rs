//! One side: its records' values by point, and the units that they are values of.

use std::collections::{BTreeMap, HashMap};

use whyslow_model::Point;
use whyslow_model::comparison::{Repeated, Side};
use whyslow_model::record::{Planned, Record};
use whyslow_stats::moderated::Moderated;
use whyslow_stats::record::{Part, PointValues, ProcessValue};

use crate::Named;
use crate::cycles::value_at;

/// A side's values.
pub(crate) struct Gathered<'a> {
    pub(crate) records: &'a [Named<'a>],
    /// Host and boot of each record, as numbers.
    places: Vec<(usize, usize)>,
    pub(crate) hosts: usize,
    pub(crate) boots: usize,
    pub(crate) points: Vec<SidePoint<'a>>,
    by_point: HashMap<&'a Point, Vec<usize>>,
}

/// A point, or a part of one, on one side.
pub(crate) struct SidePoint<'a> {
    pub(crate) planned: &'a Planned,
    pub(crate) part: Part,
    pub(crate) from: Option<String>,
    /// Record and value of each process.
    pub(crate) values: Vec<(usize, ProcessValue)>,
    /// What the variance of its processes borrows; of a single record, because between several there is a variance
    /// that none of them knows.
    pub(crate) prior: Option<Moderated>,
}

impl<'a> Gathered<'a> {
    /// With `values` as they are taken of a record.
    pub(crate) fn of(
        records: &'a [Named<'a>],
        values: fn(&Record) -> Vec<PointValues<'_>>,
    ) -> Self {
        let mut hosts: Vec<&str> = Vec::new();
        let mut boots: Vec<(usize, &str)> = Vec::new();
        let mut places = Vec::new();
        for named in records {
            let host = position(&mut hosts, host_of(named.record));
            let boot = position(&mut boots, (host, boot_of(named.record)));
            places.push((host, boot));
        }
        let mut side = Gathered {
            records,
            places,
            hosts: hosts.len(),
            boots: boots.len(),
            points: Vec::new(),
            by_point: HashMap::new(),
        };
        for (index, named) in records.iter().enumerate() {
            for found in values(named.record) {
                let at = side.slot(&found.planned.point, &found.part);
                let at = at.unwrap_or_else(|| {
                    let of_point = side.by_point.entry(&found.planned.point).or_default();
                    of_point.push(side.points.len());
                    side.points.push(SidePoint {
                        planned: found.planned,
                        part: found.part,
                        from: found.from,
                        values: Vec::new(),
                        prior: found.moderated.filter(|_| records.len() == 1),
                    });
                    side.points.len() - 1
                });
                let values = found.processes.into_iter().map(|value| (index, value));
                side.points[at].values.extend(values);
            }
        }
        side
    }

    fn slot(&self, point: &Point, part: &Part) -> Option<usize> {
        let same = |other: &Part| match (other, part) {
            (Part::Class { name: a, .. }, Part::Class { name: b, .. }) => a == b,
            (a, b) => a == b,
        };
        let of_point = self.by_point.get(point)?;
        of_point
            .iter()
            .copied()
            .find(|&i| same(&self.points[i].part))
    }

    /// The parts of a point that this side has.
    pub(crate) fn parts(&self, point: &Point) -> Vec<&SidePoint<'a>> {
        let indices = self.by_point.get(point).map(Vec::as_slice);
        let indices = indices.unwrap_or_default().iter();
        indices.map(|&i| &self.points[i]).collect()
    }

    /// Are both sides of one host, and the same?
    pub(crate) fn same_host(&self, other: &Gathered<'_>) -> bool {
        same_host(self.records, other.records)
    }

    /// Positive values of the units at `level`: geometric means of what they hold. `None` if a value is
    /// zero or less.
    /// With `at` they are given at that clock; with `least`, processes whose core handed out less are left
    /// out.
    pub(crate) fn units(
        &self,
        point: &SidePoint<'_>,
        level: Repeated,
        at: Option<f64>,
        least: Option<f64>,
    ) -> Option<Vec<f64>> {
        let alone = |value: &ProcessValue| least.is_none_or(|least| value.slots >= Some(least));
        let values = point.values.iter().filter(|(_, value)| alone(value));
        let positive = values.map(|(record, value)| {
            let value = value_at(value, point.planned.unit, at);
            let positive = value.is_finite() && value > 0.0;
            positive.then_some((*record, value))
        });
        let positive: Vec<(usize, f64)> = positive.collect::<Option<_>>()?;
        if !matches!(level, Repeated::Boot | Repeated::Host) {
            // As they are: by way of logarithms they would not be those of the summary to the last digit.
            return Some(positive.into_iter().map(|(_, value)| value).collect());
        }
        let logs = positive
            .into_iter()
            .map(|(record, value)| (record, value.ln()));
        // Processes within boots, boots within hosts, each mean with equal weight.
        let mut boots: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
        for (record, log) in logs {
            boots.entry(self.places[record]).or_default().push(log);
        }
        if level == Repeated::Boot {
            return Some(boots.values().map(|logs| mean(logs).exp()).collect());
        }
        let mut hosts: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for ((host, _), logs) in boots {
            hosts.entry(host).or_default().push(mean(&logs));
        }
        Some(hosts.values().map(|logs| mean(logs).exp()).collect())
    }

    /// The number of points whose variances are moderated together.
    pub(crate) fn moderated_over(&self) -> u32 {
        let priors = self.points.iter().filter_map(|p| p.prior);
        priors.map(|p| p.points as u32).max().unwrap_or_default()
    }

    /// For the reader.
    pub(crate) fn describe(&self) -> Side {
        let mut systems: Vec<String> = Vec::new();
        for named in self.records {
            let system = system(named.record);
            if !system.is_empty() && !systems.contains(&system) {
                systems.push(system);
            }
        }
        Side {
            records: self.records.iter().map(|n| n.name.to_owned()).collect(),
            systems,
            hosts: self.hosts as u32,
            boots: self.boots as u32,
        }
    }
}

/// Are all records of one host? False where hosts are unknown.
pub(crate) fn same_host(a: &[Named<'_>], b: &[Named<'_>]) -> bool {
    let mut hosts = a.iter().chain(b).map(|named| host_of(named.record));
    let first = hosts.next().unwrap_or_default();
    !first.is_empty() && hosts.all(|host| host == first)
}

/// The outermost level that both sides repeated.
pub(crate) fn level(a: &Gathered<'_>, b: &Gathered<'_>) -> Repeated {
    let most = |side: &Gathered<'_>| side.points.iter().map(|p| p.values.len()).max();
    let least = most(a).unwrap_or(0).min(most(b).unwrap_or(0));
    let all = || a.records.iter().chain(b.records);
    match () {
        () if least < 2 => Repeated::Nothing,
        () if a.hosts.min(b.hosts) >= 2 => Repeated::Host,
        () if a.boots.min(b.boots) >= 2 => Repeated::Boot,
        () if all().all(|n| n.record.origin.is_some()) => Repeated::Runs,
        () => Repeated::Process,
    }
}

/// Which host a record is of; empty where it does not say.
fn host_of(record: &Record) -> &str {
    record.host.as_deref().map_or("", |h| h.id.id.as_str())
}

fn boot_of(record: &Record) -> &str {
    let boot = record.host.as_deref().and_then(|h| h.boot_id.value());
    boot.map_or("", String::as_str)
}

/// What a record says that it is of.
fn system(record: &Record) -> String {
    if let Some(origin) = &record.origin {
        return origin.system.clone();
    }
    let name = record.host.as_deref().and_then(|h| h.name.value());
    let state = record.states.first().map(|at| &at.state.kernel.release);
    let kernel = state.and_then(|r| r.value());
    [name, kernel]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", Linux ")
}

fn position<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    list.iter().position(|i| *i == item).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
