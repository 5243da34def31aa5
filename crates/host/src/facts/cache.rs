//! The caches that the host claims: from sysfs, or where there is none, CPUID.

use whyslow_model::host::{Cache, CacheKind, CpuSet, Known};

use crate::live::Cpuid;
use crate::parse::size_bytes;
use crate::root::HostRoot;

/// Every cache, by level, then kind.
pub(super) fn caches(root: &HostRoot) -> Known<Vec<Cache>> {
    by_sysfs(root).or_else(|| root.calls().cpuid.as_ref().and_then(by_cpuid))
}

fn by_sysfs(root: &HostRoot) -> Known<Vec<Cache>> {
    let cpus = match root.numbered("/sys/devices/system/cpu", "cpu") {
        Ok(cpus) => cpus,
        Err(why) => return Known::unknown(why),
    };
    let mut caches: Vec<Cache> = vec![];
    for cpu in cpus {
        let folder = format!("/sys/devices/system/cpu/cpu{cpu}/cache");
        for index in root.numbered(&folder, "index").unwrap_or_default() {
            let folder = format!("{folder}/index{index}");
            if let (Known::Is(level), Known::Is(kind)) =
                (root.value(&format!("{folder}/level")), kind(root, &folder))
            {
                add(root, &folder, level, kind, &mut caches);
            }
        }
    }
    if caches.is_empty() {
        return Known::unknown("no cache in /sys/devices/system/cpu/cpu*/cache");
    }
    caches.sort_by_key(|cache| (cache.level, cache.kind));
    Known::Is(caches)
}

fn kind(root: &HostRoot, folder: &str) -> Known<CacheKind> {
    let path = format!("{folder}/type");
    root.line(&path).and_then(|kind| match kind.as_str() {
        "Data" => Known::Is(CacheKind::Data),
        "Instruction" => Known::Is(CacheKind::Instruction),
        "Unified" => Known::Is(CacheKind::Unified),
        _ => Known::unknown(crate::root::not_understood(&path, &kind)),
    })
}

/// Adds one CPU's view of a cache to those already seen.
fn add(root: &HostRoot, folder: &str, level: u32, kind: CacheKind, caches: &mut Vec<Cache>) {
    let shared = root.cpus(&format!("{folder}/shared_cpu_list"));
    let is_same = |cache: &Cache| (cache.level, cache.kind) == (level, kind);
    // Every CPU under a cache tells of it; reading its other files once is enough.
    let is_seen = caches.iter().filter(|cache| is_same(cache)).any(|cache| {
        matches!((&cache.shared, &shared), (Known::Is(seen), Known::Is(shared)) if seen.contains(shared))
    });
    if is_seen {
        return;
    }
    // A number of 0 is how some firmware says that it does not know.
    let number = |name: &str| {
        let path = format!("{folder}/{name}");
        root.value::<u32>(&path)
            .and_then(|number| non_zero(number, &path))
    };
    let size = format!("{folder}/size");
    let found = Cache {
        level,
        kind,
        size_bytes: root.line(&size).and_then(|text| {
            size_bytes(&text).map_or_else(
                || Known::unknown(crate::root::not_understood(&size, &text)),
                |bytes| non_zero(bytes, &size),
            )
        }),
        ways: number("ways_of_associativity"),
        sets: number("number_of_sets"),
        line_bytes: number("coherency_line_size"),
        shared: shared.clone().map(|shared| vec![shared]),
        inclusive: Known::unknown("sysfs does not say"),
        source: "sysfs".into(),
    };
    let is_like = |cache: &&mut Cache| {
        is_same(cache)
            && alike(&cache.size_bytes, &found.size_bytes)
            && alike(&cache.ways, &found.ways)
            && alike(&cache.sets, &found.sets)
            && alike(&cache.line_bytes, &found.line_bytes)
            && cache.shared.is_known() == found.shared.is_known()
    };
    match (caches.iter_mut().find(is_like), shared) {
        (Some(cache), Known::Is(shared)) => {
            if let Known::Is(seen) = &mut cache.shared {
                seen.push(shared);
            }
        }
        (Some(_), Known::Unknown(_)) => {}
        (None, _) => caches.push(found),
    }
}

