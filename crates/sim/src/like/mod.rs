//! The latency curve of a record, simulated: what its caches make of a random cycle under many placements.
//!
//! Counts are simulated; what each thing costs is fitted to the record's own curve on ordinary pages, by few numbers (one
//! for each level and one for each miss of a TLB). So that the error shown for a size is no echo of that size, it is that
//! of costs fitted without it.

mod costs;
mod machine;
mod shared;

use whyslow_model::Record;
use whyslow_model::simulation::{CurveSimulation, SCHEMA, SimulatedCosts, SimulatedSize, Spread};
use whyslow_model::summary::{PointSummary, Summary};
use whyslow_stats::record::summarise;

use crate::error::SimError;
use crate::machine::{MachineSpec, Outcome};
use crate::placement::Policy;
use crate::stream::{Pattern, Stream};
use crate::{Replacement, Tally};
use costs::{Measured, cost_of, fit};
use shared::Share;

pub use machine::{described, described_tlb, name_of};

/// What is to be simulated of a record.
pub struct Like<'a> {
    /// Name of the record.
    pub name: &'a str,
    /// Kind of pages: `4k`, `colored` or `thp`.
    pub pages: &'a str,
    /// Placements.
    pub placements: u32,
    /// Seed of the first.
    pub seed: u64,
    /// Threads to simulate on.
    pub threads: usize,
    /// Largest size, bytes.
    pub most_bytes: u64,
    /// Changes what is simulated beside the machine as it is; false where nothing is to be changed.
    #[allow(clippy::type_complexity, reason = "one use")]
    pub what_if: &'a dyn Fn(&mut MachineSpec, u32) -> Result<bool, SimError>,
}

/// Passes over the cycle before the one that counts: caches with any policy are in their steady state by then.
const WARM: u32 = 2;

/// Lines that all placements of one size go through at most; larger sizes get fewer placements, whose spread falls with size.
const MOST_LINES: u64 = 1 << 20;

/// Fewest placements of a size.
const FEWEST: u32 = 2;

/// A last level that serves less than this share of what it claims is shared with others.
const SHARED: f64 = 0.75;

/// Placements that a size is simulated under to choose a policy and a share.
const TRIED: u32 = 12;

/// Placements with each part of a last level.
const SOME: u32 = 4;

/// A size of more lines is alike under all placements.
const SMOOTH: u64 = 1 << 16;

/// A size beyond so many times the last level misses it whatever part of it there is.
const BEYOND: u64 = 2;

struct Size {
    bytes: u64,
    /// How often each thing that costs happens in a load, by placement.
    events: Vec<Vec<f64>>,
}

impl Size {
    fn mean(&self) -> Vec<f64> {
        let kinds = self.events.first().map_or(0, Vec::len);
        let of = |kind: usize| self.events.iter().map(|e| e[kind]).sum::<f64>();
        (0..kinds)
            .map(|kind| of(kind) / self.events.len() as f64)
            .collect()
    }

    /// ns of a load: the geometric mean over placements, as values of records are over processes.
    fn cost(&self, costs: &[f64]) -> f64 {
        let ln = self.events.iter().map(|events| cost_of(events, costs).ln());
        (ln.sum::<f64>() / self.events.len() as f64).exp()
    }
}

/// A measured point of the curve.
struct Value {
    bytes: u64,
    ns: f64,
    weight: f64,
}

