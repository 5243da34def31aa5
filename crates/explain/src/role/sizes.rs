//! Points of memory by their size: which level of the hierarchy serves them.

use whyslow_model::comparison::PointComparison;
use whyslow_model::host::CacheKind;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Point, Record, size};

use super::declared;
use crate::curve::Rise;

/// From one size to the next a level ends where the value changes by this: levels differ by twice and
/// more, sizes within a level by a tenth.
const DROP: f64 = 1.5;

/// Where caches end, bytes, nearest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Ends(Vec<u64>);

impl Ends {
    #[cfg(test)]
    pub(crate) fn from_bytes(bytes: Vec<u64>) -> Self {
        Ends(bytes)
    }

    /// As the host claims them, else as the sizes of the comparison show them.
    pub(crate) fn of(record: &Record, points: &[PointComparison], rises: &[Rise]) -> Self {
        let caches = record.host.as_deref().and_then(|h| h.caches.value());
        let mut claimed: Vec<u64> = caches
            .into_iter()
            .flatten()
            .filter(|c| c.kind != CacheKind::Instruction)
            .filter_map(|c| c.size_bytes.value().copied())
            .collect();
        claimed.sort_unstable();
        claimed.dedup();
        if !claimed.is_empty() {
            return Ends(claimed);
        }
        if let [before @ .., last] = rises {
            // All that rises towards memory belongs to the last cache.
            let starts = before
                .iter()
                .flat_map(|r| r.from_to.iter().map(|[from, _]| *from));
            let ends = last.from_to.iter().map(|[_, to]| *to).fold(0.0, f64::max);
            let mut ends: Vec<u64> = starts.chain([ends]).map(|bytes| bytes as u64).collect();
            ends.sort_unstable();
            ends.dedup();
            return Ends(ends);
        }
        Ends(shown(points))
    }
}

/// Where the values of the longest series of sizes change at once.
fn shown(points: &[PointComparison]) -> Vec<u64> {
    let mut series: Vec<(String, Vec<(u64, f64)>)> = Vec::new();
    for point in points.iter().filter(|p| is_by_size(&p.point)) {
        let Some(bytes) = size_of(&point.point, None) else {
            continue;
        };
        let mut other = point.point.clone();
        other.params.retain(|(name, _)| !is_size(name));
        let name = other.to_string();
        match series.iter_mut().find(|(n, _)| *n == name) {
            Some((_, values)) => values.push((bytes, point.a.value.value)),
            None => series.push((name, vec![(bytes, point.a.value.value)])),
        }
    }
    let longest = series.into_iter().max_by_key(|(_, values)| values.len());
    let Some((_, mut values)) = longest else {
        return Vec::new();
    };
    values.sort_by_key(|(bytes, _)| *bytes);
    let change = |x: f64, y: f64| (y / x).max(x / y);
    values
        .windows(2)
        .filter(|w| w[0].1 > 0.0 && w[1].1 > 0.0 && change(w[0].1, w[1].1) > DROP)
        .map(|w| w[0].0)
        .collect()
}

fn is_size(name: &str) -> bool {
    matches!(name, "size" | "block")
}

/// Is it a latency whose size decides what serves it?
pub(crate) fn is_latency_by_size(point: &Point) -> bool {
    declared(point) == Some(Roles::LatencyBySize)
}

fn is_by_size(point: &Point) -> bool {
    matches!(
        declared(point),
        Some(Roles::LatencyBySize | Roles::BandwidthBySize)
    )
}

/// Bytes that a point works on: as planned, else as its parameters say.
pub(crate) fn size_of(point: &Point, planned: Option<u64>) -> Option<u64> {
    let said = || point.params.iter().find(|(name, _)| is_size(name));
    planned.or_else(|| said().and_then(|(_, value)| size::parse(value)))
}

/// The role of a point of the memory hierarchy, with that of memory itself.
pub(super) fn by_size(point: &Point, bytes: Option<u64>, ends: &Ends, memory: Role) -> Role {
    match point.get("level") {
        Some("L1") => return Role::L1,
        Some("L2") => return Role::L2,
        Some("DRAM") => return memory,
        Some(_) => return Role::Llc,
        None => {}
    }
    let Some(bytes) = bytes else {
        return Role::Other;
    };
    if ends.0.is_empty() {
        return Role::Other;
    }
    let last = ends.0.len() - 1;
    match ends.0.iter().position(|&end| bytes <= end) {
        Some(0) => Role::L1,
        Some(1) if last > 1 || memory == Role::MemoryBandwidth => Role::L2,
        Some(_) => Role::Llc,
        None => memory,
    }
}