/// The same value, or both unknown: reasons name files and so always differ.
fn alike<T: PartialEq>(a: &Known<T>, b: &Known<T>) -> bool {
    a.value() == b.value()
}

fn non_zero<T: PartialEq + Default>(number: T, path: &str) -> Known<T> {
    if number == T::default() {
        Known::unknown(format!("given as 0: {path}"))
    } else {
        Known::Is(number)
    }
}

/// CPUID leaf 4 (Intel) or 0x8000001D (AMD), which have one form.
fn by_cpuid(cpuid: &Cpuid) -> Known<Vec<Cache>> {
    let caches: Vec<Cache> = subleaves(cpuid).filter_map(by_registers).collect();
    if caches.is_empty() {
        Known::unknown("CPUID lists no caches")
    } else {
        Known::Is(caches)
    }
}

/// The registers of each cache, up to the first that is none.
fn subleaves(cpuid: &Cpuid) -> impl Iterator<Item = (u32, [u32; 4])> + '_ {
    let is_listed = |leaf: u32| cpuid.leaf(leaf, 0).is_some_and(|[a, ..]| a & 0x1f != 0);
    let leaf = if is_listed(4) { 4 } else { 0x8000_001d };
    (0..)
        .map_while(move |index| Some((leaf, cpuid.leaf(leaf, index)?)))
        .take_while(|(_, [a, ..])| a & 0x1f != 0)
}

fn by_registers((leaf, [a, b, c, d]): (u32, [u32; 4])) -> Option<Cache> {
    let kind = match a & 0x1f {
        1 => CacheKind::Data,
        2 => CacheKind::Instruction,
        3 => CacheKind::Unified,
        _ => return None,
    };
    let (ways, partitions, line) = ((b >> 22) + 1, (b >> 12 & 0x3ff) + 1, (b & 0xfff) + 1);
    let sets = c.checked_add(1)?;
    let size = [ways, partitions, line, sets]
        .into_iter()
        .try_fold(1_u64, |size, part| size.checked_mul(u64::from(part)))?;
    Some(Cache {
        level: a >> 5 & 7,
        kind,
        size_bytes: Known::Is(size),
        ways: Known::Is(ways),
        sets: Known::Is(sets),
        line_bytes: Known::Is(line),
        shared: Known::unknown(format!(
            "CPUID says by up to {} CPUs, not by which",
            (a >> 14 & 0xfff) + 1
        )),
        inclusive: Known::Is(d >> 1 & 1 == 1),
        source: format!("CPUID {leaf:#x}"),
    })
}

/// How many low bits of an APIC number tell apart the CPUs under one last-level
/// cache, as CPUID has it.
pub(super) fn llc_apic_bits(cpuid: &Cpuid) -> Option<u32> {
    let (_, [a, ..]) = subleaves(cpuid)
        .filter(|(_, [a, ..])| a & 0x1f != 2)
        .max_by_key(|(_, [a, ..])| a >> 5 & 7)?;
    let most = (a >> 14 & 0xfff) + 1;
    Some(most.next_power_of_two().trailing_zeros())
}

/// The CPUs under one last-level data cache, by cache, ascending.
pub(super) fn last_level(caches: &[Cache]) -> Known<Vec<CpuSet>> {
    let holds_data = |cache: &&Cache| cache.kind != CacheKind::Instruction;
    let cpus: CpuSet = caches
        .iter()
        .filter_map(|cache| cache.shared.value())
        .flatten()
        .flat_map(CpuSet::iter)
        .collect();
    // Not the highest level of the host: on some hosts, some cores have fewer.
    let mut found: Vec<CpuSet> = cpus
        .iter()
        .filter_map(|cpu| {
            caches
                .iter()
                .filter(holds_data)
                .filter_map(|cache| {
                    let shared = cache.shared.value()?;
                    Some((cache.level, shared.iter().find(|set| set.contains(cpu))?))
                })
                .max_by_key(|(level, _)| *level)
                .map(|(_, set)| set.clone())
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    if found.is_empty() {
        return Known::unknown("no cache says which CPUs share it");
    }
    Known::Is(found)
}
