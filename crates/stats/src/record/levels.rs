//! The levels of a record's latency curve, matched with the sizes reported by the kernel.

use std::collections::BTreeMap;

use whyslow_model::Point;
use whyslow_model::id;
use whyslow_model::record::{Outcome, Record};
use whyslow_model::summary::{BEYOND_CLAIM, Interval, Level};

use super::alone::Alone;
use super::claims::claims;
use super::point::Collected;
use super::walks;
use crate::levels::{Levels, Note, SizePoint, cut, cut_apart};
use crate::quantile::median;

/// The levels of a curve, with notes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cut {
    /// Nearest first; empty when there is no curve.
    pub levels: Vec<Level>,
    /// Notes, one line each.
    pub notes: Vec<String>,
}

/// The levels of a record, wherever they are shown: from the rounds, without what ran with a busy SMT sibling.
pub fn levels(record: &Record) -> Cut {
    of_rounds(&Alone::of(record))
}

/// The same, of a record of which that was left out already.
pub(super) fn of_rounds(alone: &Alone<'_>) -> Cut {
    cut_curve(&alone.record, false)
}

/// The levels by all processes so far, those of the scout included, from which a run takes the sizes of other points.
pub fn scouted(record: &Record) -> Cut {
    cut_curve(record, true)
}

/// Cuts the curve of `mem.latency{order=random,pages=4k}` into levels.
fn cut_curve(record: &Record, scout: bool) -> Cut {
    let small = curve(record, scout, "4k");
    if small.is_empty() {
        return Cut::default();
    }
    match cut(&small, record.header.seed) {
        Ok(found) if found.levels.len() == 1 && climbs(&small) => Cut {
            levels: Vec::new(),
            notes: vec![format!(
                "the latency curve rises, but its {} sizes are too few to find levels",
                small.len()
            )],
        },
        Err(error) => Cut {
            levels: Vec::new(),
            notes: vec![format!(
                "no levels could be found in the latency curve: {error}"
            )],
        },
        Ok(found) => {
            let huge = curve(record, scout, "thp");
            let claims = record.host.as_deref().map(claims).unwrap_or_default();
            let mut named = Named::of(found, &huge, &claims);
            // The little of the next level that a run gets on a crowded machine has no flat part of its own. As the kernel
            // says that there is one, it need not be shown to exist.
            let first = joined(&named.edges, &named.numbers, &claims).next();
            if let Some((k, claim)) = first
                && let Ok(Some(apart)) =
                    cut_apart(&small, k, BEYOND_CLAIM * claim as f64, record.header.seed)
            {
                named = Named::of(apart, &huge, &claims);
            }
            let Named {
                mut found,
                walks,
                edges,
                numbers,
            } = named;
            let last = found.levels.len() - 1;
            if let Some(note) = without_nearest(&small, &numbers, &claims) {
                return Cut {
                    levels: Vec::new(),
                    notes: vec![note],
                };
            }
            let number = |k: usize| numbers.get(k).copied().unwrap_or(k);
            let range = |i: crate::Interval| Some([i.lo, i.hi]);
            // The scout's curve reaches beyond the caches wherever the memory allows it.
            let next = unfinished(&small, &numbers, &claims, record.plan.beyond_bytes);
            let next = next.filter(|_| !scout);
            let beyond = next.map_or("DRAM".to_owned(), |next| format!("L{}", next + 1));
            let on_huge = next.is_none() && walks::without(&mut found.levels, &huge);
            let levels: Vec<Level> = found
                .levels
                .iter()
                .enumerate()
                .map(|(k, level)| Level {
                    name: match k == last {
                        true => beyond.clone(),
                        false => format!("L{}", number(k) + 1),
                    },
                    latency_ns: Interval {
                        value: level.latency,
                        range: range(level.latency_interval),
                    },
                    huge_pages: k == last && on_huge,
                    capacity_bytes: level.boundary.as_ref().map(|b| Interval {
                        value: b.capacity,
                        range: range(b.capacity_interval),
                    }),
                    rises_from_bytes: level.boundary.as_ref().and_then(|b| b.rises_from),
                    claimed_bytes: level
                        .boundary
                        .as_ref()
                        .and_then(|_| claims.get(number(k)).copied()),
                })
                .collect();
            // Notes that change the meaning of a level come before its accuracy.
            let mut notes = merged(&edges, &numbers, &claims);
            notes.extend(walks);
            notes.extend(found.notes.iter().map(|n| say(n, scout)));
            notes.extend(outliers(&found.notes));
            if !claims.is_empty() && claims.len() != last {
                notes.push(format!(
                    "the kernel reports {} cache levels, the curve shows {last}; levels are named after the nearest reported ones",
                    claims.len()
                ));
            }
            notes.retain(|n| !n.is_empty());
            Cut { levels, notes }
        }
    }
}

