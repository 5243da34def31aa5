//! What the host says of its caches.

use std::collections::BTreeMap;

use whyslow_model::host::{CacheKind, Host};

/// Reported sizes of the host's data caches, nearest first.
pub(super) fn claims(host: &Host) -> Vec<u64> {
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
