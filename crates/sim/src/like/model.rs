//! A machine fitted to a curve: its private caches, the share of the last level, and costs.

use whyslow_model::summary::Summary;

use super::Like;
use super::costs::{Measured, fit};
use super::cycle::{Cycle, SMOOTH, Size, TRIED};
use super::machine::name_of;
use super::points::{Kind, Value};
use super::private::{self, Private};
use super::shared::{self, Share};
use super::walks;
use crate::cache::Replacement;
use crate::error::SimError;
use crate::machine::MachineSpec;
use crate::parallel::in_parallel;

/// A last level that serves less than this share of what it claims is shared with others.
const SHARED: f64 = 0.75;

/// Placements with each part of a last level.
const SOME: u32 = 4;

/// The share of what the last level serves up to which sizes tell of the private caches alone.
const INNER: f64 = 0.7;

/// Sizes beyond so many times the level above the last say no more of it.
const MOST: u64 = 8;

/// A machine whose policies, shares and costs meet a curve.
pub(super) struct Model {
    pub(super) spec: MachineSpec,
    /// Lines of others that come into the private caches, in a nanosecond, and the lines of a cycle up to which they count.
    others: (f64, u64),
    /// What others leave of the last level, where they use a part.
    share: Option<Share>,
    /// ns of each thing that costs.
    pub(super) costs: Vec<f64>,
    /// What happens in sizes that are simulated by part, as runs have them.
    by_part: Vec<(u64, Vec<Vec<f64>>)>,
    /// The relative error of each size with all that is fitted, but for policies, fitted without it.
    pub(super) left_out: Vec<f64>,
}