/// A curve in levels, and which reported level each of its boundaries is.
struct Named {
    found: Levels,
    walks: Option<String>,
    edges: Vec<Edge>,
    numbers: Vec<usize>,
}

impl Named {
    fn of(mut found: Levels, huge: &[SizePoint], claims: &[u64]) -> Self {
        let walks = walks::taken_out(&mut found.levels, huge);
        let boundaries = found.levels.iter().filter_map(|l| l.boundary.as_ref());
        let edges = boundaries.map(|b| Edge {
            capacity: b.capacity,
            rises_from: b.rises_from.map_or(b.capacity, |size| size as f64),
        });
        let edges: Vec<Edge> = edges.collect();
        Self {
            walks,
            numbers: numbers(&edges, claims),
            edges,
            found,
        }
    }
}

/// Is it random loads on `pages`?
pub(super) fn of_the_curve(point: &Point, pages: &str) -> bool {
    point.probe == id::MEM_LATENCY
        && point.get("order") == Some("random")
        && point.get("pages") == Some(pages)
}

/// The measured sizes of random loads on `pages`, ascending.
fn curve(record: &Record, scout: bool, pages: &str) -> Vec<SizePoint> {
    let mut sizes: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for (index, process) in record.processes.iter().enumerate() {
        let Outcome::Draws(draws) = &process.outcome else {
            continue;
        };
        if (process.round == 0 && !scout) || !of_the_curve(&process.point, pages) {
            continue;
        }
        let size = process
            .point
            .get("size")
            .and_then(whyslow_model::size::parse);
        let mut collected = Collected::default();
        collected.add(index, draws, &[], |_| true);
        let value = collected
            .first()
            .and_then(|s| crate::summary::summarise(&s.processes).ok());
        if let Some((size, value)) = size.zip(value) {
            sizes
                .entry(size)
                .or_default()
                .push(value.estimate.value.ln());
        }
    }
    let sizes = sizes.into_iter();
    sizes
        .map(|(size, log_latency)| SizePoint { size, log_latency })
        .collect()
}

/// True if its values span more than one level. Levels are at least a factor 1.3 apart.
fn climbs(curve: &[SizePoint]) -> bool {
    let middle = |size: &SizePoint| median(&size.log_latency);
    let all: Vec<f64> = curve.iter().filter_map(middle).collect();
    let least = all.iter().copied().fold(f64::INFINITY, f64::min);
    let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Twice the least step, so that the scatter of single sizes does not count.
    most - least > 2.0 * 1.3f64.ln()
}

/// The end of a level: its effective size, and the size at which latency begins to rise, bytes.
struct Edge {
    capacity: f64,
    rises_from: f64,
}

