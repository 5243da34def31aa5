//! A machine fitted to a curve: the second level's policies, the share of the last, and costs.

use whyslow_model::summary::{PointSummary, Summary};

use super::Like;
use super::costs::{Measured, fit};
use super::cycle::{Cycle, SMOOTH, Size};
use super::machine::name_of;
use super::shared::{self, Share};
use crate::Replacement;
use crate::error::SimError;
use crate::machine::MachineSpec;

/// A last level that serves less than this share of what it claims is shared with others.
const SHARED: f64 = 0.75;

/// Placements that a size is simulated under to choose a policy and a share.
const TRIED: u32 = 8;

/// Placements with each part of a last level.
const SOME: u32 = 4;

/// A size beyond so many halves of the last level misses it whatever part of it there is.
const BEYOND: u64 = 3;

/// A measured point of the curve.
pub(super) struct Value {
    pub(super) bytes: u64,
    ns: f64,
    weight: f64,
}

impl Value {
    pub(super) fn of(point: &PointSummary) -> Option<Value> {
        let value = point.value?;
        // A value counts by its variance, on top of what a model is off by anyway.
        let half = value
            .range
            .map_or(UNKNOWN, |[low, high]| (high / low).ln() / 2.0);
        Some(Value {
            bytes: point.size_bytes?,
            ns: value.value,
            weight: 1.0 / (MODEL.powi(2) + (half / 2.0).powi(2)),
        })
    }
}

/// What the model is off by at best, as a share.
const MODEL: f64 = 0.03;

/// Half the width of the interval of a value that has none, as a logarithm.
const UNKNOWN: f64 = 0.2;

/// A machine whose policies, shares and costs meet a curve.
pub(super) struct Model {
    pub(super) spec: MachineSpec,
    /// What others leave of the last level, where they use a part.
    share: Option<Share>,
    /// ns of each thing that costs.
    pub(super) costs: Vec<f64>,
    /// The relative error of each size with share and costs that were fitted without it.
    pub(super) left_out: Vec<f64>,
}

impl Model {
    pub(super) fn fitted(
        summary: &Summary,
        mut spec: MachineSpec,
        cycles: &[Cycle],
        values: &[Value],
        like: &Like<'_>,
        notes: &mut Vec<String>,
    ) -> Result<Model, SimError> {
        let served = served(summary, &spec);
        let last = spec.caches.last().map_or(0, |level| level.cache.lines);
        let part = served.unwrap_or(1.0);
        // Below half of what the last level serves, all that differs is the level above.
        let inner = (last as f64 * part / 2.0) as usize;
        choose_second(&mut spec, cycles, values, inner, like, notes)?;
        let shared = served.filter(|part| *part < SHARED);
        let mut curve = Vec::with_capacity(cycles.len());
        for (cycle, value) in cycles.iter().zip(values) {
            let fits = 2 * cycle.loads <= last * BEYOND && cycle.loads * u64::from(LEAST) > last;
            let mut events = Vec::new();
            if shared.is_some() && fits {
                for at in 0..shared::PARTS {
                    let own = shared::with_part(&spec, shared::part(at));
                    let few = if cycle.loads > SMOOTH { 1 } else { SOME };
                    events.push(cycle.place(&[own], few, like)?.mean());
                }
            } else {
                let parts = [spec.clone()];
                events.push(
                    cycle
                        .place(&parts, like.placements.min(TRIED), like)?
                        .mean(),
                );
            }
            curve.push(Measured {
                events,
                ns: value.ns,
                weight: value.weight,
            });
        }
        let without = |at: usize| {
            let others = curve.iter().enumerate().filter(move |(i, _)| *i != at);
            others.map(|(_, size)| size)
        };
        let error = |at: usize| {
            let (chances, costs) = match &shared {
                Some(_) => shared::best(without(at))
                    .map(|(share, costs)| (share.chances, costs))
                    .unwrap_or_default(),
                None => (Vec::new(), fit(without(at), &[]).0),
            };
            curve[at].cost(&chances, &costs) / curve[at].ns - 1.0
        };
        let left_out = (0..curve.len()).map(error).collect();
        let found = shared.and_then(|_| shared::best(curve.iter()));
        let (share, costs) = match found {
            Some((share, costs)) => (Some(share), costs),
            None => (None, fit(curve.iter(), &[]).0),
        };
        if let (Some(share), Some(level)) = (&share, spec.caches.last()) {
            let [low, middle, high] =
                [1.0 / 6.0, 0.5, 5.0 / 6.0].map(|of| 100.0 * shared::part(share.quantile(of)));
            notes.push(format!(
                "{} serves {:.0} % of what it claims, others use the rest: it is simulated as a fully associative cache with random replacement and a size that differs from run to run, {middle:.0} % at the median and {low:.0} to {high:.0} % in two of three runs, under which the curve is met best",
                level.name, 100.0 * part,
            ));
        }
        Ok(Model {
            spec,
            share,
            costs,
            left_out,
        })
    }