impl Model {
    /// Fits the first kind of pages, which are ordinary ones; of the others, sizes that the private caches decide tell how
    /// these replace.
    pub(super) fn fitted(
        summary: &Summary,
        is_guest: bool,
        line_bytes: u32,
        kinds: &mut [Kind],
        like: &Like<'_>,
        notes: &mut Vec<String>,
    ) -> Result<Model, SimError> {
        let whole = kinds[0].spec.caches.last();
        let last = whole.map_or(0, |level| level.cache.lines);
        let served = served(summary, &kinds[0].spec);
        let part = served.unwrap_or(1.0);
        let above = kinds[0].spec.caches.iter().rev().nth(1);
        let most = above.map_or(u64::MAX, |level| MOST * level.cache.lines);
        let inner = ((last as f64 * part * INNER) as u64).min(most);
        private::choose_second(kinds, inner, like, notes)?;
        let shared = served.filter(|part| *part < SHARED);
        if is_guest {
            let anew = |spec: &MachineSpec, bytes| Cycle::new(spec, bytes, line_bytes, like.seed);
            let beyond = shared::BEYOND * last;
            walks::choose(&mut kinds[0], (inner, beyond), shared, anew, like, notes)?;
        }
        let private = Private::fitted(kinds, inner, like)?;
        let spec = &kinds[0].spec;
        let outer = Outer::simulated(&kinds[0], inner, shared, like)?;
        // The sizes are in order, so that the inner ones come first.
        let curve = |without: Option<usize>, replacement: Replacement| {
            let (_, inner) = private.best(without);
            inner.iter().chain(outer.of(replacement))
        };
        let whole = shared.and_then(|_| {
            let tried = shared::TRIED.into_iter();
            let met = tried.map(|replacement| shared::best(curve(None, replacement), replacement));
            met.min_by(|a, b| a.left.total_cmp(&b.left))
        });
        let replacement = whole.as_ref().map(|met| met.share.replacement);
        let outer = outer.of(replacement.unwrap_or(Replacement::Random));
        let error = |without: &usize| {
            let all = curve(Some(*without), replacement.unwrap_or(Replacement::Random));
            let others = all.clone().enumerate().filter(|(at, _)| at != without);
            let others = others.map(|(_, size)| size);
            let (chances, costs) = match replacement {
                Some(replacement) => {
                    let met = shared::best(others, replacement);
                    (met.share.chances, met.costs)
                }
                None => (Vec::new(), fit(others, &[]).0),
            };
            let own = all.into_iter().nth(*without);
            Ok(own.map_or(0.0, |own| own.cost(&chances, &costs) / own.ns - 1.0))
        };
        let sizes: Vec<usize> = (0..kinds[0].values.len()).collect();
        let left_out = in_parallel(&sizes, like.threads, error)?;
        let (rate, _) = private.best(None);
        let (share, costs) = match whole {
            Some(met) => (Some(met.share), met.costs),
            None => (None, fit(curve(None, Replacement::Random), &[]).0),
        };
        if rate > 0.0 {
            notes.push(format!(
                "{:.0} lines a microsecond of others come into the private caches, under which their sizes are met best",
                1e3 * rate
            ));
        }
        if let (Some(share), Some(level)) = (&share, spec.caches.last()) {
            let [low, middle, high] =
                [1.0 / 6.0, 0.5, 5.0 / 6.0].map(|of| 100.0 * shared::part(share.quantile(of)));
            notes.push(format!(
                "{} serves {:.0} % of what it claims, others use the rest: it is simulated as a fully associative cache with {} replacement and a size that differs from run to run, {middle:.0} % at the median and {low:.0} to {high:.0} % in two of three runs, under which the curve is met best",
                level.name, 100.0 * part, name_of(share.replacement)
            ));
        }
        let drawn = |share: &Share| {
            let beyond = kinds[0].cycles.iter().filter(|c| c.loads > inner);
            let sizes = beyond.zip(outer);
            sizes
                .map(|(cycle, size)| (cycle.loads, size.drawn(share.drawn())))
                .collect()
        };
        let by_part = share.as_ref().map_or_else(Vec::new, drawn);
        Ok(Model {
            spec: spec.clone(),
            by_part,
            others: (rate, inner),
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
        if *spec == self.spec
            && let Some((_, events)) = self.by_part.iter().find(|(of, _)| *of == cycle.loads)
        {
            return Ok(cycle.with(events.clone()));
        }
        let last = spec.caches.last().map_or(0, |level| level.cache.lines);
        let specs: Vec<MachineSpec> = match &self.share {
            Some(share) if reaches(cycle, last) => {
                // Of a large cycle all are alike, and each takes long.
                let drawn: Vec<usize> = match cycle.loads > shared::BEYOND * last {
                    true => vec![share.quantile(0.5)],
                    false => share.drawn().collect(),
                };
                let effective =
                    |at| shared::effective(cycle.loads, last, shared::part(at), share.replacement);
                let parts = drawn.into_iter().map(effective);
                parts.map(|part| shared::with_part(spec, part)).collect()
            }
            _ => vec![spec.clone()],
        };
        let (rate, most) = self.others;
        if rate == 0.0 || cycle.loads > most {
            return cycle.place(&specs, like.placements, like);
        }
        // How many lines come during a load follows from what it takes without them.
        let alone = cycle.place(&specs, TRIED, like)?.cost(&self.costs);
        let beside = |spec: &MachineSpec| MachineSpec {
            others: rate * alone,
            ..spec.clone()
        };
        let specs: Vec<MachineSpec> = specs.iter().map(beside).collect();
        cycle.place(&specs, like.placements, like)
    }
}

/// The sizes of more than so many lines, where a shared last level serves a part with each part that a run may get of it.
struct Outer {
    random: Vec<Measured>,
    lru: Vec<Measured>,
}

impl Outer {
    fn of(&self, replacement: Replacement) -> &[Measured] {
        match replacement {
            Replacement::Random => &self.random,
            _ => &self.lru,
        }
    }

    fn simulated(
        kind: &Kind,
        inner: u64,
        shared: Option<f64>,
        like: &Like<'_>,
    ) -> Result<Outer, SimError> {
        let sizes = kind.cycles.iter().zip(&kind.values);
        // The largest takes longest, and begins first.
        let last_first: Vec<(&Cycle, &Value)> = sizes
            .rev()
            .filter(|(cycle, _)| cycle.loads > inner)
            .collect();
        let mut found = in_parallel(&last_first, like.threads, |(cycle, value)| {
            let measured = |events| Measured {
                events,
                ns: value.ns,
                weight: value.weight,
            };
            let [random, lru] = by_part(&kind.spec, cycle, shared, like)?;
            Ok((measured(random), measured(lru)))
        })?;
        found.reverse();
        let (random, lru) = found.into_iter().unzip();
        Ok(Outer { random, lru })
    }
}

/// What happens in a cycle by part of a shared last level, replaced in at random and by LRU.
fn by_part(
    spec: &MachineSpec,
    cycle: &Cycle,
    shared: Option<f64>,
    like: &Like<'_>,
) -> Result<[Vec<Vec<f64>>; 2], SimError> {
    let last = spec.caches.last().map_or(0, |level| level.cache.lines);
    let Some(served) = shared.filter(|_| reaches(cycle, last)) else {
        let tried = like.placements.min(TRIED);
        let machine = std::slice::from_ref(spec);
        let events = vec![cycle.place(machine, tried, like)?.mean()];
        return Ok([events.clone(), events]);
    };
    let few = if cycle.loads > SMOOTH { 1 } else { SOME };
    let parts = shared::simulated(cycle.loads, last, served);
    let of = |part| shared::with_part(spec, part);
    let displaced = shared::displaced(cycle.loads, last, served);
    let each = parts.iter().map(|at| shared::part(*at)).chain([displaced]);
    let specs: Vec<MachineSpec> = each.map(of).collect();
    let mut events = cycle.means(&specs, few, like)?;
    let miss = events.pop().unwrap_or_default();
    let random = shared::between(&parts, &events);
    let lru = match parts.len() {
        // One that is much larger than the whole of it has one part.
        1 => random.clone(),
        _ => {
            // No level above knows of it.
            let mut hit = miss.clone();
            hit[spec.caches.len()] = 0.0;
            shared::all_or_none(cycle.loads, last, [&hit, &miss])
        }
    };
    Ok([random, lru])
}

/// A cycle of fewer lines than a last level has, divided by this, fits into any part of it.
const LEAST: u32 = 24;

fn reaches(cycle: &Cycle, last: u64) -> bool {
    cycle.loads * u64::from(LEAST) > last
}

/// The part of its last level that a record's curve is served from.
fn served(summary: &Summary, spec: &MachineSpec) -> Option<f64> {
    let last = spec.caches.last()?;
    let own = summary
        .levels
        .iter()
        .find(|level| level.name == last.name)?;
    Some(own.capacity_bytes?.value / own.claimed_bytes? as f64)
}