/// The reported level of each boundary, ascending: the next one, unless the curve shows fewer levels
/// than reported; then the nearest, as the effective size may be below the reported size and hardly
/// above it.
fn numbers(edges: &[Edge], claims: &[u64]) -> Vec<usize> {
    let (found, claimed) = (edges.len(), claims.len());
    if found >= claimed {
        return (0..found).collect();
    }
    let apart = |edge: &Edge, claim: u64| {
        // Beyond the reported size from its beginning on: as bad as an effective size of a 16th. One that
        // begins within it may be extended by the small remainder of the next level.
        let beyond = if edge.rises_from > BEYOND_CLAIM * claim as f64 {
            16f64.ln()
        } else {
            0.0
        };
        (edge.capacity / claim as f64).ln().abs() + beyond
    };
    // Every ascending choice: a host reports at most four levels.
    let choices = (0u32..1 << claimed).filter(|set| set.count_ones() as usize == found);
    let choices = choices.map(|set| (0..claimed).filter(|k| set >> k & 1 == 1).collect());
    let cost = |choice: &Vec<usize>| -> f64 {
        let pairs = edges.iter().zip(choice);
        pairs.map(|(edge, &k)| apart(edge, claims[k])).sum()
    };
    let best = choices.min_by(|a, b| cost(a).total_cmp(&cost(b)));
    best.unwrap_or_else(|| (0..found).collect())
}

/// A curve that starts within the nearest cache must show its edge; without it, noise was mistaken
/// for a level, and the nearest cache's latency would be attributed to another.
fn without_nearest(curve: &[SizePoint], numbers: &[usize], claims: &[u64]) -> Option<String> {
    let (&first, &nearest) = (numbers.first()?, claims.first()?);
    let starts_within = curve.first().is_some_and(|size| size.size <= nearest / 2);
    (first > 0 && starts_within).then(|| {
        format!(
            "the latency curve is too noisy to find levels: no edge near the {} of L1",
            whyslow_model::size::format(nearest)
        )
    })
}

/// The reported level that a curve ends in: such a curve says nothing of memory. `memory` bytes are known to be memory,
/// whatever is reported.
fn unfinished(
    curve: &[SizePoint],
    numbers: &[usize],
    claims: &[u64],
    memory: Option<u64>,
) -> Option<usize> {
    let next = numbers.last().map_or(0, |last| last + 1);
    let (claim, largest) = (claims.get(next)?, curve.last()?.size);
    let known = memory.is_some_and(|bytes| largest >= bytes);
    (largest <= *claim && !known).then_some(next)
}

/// Boundaries with an effective size above the reported size because little of the next level is available: each with what
/// is reported of it, bytes.
fn joined(edges: &[Edge], numbers: &[usize], claims: &[u64]) -> impl Iterator<Item = (usize, u64)> {
    let pairs = edges.iter().zip(numbers).enumerate();
    pairs.filter_map(|(at, (edge, &k))| {
        let claim = *claims.get(k)?;
        let more = edge.capacity > BEYOND_CLAIM * claim as f64;
        (more && k + 1 < claims.len() && !numbers.contains(&(k + 1))).then_some((at, claim))
    })
}

/// Notes on these.
fn merged(edges: &[Edge], numbers: &[usize], claims: &[u64]) -> Vec<String> {
    let numbers_of = joined(edges, numbers, claims).map(|(at, _)| numbers[at]);
    numbers_of
        .map(|k| {
            format!(
                "L{} is not separable: the little of it available to this run is part of the effective size of L{}",
                k + 2,
                k + 1
            )
        })
        .collect()
}

/// The sizes far from the fitted curve, in one line.
fn outliers(notes: &[Note]) -> Option<String> {
    let far = notes.iter().filter_map(|note| match note {
        Note::Outlier(at) => Some(whyslow_model::size::format(*at)),
        _ => None,
    });
    let far: Vec<String> = far.collect();
    (!far.is_empty()).then(|| {
        format!(
            "measured latencies far from the fitted curve: at {}",
            far.join(", ")
        )
    })
}

/// A note as text; empty if intended, such as the scout's single process per size, and if covered
/// by [`outliers`].
fn say(note: &Note, scout: bool) -> String {
    match note {
        Note::FewProcesses if scout => String::new(),
        Note::FewProcesses => "fewer than three processes per size: the levels' intervals come from the residuals of the fit".into(),
        Note::StillRising => "the latency curve still rises at its largest size; the next level is not measured".into(),
        Note::SizesWithoutValues(n) => format!("{n} sizes of the latency curve have no value"),
        Note::Outlier(_) => String::new(),
        Note::Misfit(rms) => format!("the latency curve is not well described by steps ({:.0} % off)", rms * 100.0),
    }
}