    /// Simulates a cycle on a machine: each placement with a part of the last level, as runs have them.
    pub(super) fn place(
        &self,
        cycle: &Cycle,
        spec: &MachineSpec,
        like: &Like<'_>,
    ) -> Result<Size, SimError> {
        let last = spec.caches.last().map_or(0, |level| level.cache.lines);
        let specs: Vec<MachineSpec> = match &self.share {
            Some(share)
                if 2 * cycle.loads <= last * BEYOND && cycle.loads * u64::from(LEAST) > last =>
            {
                let quantile = |at: usize| (at as f64 + 0.5) / DRAWN as f64;
                let parts = (0..DRAWN).map(|at| shared::part(share.quantile(quantile(at))));
                parts.map(|part| shared::with_part(spec, part)).collect()
            }
            _ => vec![spec.clone()],
        };
        cycle.place(&specs, like.placements, like)
    }
}

/// Parts of a shared last level that placements are simulated with in turn.
const DRAWN: usize = 9;

/// A cycle of fewer lines than a last level has, divided by this, fits into any part of it.
const LEAST: u32 = 24;

/// The part of its last level that a record's curve is served from.
fn served(summary: &Summary, spec: &MachineSpec) -> Option<f64> {
    let last = spec.caches.last()?;
    let own = summary
        .levels
        .iter()
        .find(|level| level.name == last.name)?;
    Some(own.capacity_bytes?.value / own.claimed_bytes? as f64)
}

/// Gives the second of several levels the replacement under which the curve is met best up to so many lines: vendors do not
/// say how their caches replace, and a cycle larger than the cache shows it.
fn choose_second(
    spec: &mut MachineSpec,
    cycles: &[Cycle],
    values: &[Value],
    most: usize,
    like: &Like<'_>,
    notes: &mut Vec<String>,
) -> Result<(), SimError> {
    let [_, second, _, ..] = &spec.caches[..] else {
        return Ok(());
    };
    let ways = second.cache.ways;
    if ways > 16 || !cycles.iter().any(|cycle| cycle.loads > second.cache.lines) {
        return Ok(());
    }
    let mut best: Option<(f64, MachineSpec)> = None;
    for replacement in [
        Replacement::Lru,
        Replacement::TreePlru,
        Replacement::Srrip,
        Replacement::Brrip,
        Replacement::Random,
    ] {
        if replacement == Replacement::TreePlru && !ways.is_power_of_two() {
            continue;
        }
        for pairs in [false, true] {
            let mut tried = spec.clone();
            tried.caches[1].cache.replacement = replacement;
            tried.caches[1].pairs = pairs;
            let inner = cycles.iter().zip(values);
            let inner = inner.filter(|(cycle, _)| cycle.loads <= most as u64);
            let mut curve = Vec::new();
            for (cycle, value) in inner {
                curve.push(Measured {
                    events: vec![cycle.place(&[tried.clone()], TRIED, like)?.mean()],
                    ns: value.ns,
                    weight: value.weight,
                });
            }
            let (_, left) = fit(curve.iter(), &[]);
            if best.as_ref().is_none_or(|(least, _)| left < *least) {
                best = Some((left, tried));
            }
        }
    }
    if let Some((_, found)) = best {
        *spec = found;
        let cache = &spec.caches[1];
        let pairs = if cache.pairs {
            " and fetches lines in pairs"
        } else {
            ""
        };
        notes.push(format!(
            "{} is simulated with {} replacement{pairs}, under which its sizes are met best of those tried",
            cache.name,
            name_of(cache.cache.replacement)
        ));
    }
    Ok(())
}
