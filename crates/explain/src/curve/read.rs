//! Curves out of points and hosts.

use std::collections::BTreeMap;

use whyslow_model::host::CacheKind;
use whyslow_model::summary::Interval;
use whyslow_model::{Point, Record, Unit};

use super::Known;
use crate::role::{is_latency_by_size, size_of};

/// The curve that a point is of, and its size in bytes: latencies over sizes in random order with
/// ordinary pages, as the models take them.
pub(crate) fn on_curve(point: &Point, unit: Unit) -> Option<(String, f64)> {
    let random = point.get("order").is_none_or(|o| o == "random");
    let ordinary = point.get("pages").is_none_or(|p| p == "4k");
    // Published latencies are plain numbers with a symbol of their own.
    let latency = is_latency_by_size(point) && matches!(unit, Unit::Ns | Unit::Count);
    point
        .get("size")
        .filter(|_| random && ordinary && latency)?;
    let bytes = size_of(point, None)?;
    let mut other = point.clone();
    other.params.retain(|(name, _)| name != "size");
    Some((other.to_string(), bytes as f64))
}

/// Half of an interval as a share of its value.
pub(crate) fn half(interval: &Interval) -> Option<f64> {
    let [lo, hi] = interval.range?;
    Some((hi - lo) / 2.0 / interval.value)
}

/// What the host of a record says of pages and caches.
pub(crate) fn known(record: &Record) -> Known {
    let Some(host) = record.host.as_deref() else {
        return Known::default();
    };
    let mut caches: BTreeMap<u32, (f64, Option<u32>)> = BTreeMap::new();
    for cache in host.caches.value().into_iter().flatten() {
        if let Some(&bytes) = cache.size_bytes.value()
            && cache.kind != CacheKind::Instruction
        {
            // Hosts with several kinds of core: the last of each level, as the curve has one.
            caches.insert(cache.level, (bytes as f64, cache.ways.value().copied()));
        }
    }
    Known {
        page_bytes: host.pages.base_bytes.value().map(|&b| b as f64),
        caches: caches.into_values().collect(),
    }
}