#[cfg(test)]
mod tests {
    use super::{Edge, merged, numbers, unfinished, without_nearest};
    use crate::levels::SizePoint;

    /// Edges that begin at 0.9 of their effective size.
    fn edges(capacities: &[f64]) -> Vec<Edge> {
        let edge = |&capacity: &f64| Edge {
            capacity,
            rises_from: 0.9 * capacity,
        };
        capacities.iter().map(edge).collect()
    }

    #[test]
    fn boundaries_are_named_by_the_claims_they_are_nearest_to() {
        let claims = [48 << 10, 1 << 20, 32 << 20];
        let numbers = |capacities: &[f64], claims: &[u64]| numbers(&edges(capacities), claims);
        // As many as claimed, or more: in order.
        assert_eq!(numbers(&[48e3, 0.9e6, 10e6], &claims), [0, 1, 2]);
        assert_eq!(numbers(&[48e3, 0.9e6, 10e6], &claims[..2]), [0, 1, 2]);
        assert_eq!(numbers(&[48e3], &[]), [0]);
        // L2 lost in the noise of L3, and vice versa.
        assert_eq!(numbers(&[48e3, 8.6e6], &claims), [0, 2]);
        assert_eq!(numbers(&[48e3, 0.8e6], &claims), [0, 1]);
        // More than L2 can hold, however small a part of L3 it is.
        assert_eq!(numbers(&[48e3, 1.5e6], &claims), [0, 2]);
        assert_eq!(numbers(&[0.9e6, 10e6], &claims), [1, 2]);
    }

    /// An L2 of 1 MiB with 1 MiB of L3 available beyond it.
    #[test]
    fn an_edge_that_begins_within_a_claim_is_that_level() {
        let claims = [48 << 10, 1 << 20, 32 << 20];
        let mut edges = edges(&[48e3, 1.5e6]);
        edges[1].rises_from = 0.65e6;
        let numbers = numbers(&edges, &claims);
        assert_eq!(numbers, [0, 1]);
        let said = merged(&edges, &numbers, &claims);
        assert!(
            said.len() == 1 && said[0].starts_with("L3 is not separable"),
            "{said:?}"
        );
        // One that begins beyond it is L3.
        edges[1].rises_from = 1.4e6;
        assert!(merged(&edges, &super::numbers(&edges, &claims), &claims).is_empty());
    }

    #[test]
    fn a_curve_that_ends_within_a_reported_cache_says_nothing_of_memory() {
        let ends = |largest: u64, numbers: &[usize], memory: Option<u64>| {
            let size = SizePoint {
                size: largest,
                log_latency: vec![1.5],
            };
            let claims = [48 << 10, 2 << 20, 480 << 20];
            unfinished(&[size], numbers, &claims, memory)
        };
        assert_eq!(ends(32 << 10, &[], None), Some(0));
        assert_eq!(ends(896 << 10, &[0], None), Some(1));
        assert_eq!(ends(64 << 20, &[0, 1], None), Some(2));
        assert_eq!(ends(256 << 20, &[0, 1], Some(256 << 20)), None);
        assert_eq!(ends(1 << 30, &[0, 1], None), None);
        assert_eq!(ends(256 << 20, &[0, 1, 2], None), None);
    }

    #[test]
    fn a_cut_that_lost_the_nearest_cache_is_refused() {
        let curve = |from: u64| {
            let size = SizePoint {
                size: from,
                log_latency: vec![0.3],
            };
            vec![size]
        };
        let claims = [32 << 10, 512 << 10, 32 << 20];
        let said = without_nearest(&curve(1 << 10), &[1], &claims).unwrap();
        assert!(said.contains("near the 32KiB of L1"), "{said}");
        assert_eq!(without_nearest(&curve(1 << 10), &[0, 2], &claims), None);
        // A curve of larger sizes only has no such edge.
        assert_eq!(without_nearest(&curve(64 << 10), &[1], &claims), None);
    }
}
