//! The levels of a record's latency curve, beside what the kernel claims.

use std::collections::BTreeMap;

use whyslow_model::Point;
use whyslow_model::host::{CacheKind, Host};
use whyslow_model::record::{Outcome, Record};
use whyslow_model::summary::{Interval, Level};

use super::point::Collected;
use crate::levels::{Note, SizePoint, cut};
use crate::quantile::median;

/// The levels of a curve, and what should be said beside them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cut {
    /// Nearest first; empty when there is no curve.
    pub levels: Vec<Level>,
    /// One line each.
    pub notes: Vec<String>,
}

/// Cuts the curve of `mem.latency{order=random,pages=4k}` into levels: from the scout's processes,
/// or from those of the rounds.
pub fn levels(record: &Record, scout: bool) -> Cut {
    let mut sizes: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for (index, process) in record.processes.iter().enumerate() {
        let Outcome::Draws(draws) = &process.outcome else {
            continue;
        };
        if (process.round == 0) != scout || !of_the_curve(&process.point) {
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
    if sizes.is_empty() {
        return Cut::default();
    }
    let curve: Vec<SizePoint> = sizes
        .into_iter()
        .map(|(size, log_latency)| SizePoint { size, log_latency })
        .collect();
    match cut(&curve, record.header.seed) {
        Ok(found) if found.levels.len() == 1 && climbs(&curve) => Cut {
            levels: Vec::new(),
            notes: vec![format!(
                "the latency curve climbs, but its {} sizes are too few to be cut into levels",
                curve.len()
            )],
        },
        Err(error) => Cut {
            levels: Vec::new(),
            notes: vec![format!(
                "the latency curve could not be cut into levels: {error}"
            )],
        },
        Ok(found) => {
            let claims = record.host.as_deref().map(claims).unwrap_or_default();
            let last = found.levels.len() - 1;
            let range = |i: crate::Interval| Some([i.lo, i.hi]);
            let levels: Vec<Level> = found
                .levels
                .iter()
                .enumerate()
                .map(|(k, level)| Level {
                    name: if k == last {
                        "DRAM".into()
                    } else {
                        format!("L{}", k + 1)
                    },
                    latency_ns: Interval {
                        value: level.latency,
                        range: range(level.latency_interval),
                    },
                    capacity_bytes: level.boundary.as_ref().map(|b| Interval {
                        value: b.capacity,
                        range: range(b.capacity_interval),
                    }),
                    rises_from_bytes: level.boundary.as_ref().and_then(|b| b.rises_from),
                    claimed_bytes: level.boundary.as_ref().and_then(|_| claims.get(k).copied()),
                })
                .collect();
            let mut notes: Vec<String> = found.notes.iter().map(|n| say(n, scout)).collect();
            if !claims.is_empty() && claims.len() != last {
                notes.push(format!(
                    "the kernel claims {} cache levels, the curve shows {last}; claims are set beside levels in order",
                    claims.len()
                ));
            }
            notes.retain(|n| !n.is_empty());
            Cut { levels, notes }
        }
    }
}

/// Do its sizes differ by more than one level can? Levels are a factor 1.3 apart at least.
fn climbs(curve: &[SizePoint]) -> bool {
    let middle = |size: &SizePoint| median(&size.log_latency);
    let all: Vec<f64> = curve.iter().filter_map(middle).collect();
    let least = all.iter().copied().fold(f64::INFINITY, f64::min);
    let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Twice the least step: the scatter of single sizes must not count.
    most - least > 2.0 * 1.3f64.ln()
}

fn of_the_curve(point: &Point) -> bool {
    point.probe == "mem.latency"
        && point.get("order") == Some("random")
        && point.get("pages") == Some("4k")
}

/// Sizes of the data caches that the host claims, nearest first.
fn claims(host: &Host) -> Vec<u64> {
    let mut by_level: BTreeMap<u32, u64> = BTreeMap::new();
    for cache in host.caches.value().into_iter().flatten() {
        if cache.kind != CacheKind::Instruction
            && let Some(&size) = cache.size_bytes.value()
        {
            // Hosts with several kinds of core: the largest.
            let entry = by_level.entry(cache.level).or_default();
            *entry = size.max(*entry);
        }
    }
    by_level.into_values().collect()
}

/// A note in words; empty for what is by design, as the scout's single process a size is.
fn say(note: &Note, scout: bool) -> String {
    let size = whyslow_model::size::format;
    match note {
        Note::FewProcesses if scout => String::new(),
        Note::FewProcesses => "fewer than three processes a size: the levels' intervals come from the scatter about the fit".into(),
        Note::StillRising => "the latency curve still rises at its largest size; what lies behind is not seen".into(),
        Note::SizesWithoutValues(n) => format!("{n} sizes of the latency curve have no value"),
        Note::Outlier(at) => format!("the latency at {} lies far from the fitted curve", size(*at)),
        Note::Misfit(rms) => format!("the latency curve is not well described by steps ({:.0} % off)", rms * 100.0),
    }
}
