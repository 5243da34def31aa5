//! The private caches: how the second level replaces, and what others bring into them.
//!
//! Vendors do not say how their caches replace, and a cycle larger than the cache shows it. Pages that are colored, or huge, show
//! it better than ordinary ones, as no chance decides which sets are full.
//!
//! A cycle that just fits a cache misses all the same, as the kernel, or another hardware thread of the core, brings lines of
//! its own: with LRU each such line costs a miss of every line in its set.

use super::Like;
use super::costs::{Measured, cost_of, fit};
use super::cycle::{Cycle, TRIED};
use super::machine::name_of;
use super::points::{Kind, Value};
use crate::Replacement;
use crate::error::SimError;
use crate::machine::MachineSpec;
use crate::placement::Policy;

/// The sizes that private caches decide, with rates of lines of others that are tried.
pub(super) struct Private {
    /// For each rate, in lines a nanosecond, the sizes of ordinary pages and then those of others.
    tried: Vec<(f64, Vec<Measured>)>,
    /// How many are of ordinary pages.
    ordinary: usize,
}

/// Lines of others in a nanosecond that are tried: to several thousand in a tick of 1 ms of the kernel, or an eighth of a
/// stream of 8 GB/s of another hardware thread.
const RATES: [f64; 6] = [0.0, 0.001, 0.002, 0.004, 0.008, 0.016];

/// The rate that policies are chosen with. 40 processes a size of a crowded Zen 4 guest, colored and ordinary, showed it.
const USUAL: f64 = 0.002;

/// Rates beyond this need so much better a fit: few sizes show them, and those by chance too.
const PLAUSIBLE: f64 = 0.004;

impl Private {
    /// Simulates each rate.
    pub(super) fn fitted(kinds: &[Kind], most: u64, like: &Like<'_>) -> Result<Private, SimError> {
        let alone = curve(kinds, most, like, |kind, _| kind.spec.clone())?;
        let (costs, _) = fit(alone.iter(), &[]);
        let mut tried = Vec::with_capacity(RATES.len());
        for rate in RATES.iter().skip(1) {
            let sizes = curve(kinds, most, like, |kind, at| MachineSpec {
                others: rate * cost_of(&alone[at].events[0], &costs),
                ..kind.spec.clone()
            })?;
            tried.push((*rate, sizes));
        }
        tried.insert(0, (RATES[0], alone));
        let inner = kinds[0].cycles.iter().filter(|cycle| cycle.loads <= most);
        Ok(Private {
            tried,
            ordinary: inner.count(),
        })
    }

    /// The rate under which the sizes are met best, of which one of ordinary pages may be left out, and the ordinary ones then.
    pub(super) fn best(&self, without: Option<usize>) -> (f64, &[Measured]) {
        let left = |(rate, sizes): &(f64, Vec<Measured>)| {
            let others = sizes.iter().enumerate();
            let others = others.filter(|(at, _)| Some(*at) != without);
            fit(others.map(|(_, size)| size), &[]).1 + (rate / PLAUSIBLE).powi(2)
        };
        let all = self.tried.iter();
        let best = all.min_by(|a, b| left(a).total_cmp(&left(b)));
        best.map_or((0.0, &[]), |(rate, sizes)| (*rate, &sizes[..self.ordinary]))
    }
}

/// Gives the second of several levels the replacement under which sizes up to so many lines are met best.
pub(super) fn choose_second(
    kinds: &mut [Kind],
    most: u64,
    like: &Like<'_>,
    notes: &mut Vec<String>,
) -> Result<(), SimError> {
    let [_, second, _, ..] = &kinds[0].spec.caches[..] else {
        return Ok(());
    };
    let (ways, lines, name) = (second.cache.ways, second.cache.lines, second.name.clone());
    let larger = |kind: &Kind| kind.cycles.iter().any(|cycle| cycle.loads > lines);
    if ways > 16 || !kinds.iter().any(larger) {
        return Ok(());
    }
    let measured: Vec<f64> = inner(kinds, most).map(|(_, _, value)| value.ns).collect();
    let mut best: Option<(f64, Replacement, bool)> = None;
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
            let sizes = curve(kinds, most, like, |kind, at| {
                let mut tried = kind.spec.clone();
                tried.caches[1].cache.replacement = replacement;
                tried.caches[1].pairs = pairs;
                tried.others = USUAL * measured[at];
                tried
            })?;
            let (_, left) = fit(sizes.iter(), &[]);
            if best.as_ref().is_none_or(|(least, ..)| left < *least) {
                best = Some((left, replacement, pairs));
            }
        }
    }
    let Some((_, replacement, pairs)) = best else {
        return Ok(());
    };
    for kind in kinds {
        kind.spec.caches[1].cache.replacement = replacement;
        kind.spec.caches[1].pairs = pairs;
    }
    let fetches = if pairs {
        " and fetches lines in pairs"
    } else {
        ""
    };
    notes.push(format!(
        "{name} is simulated with {} replacement{fetches}, under which its sizes are met best of those tried",
        name_of(replacement)
    ));
    Ok(())
}

/// The sizes of all kinds of pages up to so many lines.
fn inner(kinds: &[Kind], most: u64) -> impl Iterator<Item = (&Kind, &Cycle, &Value)> {
    let sizes = kinds.iter().flat_map(|kind| {
        let each = kind.cycles.iter().zip(&kind.values);
        each.map(move |(cycle, value)| (kind, cycle, value))
    });
    sizes.filter(move |(_, cycle, _)| cycle.loads <= most)
}

/// These sizes, each on a machine.
fn curve(
    kinds: &[Kind],
    most: u64,
    like: &Like<'_>,
    machine: impl Fn(&Kind, usize) -> MachineSpec,
) -> Result<Vec<Measured>, SimError> {
    let mut found = Vec::new();
    for (kind, cycle, value) in inner(kinds, most) {
        // Only pages that may lie anywhere differ from placement to placement.
        let anywhere = kind.spec.policy == Policy::Random;
        let tried = if anywhere { TRIED } else { 1 };
        let spec = machine(kind, found.len());
        found.push(Measured {
            events: vec![cycle.place(&[spec], tried, like)?.mean()],
            ns: value.ns,
            weight: value.weight,
        });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_improbable_rate_needs_a_better_fit() {
        let size = |misses: f64, ns: f64| Measured {
            events: vec![vec![1.0, misses]],
            ns,
            weight: 1000.0,
        };
        // The last size misses with others alone: by a hundredth at a low rate, by a tenth at a high one.
        let tried = |at_last: f64| vec![size(0.0, 1.0), size(1.0, 4.0), size(at_last, 1.3)];
        let rates = vec![(0.0, tried(0.0)), (0.002, tried(0.09)), (0.016, tried(0.1))];
        let private = Private {
            tried: rates,
            ordinary: 2,
        };
        let (rate, ordinary) = private.best(None);
        assert_eq!((rate, ordinary.len()), (0.002, 2));
        // Without the size that shows it there is none.
        assert_eq!(private.best(Some(2)).0, 0.0);
    }
}
