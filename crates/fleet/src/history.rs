//! One node over time: steps, and for how long averaging helps.

mod averaging;
mod series;

use std::collections::{BTreeMap, BTreeSet};

use whyslow_model::fleet::HardwareFact;
use whyslow_model::history::{HistorySeries, HistoryStep, HistoryValue, NodeHistory, SCHEMA};
use whyslow_model::time::seconds;
use whyslow_stats::changes::{self, changes};
use whyslow_stats::quantile::median;

use crate::families::FAMILIES;
use crate::index::{Catalog, Index, IndexError, RecordEntry};
use series::{Cells, noise};

/// Accepted share of nodes without a step of which one is shown.
const FALSE_SHARE: f64 = 0.05;

/// Seed of the permutations: the same records give the same page.
const SEED: u64 = 1;

/// What is followed over time.
pub enum Wanted<'w> {
    /// Families.
    Families,
    /// Points, by their names in the index.
    Points(&'w dyn Fn(&str) -> bool),
}

/// A node's record with its time, seconds from some day on.
struct Dated<'c> {
    entry: &'c RecordEntry,
    at: f64,
}

/// The history of `node` by an index; none if it has no record of it.
///
/// # Errors
/// When the index cannot be read.
pub fn history(
    index: &mut dyn Index,
    node: &str,
    wanted: &Wanted<'_>,
) -> Result<Option<NodeHistory>, IndexError> {
    let catalog = index.catalog()?;
    let own = catalog.records.iter();
    let own = own.filter(|entry| entry.problem.is_empty() && entry.node == node);
    let mut all: Vec<Dated<'_>> = own
        .filter_map(|entry| {
            let at = seconds(&entry.started)?;
            Some(Dated { entry, at })
        })
        .collect();
    all.sort_by(|a, b| a.at.total_cmp(&b.at).then(a.entry.path.cmp(&b.entry.path)));
    let Some(last) = all.last() else {
        index.done()?;
        return Ok(None);
    };
    let facts = |entry: &RecordEntry| -> &[HardwareFact] {
        let facts = catalog.hardware.get(&entry.hardware);
        facts.map_or(&[], Vec::as_slice)
    };
    let hardware = facts(last.entry).to_vec();
    let (records, others): (Vec<Dated<'_>>, Vec<Dated<'_>>) = all
        .into_iter()
        .partition(|one| facts(one.entry) == hardware);
    let found = rows(index, &catalog, &records, wanted)?;
    index.done()?;
    let tested = found.iter().filter(|row| row.at.len() >= changes::FEWEST);
    // Bonferroni's correction: one step in any of them would be one too many.
    let alpha = FALSE_SHARE / tested.count().max(1) as f64;
    let started =
        |one: Option<&Dated<'_>>| one.map_or_else(String::new, |d| d.entry.started.clone());
    Ok(Some(NodeHistory {
        schema: SCHEMA,
        node: node.to_owned(),
        hardware,
        records: records.len() as u32,
        other_hardware: others.len() as u32,
        first: started(records.first()),
        last: started(records.last()),
        false_share: FALSE_SHARE,
        series: found
            .iter()
            .map(|row| row.described(&records, alpha))
            .collect(),
    }))
}

/// The nodes that an index has records of, by name.
///
/// # Errors
/// When the index cannot be read.
pub fn nodes(index: &mut dyn Index) -> Result<Vec<String>, IndexError> {
    let catalog = index.catalog()?;
    index.done()?;
    let usable = catalog
        .records
        .into_iter()
        .filter(|entry| entry.problem.is_empty());
    let nodes: BTreeSet<String> = usable.map(|entry| entry.node).collect();
    Ok(nodes.into_iter().collect())
}

/// A family or a point: which records have it, and its logarithms.
struct Followed {
    name: String,
    points: usize,
    at: Vec<usize>,
    logs: Vec<f64>,
}

/// What is wanted, from the values of `records`.
fn rows(
    index: &mut dyn Index,
    catalog: &Catalog,
    records: &[Dated<'_>],
    wanted: &Wanted<'_>,
) -> Result<Vec<Followed>, IndexError> {
    let ids: Vec<i64> = records.iter().map(|one| one.entry.id).collect();
    let place: BTreeMap<i64, usize> = ids.iter().enumerate().map(|(at, id)| (*id, at)).collect();
    // By name, as numbers differ between indexes.
    let mut points: BTreeMap<(usize, &str), Vec<f64>> = BTreeMap::new();
    let family = |name: &str| FAMILIES.iter().position(|(family, _)| *family == name);
    index.values(&ids, &mut |record, point, log| {
        let named = catalog.points.get(&point);
        let named = named.and_then(|(name, of)| Some((family(of)?, name.as_str())));
        if let Some((named, at)) = named.zip(place.get(&record)) {
            let column = points.entry(named);
            column.or_insert_with(|| vec![f64::NAN; records.len()])[*at] = log;
        }
    })?;
    Ok(match wanted {
        Wanted::Points(select) => {
            let points = points.into_iter().filter(|((_, name), _)| select(name));
            points
                .map(|((_, name), logs)| Followed::of(name, 1, logs))
                .collect()
        }
        Wanted::Families => {
            let families = FAMILIES.iter().enumerate();
            families
                .filter_map(|(f, (name, _))| {
                    let own = points.iter().filter(|((of, _), _)| *of == f);
                    let cells = Cells::of(own.map(|(_, logs)| logs.as_slice()), records.len());
                    (cells.points() > 0).then(|| Followed::of(name, cells.points(), cells.means()))
                })
                .collect()
        }
    })
}

impl Followed {
    /// Of a logarithm for each record, NaN where there is none.
    fn of(name: &str, points: usize, logs: Vec<f64>) -> Followed {
        let known = logs
            .into_iter()
            .enumerate()
            .filter(|(_, log)| log.is_finite());
        let (at, logs): (Vec<usize>, Vec<f64>) = known.unzip();
        let center = median(&logs).unwrap_or(0.0);
        Followed {
            name: name.to_owned(),
            points,
            at,
            logs: logs.into_iter().map(|log| log - center).collect(),
        }
    }

    fn described(&self, records: &[Dated<'_>], alpha: f64) -> HistorySeries {
        let started = |n: usize| records[self.at[n]].entry.started.clone();
        let few = self.logs.len() < changes::FEWEST;
        // Logarithms of an index are finite, and so are their differences.
        let found = changes(&self.logs, alpha, SEED).ok().filter(|_| !few);
        let (steps, wanders) = found.map_or((Vec::new(), false), |f| (f.steps, f.wander));
        let times: Vec<f64> = self.at.iter().map(|at| records[*at].at).collect();
        let ends: Vec<usize> = steps.iter().map(|step| step.at).collect();
        HistorySeries {
            name: self.name.clone(),
            points: self.points as u32,
            values: (0..self.logs.len())
                .map(|n| HistoryValue {
                    started: started(n),
                    times_longer: self.logs[n].exp(),
                })
                .collect(),
            noise: noise(&self.logs).map(f64::exp_m1),
            not_tested: few.then(|| {
                format!(
                    "{} records, and {} are needed",
                    self.logs.len(),
                    changes::FEWEST
                )
            }),
            averaging: averaging::of(&self.logs, &times, &ends),
            steps: steps
                .iter()
                .map(|step| HistoryStep {
                    after: started(step.at - 1),
                    before: started(step.at),
                    times_longer: step.by.exp(),
                    range: step.interval.map(|i| [i.lo.exp(), i.hi.exp()]),
                    p: step.p,
                })
                .collect(),
            wanders,
        }
    }
}

#[cfg(test)]
mod tests;
