//! The latency curve of a record, simulated: what its caches make of a random cycle under many placements.
//!
//! Counts are simulated; what each thing costs is fitted to the record's own curve on ordinary pages, by few numbers (one
//! for each level and one for each miss of a TLB). So that the error shown for a size is no echo of that size, it is that
//! of costs fitted without it.

mod costs;
mod machine;

use whyslow_model::Record;
use whyslow_model::simulation::{CurveSimulation, SCHEMA, SimulatedCosts, SimulatedSize, Spread};
use whyslow_model::summary::{PointSummary, Summary};
use whyslow_stats::record::summarise;

use crate::error::SimError;
use crate::hierarchy::LevelSpec;
use crate::machine::{MachineSpec, Outcome};
use crate::placement::Policy;
use crate::stream::{Pattern, Stream};
use crate::{Replacement, Tally};
use costs::{Measured, cost_of, fit};

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
const MOST_LINES: u64 = 4 << 20;

/// Fewest placements of a size.
const FEWEST: u32 = 2;

/// A last level that serves less than this share of what it claims is shared with others, and simulated with fewer ways.
const SHARED: f64 = 0.75;

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
}

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
    if ordinary.len() < FEW_SIZES {
        return Err(SimError::Record(format!(
            "has {} sizes of mem.latency on ordinary pages, which is too few to fit costs to: `whyslow run --only 'mem.latency{{*order=random*}}'`",
            ordinary.len()
        )));
    }
    let base = machine::found(record, Policy::Random)?;
    let line = base.line_bytes;
    let (mut spec, mut notes) = (base.spec, base.notes);
    let sizes: Vec<u64> = ordinary.iter().filter_map(|p| p.size_bytes).collect();
    let ns: Vec<f64> = ordinary
        .iter()
        .filter_map(|p| Some(p.value?.value))
        .collect();
    let cycles = |spec: &MachineSpec| -> Result<Vec<Cycle>, SimError> {
        let each = sizes.iter();
        each.map(|bytes| Cycle::new(spec, *bytes, line, like.seed))
            .collect()
    };
    let simulate =
        |cycles: &[Cycle], spec: &MachineSpec, most: u32| -> Result<Vec<Size>, SimError> {
            cycles
                .iter()
                .map(|cycle| cycle.place(spec, most, like))
                .collect()
        };
    let own = cycles(&spec)?;
    share_last(&summary, &mut spec, &mut notes, &|spec| {
        let simulated = simulate(&own, spec, FEWEST)?;
        Ok(errors(&simulated, &ns).iter().map(|e| e * e).sum())
    })?;
    let as_is = simulate(&own, &spec, like.placements)?;
    let measured: Vec<Measured> = measured(&as_is, &ns);
    let kinds = measured.first().map_or(0, |size| size.events.len());
    let costs = fit(&measured.iter().collect::<Vec<_>>(), kinds);
    let left_out = errors(&as_is, &ns);

    // Other pages lie otherwise and are translated otherwise; costs stay.
    let other = machine::found(record, policy.clone())?;
    let mut asked = spec.clone();
    asked.tlbs = other.spec.tlbs;
    asked.policy = policy;
    let (own, shown) = match like.pages {
        "4k" => (own, as_is),
        _ => {
            let own = cycles(&asked)?;
            let shown = simulate(&own, &asked, like.placements)?;
            (own, shown)
        }
    };
    let mut changed = asked.clone();
    let is_changed = (like.what_if)(&mut changed, line)?;
    let what_if = match is_changed {
        true => Some(simulate(&own, &changed, like.placements)?),
        false => None,
    };
    let spread = |size: &Size| {
        let all = size
            .events
            .iter()
            .map(|events| cost_of(events, &costs))
            .collect();
        Spread::of(all).unwrap_or(Spread {
            least: 0.0,
            median: 0.0,
            most: 0.0,
        })
    };
    let of_pages = points(&summary, like.pages, like.most_bytes);
    let rows = shown.iter().enumerate().map(|(at, size)| {
        let own = of_pages.iter().find(|p| p.size_bytes == Some(size.bytes));
        let value = own.and_then(|p| p.value);
        let simulated = spread(size);
        let error = match like.pages {
            "4k" => Some(left_out[at]),
            _ => value.map(|v| cost_of(&size.mean(), &costs) / v.value - 1.0),
        };
        // Without a spread there is nothing to lie in.
        let spreads = simulated.least < simulated.most;
        let faster = value.filter(|_| spreads).map(|v| {
            let below = |events: &&Vec<f64>| cost_of(events, &costs) < v.value;
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
        costs: named(&spec, &costs),
        notes,
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

/// The cycle of one size, and what translating it takes on a machine's TLBs, which no cache changes.
struct Cycle {
    bytes: u64,
    stream: Stream,
    tlbs: Vec<Tally>,
}

impl Cycle {
    fn new(spec: &MachineSpec, bytes: u64, line: u32, seed: u64) -> Result<Cycle, SimError> {
        let stream = Pattern::Chase.pass(bytes, line, seed)?;
        let tlbs = spec.translate(&stream, WARM)?;
        Ok(Cycle {
            bytes,
            stream,
            tlbs,
        })
    }

    /// Simulates it under placements.
    fn place(&self, spec: &MachineSpec, most: u32, like: &Like<'_>) -> Result<Size, SimError> {
        let lines = self.stream.len() as u64;
        let fits = (MOST_LINES / lines.max(1)).min(u64::from(u32::MAX)) as u32;
        let placements = most.min(fits.max(FEWEST));
        let seeds = like.seed..like.seed.saturating_add(u64::from(placements));
        let outcomes = spec.place_all(&self.stream, WARM, seeds, like.threads)?;
        let events = outcomes.iter().map(|outcome| events(outcome, &self.tlbs));
        Ok(Size {
            bytes: self.bytes,
            events: events.collect(),
        })
    }
}

/// How often each thing that costs happens in a load: the load itself, a miss of each cache, a miss of each TLB.
fn events(outcome: &Outcome, tlbs: &[Tally]) -> Vec<f64> {
    let loads = outcome.accesses().max(1) as f64;
    let misses = outcome
        .caches
        .iter()
        .chain(tlbs)
        .map(|tally| tally.misses() as f64 / loads);
    std::iter::once(1.0).chain(misses).collect()
}

fn measured(sizes: &[Size], ns: &[f64]) -> Vec<Measured> {
    let each = sizes.iter().zip(ns);
    each.map(|(size, &ns)| Measured {
        events: size.mean(),
        ns,
    })
    .collect()
}

/// The relative error of each size with costs that were fitted without it.
fn errors(sizes: &[Size], ns: &[f64]) -> Vec<f64> {
    let all = measured(sizes, ns);
    let error = |at: usize| {
        let others: Vec<&Measured> = all
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != at)
            .map(|(_, m)| m)
            .collect();
        let costs = fit(&others, all[at].events.len());
        cost_of(&all[at].events, &costs) / all[at].ns - 1.0
    };
    (0..all.len()).map(error).collect()
}

/// Gives the last level the ways and the replacement under which the curve is met best, where it serves much less than it
/// claims: others use the rest.
fn share_last(
    summary: &Summary,
    spec: &mut MachineSpec,
    notes: &mut Vec<String>,
    judge: &dyn Fn(&MachineSpec) -> Result<f64, SimError>,
) -> Result<(), SimError> {
    let claimed = spec
        .caches
        .last()
        .map(|level: &LevelSpec| level.name.clone());
    let own = summary
        .levels
        .iter()
        .find(|level| Some(&level.name) == claimed.as_ref());
    let served = own.and_then(|level| Some((level.capacity_bytes?.value, level.claimed_bytes?)));
    let Some((served, bytes)) = served else {
        return Ok(());
    };
    let share = served / bytes as f64;
    let (Some(last), true) = (spec.caches.len().checked_sub(1), share < SHARED) else {
        return Ok(());
    };
    let whole = spec.caches[last].cache.clone();
    let about = (share * f64::from(whole.ways)).round().max(1.0) as u32;
    let mut best: Option<(f64, MachineSpec)> = None;
    for ways in [
        about.saturating_sub(1),
        about,
        about + 1,
        about + 2,
        about + 4,
    ] {
        for replacement in [Replacement::Lru, Replacement::Random] {
            if ways == 0 || ways > whole.ways {
                continue;
            }
            let mut tried = spec.clone();
            let cache = &mut tried.caches[last].cache;
            cache.lines = whole.lines / u64::from(whole.ways) * u64::from(ways);
            (cache.ways, cache.replacement) = (ways, replacement);
            let left = judge(&tried)?;
            if best.as_ref().is_none_or(|(least, _)| left < *least) {
                best = Some((left, tried));
            }
        }
    }
    if let Some((_, found)) = best {
        *spec = found;
        let cache = &spec.caches[last];
        notes.push(format!(
            "{} serves {:.0} % of what it claims: it is simulated with {} of {} ways and {} replacement, which meet the curve best of those tried",
            cache.name, 100.0 * share, cache.cache.ways, whole.ways, name_of(cache.cache.replacement),
        ));
    }
    Ok(())
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
