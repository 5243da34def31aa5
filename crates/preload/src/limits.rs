//! How much memory coloring may populate in advance: pages that a program requested and might never
//! use.

use std::fs;

use whyslow_linux::cgroup::{Groups, Hierarchy};

/// One part in this many of the memory that is free now.
const SHARE: u64 = 4;

/// Bytes of a huge page with 4 KiB base pages.
const HUGE: u64 = 2 << 20;

/// The largest block to color where THP is always on: one too small for a huge page. Colored pages are
/// base pages, and a huge page helps more.
pub(crate) fn largest_block() -> u64 {
    let setting = "/sys/kernel/mm/transparent_hugepage/enabled";
    let always = fs::read_to_string(setting).is_ok_and(|text| text.contains("[always]"));
    if always { HUGE } else { u64::MAX }
}

/// Bytes that may be populated.
pub(crate) fn fillable() -> u64 {
    let read = |path: &str| fs::read_to_string(path).ok();
    let available = read("/proc/meminfo").and_then(|text| available(&text));
    let groups = Groups::own().ok();
    let free = groups.and_then(|groups| tightest(&groups, &read));
    // If nothing is known, the size of one or two L2 caches.
    let least = available.into_iter().chain(free).min();
    least.map_or(4 << 20, |free| free / SHARE)
}

fn available(text: &str) -> Option<u64> {
    let line = text.lines().find(|l| l.starts_with("MemAvailable:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

/// The files of a limit on memory and of what is used, in each version of control groups.
const LIMITS: [(Hierarchy<'_>, &str, &str); 2] = [
    (Hierarchy::Unified, "memory.max", "memory.current"),
    (
        Hierarchy::Controller("memory"),
        "memory.limit_in_bytes",
        "memory.usage_in_bytes",
    ),
];

/// The minimum of the free bytes of the control groups of this process and their ancestors.
fn tightest(groups: &Groups, read: &impl Fn(&str) -> Option<String>) -> Option<u64> {
    let limits = LIMITS.into_iter().flat_map(|(hierarchy, limit, usage)| {
        let folders = groups.folders(hierarchy).unwrap_or_default();
        folders.into_iter().filter_map(move |folder| {
            let number = |name: &str| -> Option<u64> {
                read(&format!("{folder}/{name}"))?.trim().parse().ok()
            };
            // No limit is written as a word, or as a number larger than any memory.
            Some(number(limit)?.saturating_sub(number(usage)?))
        })
    });
    limits.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tightest_group_counts() {
        let read = |path: &str| {
            let text = match path {
                "/sys/fs/cgroup/a/b/memory.max" => "max\n",
                "/sys/fs/cgroup/a/b/memory.current" => "100\n",
                "/sys/fs/cgroup/a/memory.max" => "1000\n",
                "/sys/fs/cgroup/a/memory.current" => "400\n",
                "/sys/fs/cgroup/memory/c/memory.limit_in_bytes" => "50",
                "/sys/fs/cgroup/memory/c/memory.usage_in_bytes" => "60",
                _ => return None,
            };
            Some(text.to_owned())
        };
        let mounts = "\
32 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw
";
        let free = |groups: &str| tightest(&Groups::parse(groups, mounts), &read);
        assert_eq!(free("0::/a/b"), Some(600));
        assert_eq!(free("2:cpu,memory:/c"), Some(0));
        assert_eq!(free("2:cpu:/a/b"), None);
        assert_eq!(free("0::/"), None);
        assert_eq!(
            available("MemFree: 1 kB\nMemAvailable:   3 kB\n"),
            Some(3072)
        );
        assert!(fillable() > 0);
    }
}
