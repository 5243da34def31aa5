//! Memory allocation: huge pages, merging, balancing, swap.

use std::collections::BTreeMap;

use whyslow_model::host::Known;
use whyslow_model::state::{HugetlbPool, Ksm, MemoryState, SwapArea, Thp};

use crate::parse::{bracketed, size_bytes};
use crate::root::{HostRoot, not_understood};

pub(super) fn memory(root: &HostRoot) -> MemoryState {
    let ksm = |name: &str| format!("/sys/kernel/mm/ksm/{name}");
    MemoryState {
        thp: thp(root),
        hugetlb: hugetlb(root),
        ksm: Ksm {
            run: root.value(&ksm("run")),
            pages_to_scan: root.value(&ksm("pages_to_scan")),
            sleep_ms: root.value(&ksm("sleep_millisecs")),
            merge_across_nodes: root.value(&ksm("merge_across_nodes")),
        },
        numa_balancing: root.value("/proc/sys/kernel/numa_balancing"),
        swap: swap(root),
        zswap: root.switch("/sys/module/zswap/parameters/enabled"),
        swappiness: root.value("/proc/sys/vm/swappiness"),
        aslr: root.value("/proc/sys/kernel/randomize_va_space"),
        overcommit: root.value("/proc/sys/vm/overcommit_memory"),
        zone_reclaim: root.value("/proc/sys/vm/zone_reclaim_mode"),
        lru_gen: root.line("/sys/kernel/mm/lru_gen/enabled"),
        page_reporting: Some(page_reporting(root)),
    }
}

/// Feature bit of virtio balloons for free page reporting (virtio 1.2, section 5.5.3).
const REPORTING: usize = 5;

/// The features that a balloon and its driver agreed on are a character a bit, the lowest first.
fn page_reporting(root: &HostRoot) -> Known<bool> {
    let folder = "/sys/bus/virtio/drivers/virtio_balloon";
    let Ok(names) = root.names(folder) else {
        // Without the driver nothing is reported; without a look at drivers that is not known.
        return Known::from(root.names("/sys/bus").map(|_| false));
    };
    let devices = names.iter().filter(|name| {
        let number = name.strip_prefix("virtio").unwrap_or_default();
        number.starts_with(|c: char| c.is_ascii_digit())
    });
    let features =
        devices.map(|name| root.line(&format!("/sys/bus/virtio/devices/{name}/features")));
    let mut reports = Known::Is(false);
    for bits in features {
        match bits {
            Known::Is(bits) if bits.as_bytes().get(REPORTING) == Some(&b'1') => {
                return Known::Is(true);
            }
            Known::Is(_) => {}
            unknown => reports = unknown.and_then(|_| Known::Is(false)),
        }
    }
    reports
}

/// The chosen word of a file such as `always [madvise] never`.
fn chosen(root: &HostRoot, path: &str) -> Known<String> {
    root.line(path).and_then(|text| {
        bracketed(&text).map_or_else(
            || Known::unknown(not_understood(path, &text)),
            |word| Known::Is(word.to_owned()),
        )
    })
}

fn thp(root: &HostRoot) -> Thp {
    let folder = "/sys/kernel/mm/transparent_hugepage";
    let path = |name: &str| format!("{folder}/{name}");
    let sizes = root.names(folder).and_then(|names| {
        let sizes: Vec<&String> = names
            .iter()
            .filter(|name| name.starts_with("hugepages-"))
            .collect();
        if sizes.is_empty() {
            return Err(format!("no sizes in {folder}"));
        }
        // Those at `never`, most of a dozen, would only fill the record.
        let setting = |name: &&String| {
            let word = chosen(root, &path(&format!("{name}/enabled"))).into_value()?;
            let kib = size_bytes(name.strip_prefix("hugepages-")?)? >> 10;
            (word != "never").then(|| (kib.to_string(), word))
        };
        Ok(sizes.iter().filter_map(setting).collect::<BTreeMap<_, _>>())
    });
    Thp {
        enabled: chosen(root, &path("enabled")),
        defrag: chosen(root, &path("defrag")),
        shmem: chosen(root, &path("shmem_enabled")),
        khugepaged_defrag: root.value(&path("khugepaged/defrag")),
        khugepaged_pages_to_scan: root.value(&path("khugepaged/pages_to_scan")),
        khugepaged_scan_sleep_ms: root.value(&path("khugepaged/scan_sleep_millisecs")),
        khugepaged_max_ptes_none: root.value(&path("khugepaged/max_ptes_none")),
        sizes: Known::from(sizes),
    }
}

fn hugetlb(root: &HostRoot) -> Known<Vec<HugetlbPool>> {
    let folder = "/sys/kernel/mm/hugepages";
    let pool = |name: &String| {
        let number = |file: &str| root.value(&format!("{folder}/{name}/{file}"));
        Some(HugetlbPool {
            page_bytes: size_bytes(name.strip_prefix("hugepages-")?)?,
            pages: number("nr_hugepages"),
            free: number("free_hugepages"),
            overcommit: number("nr_overcommit_hugepages"),
        })
    };
    Known::from(root.names(folder).map(|names| {
        let mut pools: Vec<HugetlbPool> = names.iter().filter_map(pool).collect();
        pools.sort_by_key(|pool| pool.page_bytes);
        pools
    }))
}

/// `/proc/swaps`: a header, then path, type, size in KiB, used, priority.
fn swap(root: &HostRoot) -> Known<Vec<SwapArea>> {
    let path = "/proc/swaps";
    let area = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [path, backing, size, _, priority] = fields.as_slice() else {
            return None;
        };
        Some(SwapArea {
            path: (*path).to_owned(),
            backing: (*backing).to_owned(),
            size_bytes: size.parse::<u64>().ok()?.checked_mul(1 << 10)?,
            priority: priority.parse().ok()?,
        })
    };
    root.text(path).and_then(|text| {
        if text.starts_with("Filename") {
            Known::Is(text.lines().skip(1).filter_map(area).collect())
        } else {
            Known::unknown(not_understood(path, &text))
        }
    })
}