impl Value {
    fn of(point: &PointSummary) -> Option<Value> {
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

/// Simulates the curve.
///
/// # Errors
/// When the record lacks what is needed, or what is to be simulated cannot be.
pub fn curve(record: &Record, like: &Like<'_>) -> Result<CurveSimulation, SimError> {
    let summary = summarise(record);
    let policy = match like.pages {
        "colored" => Policy::Colored,
        "thp" => Policy::Huge,
        _ => Policy::Random,
    };
    let ordinary = points(&summary, "4k", like.most_bytes);
    let values: Vec<Value> = ordinary.iter().filter_map(|p| Value::of(p)).collect();
    if values.len() < FEW_SIZES {
        return Err(SimError::Record(format!(
            "has {} sizes of mem.latency on ordinary pages, which is too few to fit costs to: `whyslow run --only 'mem.latency{{*order=random*}}'`",
            values.len()
        )));
    }
    let base = machine::found(record, Policy::Random)?;
    let (line, mut notes) = (base.line_bytes, base.notes);
    let sizes: Vec<u64> = values.iter().map(|value| value.bytes).collect();
    let cycles = |spec: &MachineSpec, sizes: &[u64]| -> Result<Vec<Cycle>, SimError> {
        let each = sizes.iter();
        each.map(|bytes| Cycle::new(spec, *bytes, line, like.seed))
            .collect()
    };
    let own = cycles(&base.spec, &sizes)?;
    let model = Model::fitted(&summary, base.spec, &own, &values, like, &mut notes)?;

    // Other pages lie otherwise and are translated otherwise; costs and shares stay.
    let other = machine::found(record, policy.clone())?;
    let mut asked = model.spec.clone();
    asked.tlbs = other.spec.tlbs;
    asked.policy = policy;
    let of_pages = points(&summary, like.pages, like.most_bytes);
    let own = match like.pages {
        "4k" => own,
        _ => {
            let measured = of_pages.iter().filter_map(|p| p.size_bytes);
            let mut all: Vec<u64> = sizes.iter().copied().chain(measured).collect();
            all.sort_unstable();
            all.dedup();
            cycles(&asked, &all)?
        }
    };
    let mut changed = asked.clone();
    let is_changed = (like.what_if)(&mut changed, line)?;
    let simulate = |spec: &MachineSpec| -> Result<Vec<Size>, SimError> {
        own.iter()
            .map(|cycle| model.place(cycle, spec, like))
            .collect()
    };
    let shown = simulate(&asked)?;
    let what_if = match is_changed {
        true => Some(simulate(&changed)?),
        false => None,
    };
    let spread = |size: &Size| {
        let all = size
            .events
            .iter()
            .map(|events| cost_of(events, &model.costs));
        Spread::of(all.collect()).unwrap_or(Spread {
            least: 0.0,
            median: 0.0,
            most: 0.0,
        })
    };
    let rows = shown.iter().enumerate().map(|(at, size)| {
        let own = of_pages.iter().find(|p| p.size_bytes == Some(size.bytes));
        let value = own.and_then(|p| p.value);
        let simulated = spread(size);
        let error = match like.pages {
            "4k" => Some(model.left_out[at]),
            _ => value.map(|v| size.cost(&model.costs) / v.value - 1.0),
        };
        // Without a spread there is nothing to lie in.
        let spreads = simulated.least < simulated.most;
        let faster = value.filter(|_| spreads).map(|v| {
            let below = |events: &&Vec<f64>| cost_of(events, &model.costs) < v.value;
            size.events.iter().filter(below).count() as f64 / size.events.len() as f64
        });
        SimulatedSize {
            bytes: size.bytes,
            measured_ns: value.map(|v| v.value),
            measured_range: value.and_then(|v| v.range),
            simulated_ns: simulated,
            placements: size.events.len() as u32,
            faster,
            error,
            what_if_ns: what_if.as_ref().map(|sizes| spread(&sizes[at])),
        }
    });
    let describe = |spec: &MachineSpec| {
        spec.caches
            .iter()
            .map(|level| described(level, line))
            .collect()
    };
    Ok(CurveSimulation {
        schema: SCHEMA,
        record: like.name.to_owned(),
        pages: like.pages.to_owned(),
        seed: like.seed,
        sizes: rows.collect(),
        caches: describe(&asked),
        tlbs: asked
            .tlbs
            .iter()
            .enumerate()
            .map(|(at, tlb)| described_tlb(at, tlb))
            .collect(),
        what_if: if is_changed {
            describe(&changed)
        } else {
            Vec::new()
        },
        costs: named(&model.spec, &model.costs),
        notes,
    })
}

/// A machine whose policies, shares and costs meet a curve.
struct Model {
    spec: MachineSpec,
    /// What others leave of the last level, where they use a part.
    share: Option<Share>,
    costs: Vec<f64>,
    /// The relative error of each size with share and costs that were fitted without it.
    left_out: Vec<f64>,
}

impl Model {
    fn fitted(
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
            let fits = cycle.loads <= last * BEYOND && cycle.loads * u64::from(LEAST) > last;
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
    fn place(&self, cycle: &Cycle, spec: &MachineSpec, like: &Like<'_>) -> Result<Size, SimError> {
        let last = spec.caches.last().map_or(0, |level| level.cache.lines);
        let specs: Vec<MachineSpec> = match &self.share {
            Some(share)
                if cycle.loads <= last * BEYOND && cycle.loads * u64::from(LEAST) > last =>
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

/// A cycle on the cache that pages are placed for, under random placements.
#[derive(Debug, Clone)]
pub struct Placements {
    /// Name of the cache, such as `L2`.
    pub level: String,
    /// Its bytes.
    pub bytes: u64,
    /// Its ways.
    pub ways: u32,
    /// The share of loads that miss it, by placement.
    pub misses: Vec<f64>,
}

/// Simulates the random cycle of a size on the cache of a record that pages are placed for, with LRU, and pages of 4 KiB
/// anywhere: what chance does to a point.
///
/// # Errors
/// When the record does not tell its caches, or there is no such cycle.
pub fn placements(
    record: &Record,
    bytes: u64,
    count: u32,
    seed: u64,
) -> Result<Placements, SimError> {
    let found = machine::found(record, Policy::Random)?;
    let (mut spec, line) = (found.spec, found.line_bytes);
    let at = spec.placed_for();
    spec.caches.truncate(at + 1);
    spec.tlbs.clear();
    let cycle = Pattern::Chase.pass(bytes, line, seed)?;
    let end = seed.saturating_add(u64::from(count));
    let outcomes = spec.place_all(&cycle, WARM, seed..end, 1)?;
    let share =
        |outcome: &Outcome| outcome.caches[at].misses() as f64 / outcome.accesses().max(1) as f64;
    let level = &spec.caches[at];
    Ok(Placements {
        level: level.name.clone(),
        bytes: level.cache.lines * u64::from(line),
        ways: level.cache.ways,
        misses: outcomes.iter().map(share).collect(),
    })
}

/// Sizes below which costs cannot be fitted: there are up to seven costs.
const FEW_SIZES: usize = 12;

/// Measured points of the curve on one kind of pages, by size.
fn points<'s>(summary: &'s Summary, pages: &str, most: u64) -> Vec<&'s PointSummary> {
    let mut found: Vec<&PointSummary> = summary
        .points
        .iter()
        .filter(|p| p.point.probe == whyslow_model::id::MEM_LATENCY)
        .filter(|p| p.point.get("order") == Some("random") && p.point.get("pages") == Some(pages))
        .filter(|p| p.value.is_some() && p.size_bytes.is_some_and(|bytes| bytes <= most))
        .collect();
    found.sort_by_key(|p| p.size_bytes);
    found
}

/// The cycle of one size with the reads of page tables, and what translating it takes, which no cache changes.
struct Cycle {
    bytes: u64,
    loads: u64,
    stream: Stream,
    tlbs: Vec<Tally>,
}

impl Cycle {
    fn new(spec: &MachineSpec, bytes: u64, line: u32, seed: u64) -> Result<Cycle, SimError> {
        let plain = Pattern::Chase.pass(bytes, line, seed)?;
        let (stream, tlbs) = spec.walked(&plain)?;
        Ok(Cycle {
            bytes,
            loads: plain.len() as u64,
            stream,
            tlbs,
        })
    }

    /// Simulates it under placements, each on the next of the machines.
    fn place(&self, specs: &[MachineSpec], most: u32, like: &Like<'_>) -> Result<Size, SimError> {
        let fits = (MOST_LINES / self.loads.max(1)).min(u64::from(u32::MAX)) as u32;
        let each = most
            .min(fits.max(FEWEST))
            .div_ceil(specs.len() as u32)
            .max(1);
        let mut events = Vec::new();
        let mut seed = like.seed;
        for spec in specs {
            let end = seed.saturating_add(u64::from(each));
            let outcomes = spec.place_all(&self.stream, WARM, seed..end, like.threads)?;
            events.extend(outcomes.iter().map(|outcome| self.events(outcome)));
            seed = end;
        }
        Ok(Size {
            bytes: self.bytes,
            events,
        })
    }

    /// How often each thing that costs happens in a load: the load itself, a miss of each cache, be it by the load or by the
    /// walk before it, a miss of each TLB.
    fn events(&self, outcome: &Outcome) -> Vec<f64> {
        let loads = self.loads.max(1) as f64;
        let misses = outcome
            .caches
            .iter()
            .chain(&self.tlbs)
            .map(|tally| tally.misses() as f64 / loads);
        std::iter::once(1.0).chain(misses).collect()
    }
}

fn named(spec: &MachineSpec, costs: &[f64]) -> Vec<SimulatedCosts> {
    let first = spec
        .caches
        .first()
        .map(|level| format!("{} hit", level.name));
    let caches = spec
        .caches
        .iter()
        .map(|level| format!("{} miss", level.name));
    let tlbs = (1..=spec.tlbs.len()).map(|at| format!("TLB {at} miss"));
    let names = first.into_iter().chain(caches).chain(tlbs);
    names
        .zip(costs)
        .map(|(of, &ns)| SimulatedCosts { of, ns })
        .collect()
}
