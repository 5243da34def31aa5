//! The latency curve of a record, simulated: what its caches make of a random cycle under many placements.
//!
//! Counts are simulated; what each thing costs is fitted to the record's own curve on ordinary pages, by few numbers (one
//! for each level and one for each miss of a TLB). So that the error shown for a size is no echo of that size, it is that
//! of costs fitted without it.

mod costs;
mod cycle;
mod machine;
mod model;
mod points;
mod private;
mod shared;
mod walks;

use whyslow_model::Record;
use whyslow_model::simulation::{CurveSimulation, SCHEMA, SimulatedCosts, SimulatedSize, Spread};
use whyslow_model::summary::{PointSummary, Summary};
use whyslow_stats::record::summarise;

use crate::error::SimError;
use crate::machine::{MachineSpec, Outcome};
use crate::parallel::in_parallel;
use crate::placement::Policy;
use crate::stream::Pattern;
use costs::cost_of;
use cycle::{Cycle, Size, WARM};
use model::Model;
use points::{Kind, Value};

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
    pub what_if: &'a (dyn Fn(&mut MachineSpec, u32) -> Result<bool, SimError> + Sync),
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
    let measured = |pages: &str| -> Vec<Value> {
        let points = points(&summary, pages, like.most_bytes);
        points.iter().filter_map(|p| Value::of(p)).collect()
    };
    let ordinary = measured("4k");
    if ordinary.len() < FEW_SIZES {
        return Err(SimError::Record(format!(
            "has {} sizes of mem.latency on ordinary pages, which is too few to fit costs to: `whyslow run --only 'mem.latency{{*order=random*}}'`",
            ordinary.len()
        )));
    }
    let base = machine::found(record, Policy::Random)?;
    let (line, mut notes) = (base.line_bytes, base.notes);
    let sizes: Vec<u64> = ordinary.iter().map(|value| value.bytes).collect();
    let cycles = |spec: &MachineSpec, sizes: &[u64]| -> Result<Vec<Cycle>, SimError> {
        let make = |bytes: &u64| Cycle::new(spec, *bytes, line, like.seed);
        in_parallel(sizes, like.threads, make)
    };
    let kind = |spec: MachineSpec, values: Vec<Value>| -> Result<Kind, SimError> {
        let sizes: Vec<u64> = values.iter().map(|value| value.bytes).collect();
        Ok(Kind {
            cycles: cycles(&spec, &sizes)?,
            spec,
            values,
        })
    };
    let mut kinds = vec![kind(base.spec, ordinary)?];
    let colored = machine::found(record, Policy::Colored)?;
    kinds.push(kind(colored.spec, measured("colored"))?);
    let host = record.host.as_deref();
    let is_guest = host.is_some_and(|host| host.hypervisor.guest.value() == Some(&true));
    let model = Model::fitted(&summary, is_guest, line, &mut kinds, like, &mut notes)?;

    // Other pages lie otherwise and are translated otherwise; costs and shares stay.
    let mut asked = model.spec.clone();
    if policy == Policy::Huge && asked.walk > 1 {
        asked.walk = 1;
        notes.push(
            "huge pages lie anywhere and are translated as those of 4 KiB, as the host's are of 4 KiB; a walk reads the host's table alone".to_owned(),
        );
    } else {
        asked.tlbs = machine::found(record, policy.clone())?.spec.tlbs;
        asked.policy = policy;
    }
    let of_pages = points(&summary, like.pages, like.most_bytes);
    let own = match like.pages {
        "4k" => kinds.swap_remove(0).cycles,
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
