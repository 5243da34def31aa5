//! The machine of a record, as far as its host tells.

use whyslow_model::Record;
use whyslow_model::host::{CacheKind, Host};
use whyslow_model::simulation::SimulatedCache;

use crate::cache::Replacement;
use crate::error::SimError;
use crate::hierarchy::{LevelSpec, MOST_LEVELS};
use crate::index::IndexKind;
use crate::machine::{MachineSpec, TlbSpec};
use crate::placement::Policy;

/// A TLB's entries and ways at its second level where the host hides them. CPUID has no room for more than 4,095 entries,
/// which Zen 5 has one more than; guests are often shown none.
fn second_tlb(host: &Host) -> TlbSpec {
    let kinds = host.cpu.kinds.value();
    let own = kinds.and_then(|kinds| kinds.first());
    let family = own.and_then(|kind| {
        let vendor = kind.vendor.value()?;
        Some((vendor.as_str(), *kind.family.value()?))
    });
    match family {
        Some(("AuthenticAMD", 0x1a)) => TlbSpec {
            entries: 4096,
            ways: 16,
        },
        _ => TlbSpec {
            entries: 2048,
            ways: 8,
        },
    }
}

/// Caches and TLBs of a record.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) spec: MachineSpec,
    pub(super) line_bytes: u32,
    pub(super) notes: Vec<String>,
}

/// Reads the machine; the policy tells which pages its TLBs are for.
pub(super) fn found(record: &Record, policy: Policy) -> Result<Found, SimError> {
    let missing = |what: &str| {
        SimError::Record(format!(
            "{what}; only a record of `whyslow run` can be simulated"
        ))
    };
    let host = record
        .host
        .as_deref()
        .ok_or_else(|| missing("has no host facts"))?;
    let mut caches: Vec<(u32, LevelSpec)> = Vec::new();
    let mut line_bytes = 64;
    for cache in host.caches.value().into_iter().flatten() {
        if cache.kind == CacheKind::Instruction
            || caches.iter().any(|(level, _)| *level == cache.level)
        {
            continue;
        }
        let (Some(&bytes), Some(&ways)) = (cache.size_bytes.value(), cache.ways.value()) else {
            continue;
        };
        line_bytes = cache.line_bytes.value().copied().unwrap_or(line_bytes);
        let lines = bytes / u64::from(line_bytes.max(1));
        let level = LevelSpec::lru(&format!("L{}", cache.level), lines, ways);
        caches.push((cache.level, level));
    }
    caches.sort_by_key(|(level, _)| *level);
    caches.truncate(MOST_LEVELS);
    if caches.is_empty() {
        return Err(missing("does not say the size and ways of any cache"));
    }
    let mut notes = Vec::new();
    let page_bytes: u64 = if policy == Policy::Huge {
        2 << 20
    } else {
        4096
    };
    let mut tlbs = Vec::new();
    let known: Vec<_> = host.tlbs.value().into_iter().flatten().collect();
    for level in [1, 2] {
        let own = known.iter().find(|tlb| {
            let data = tlb.kind != CacheKind::Instruction;
            tlb.level == level && data && tlb.page_bytes.contains(&page_bytes)
        });
        let Some(own) = own else { break };
        tlbs.push(match (own.entries.value(), own.ways.value()) {
            (Some(&entries), Some(&ways)) if ways > 0 && entries % ways == 0 => {
                TlbSpec { entries, ways }
            }
            _ => {
                let assumed = second_tlb(host);
                notes.push(format!(
                    "the host does not say how many entries its TLB has at level {level}: {} with {} ways are assumed",
                    assumed.entries, assumed.ways
                ));
                assumed
            }
        });
    }
    Ok(Found {
        spec: MachineSpec {
            caches: caches.into_iter().map(|(_, level)| level).collect(),
            tlbs,
            walk: 1,
            policy,
            others: 0.0,
        },
        line_bytes,
        notes,
    })
}

/// How a policy of replacement is called.
pub fn name_of(replacement: Replacement) -> &'static str {
    match replacement {
        Replacement::Lru => "lru",
        Replacement::BitPlru => "bit-plru",
        Replacement::TreePlru => "tree-plru",
        Replacement::Srrip => "srrip",
        Replacement::Brrip => "brrip",
        Replacement::Random => "random",
    }
}

/// A level as documents tell it.
pub fn described(level: &LevelSpec, line_bytes: u32) -> SimulatedCache {
    SimulatedCache {
        name: level.name.clone(),
        size: level.cache.lines * u64::from(line_bytes),
        ways: level.cache.ways,
        replacement: name_of(level.cache.replacement).to_owned(),
        hashed: level.cache.index != IndexKind::Linear,
    }
}

/// A level of the TLB as documents tell it.
pub fn described_tlb(at: usize, tlb: &TlbSpec) -> SimulatedCache {
    SimulatedCache {
        name: format!("TLB {}", at + 1),
        size: u64::from(tlb.entries),
        ways: tlb.ways,
        replacement: name_of(Replacement::Lru).to_owned(),
        hashed: false,
    }
}
