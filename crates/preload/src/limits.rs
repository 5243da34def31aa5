//! How much memory coloring may populate in advance: pages that a program requested and might never
//! use.

use std::fs;

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
    let groups = read("/proc/self/cgroup").unwrap_or_default();
    let free = groups.lines().flat_map(|line| {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next(), parts.next()?, parts.next()?);
        group(controllers, path, &read)
    });
    let least = free.chain(available).min();
    // If nothing is known, the size of one or two L2 caches.
    least.map_or(4 << 20, |free| free / SHARE)
}

fn available(text: &str) -> Option<u64> {
    let line = text.lines().find(|l| l.starts_with("MemAvailable:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

/// The minimum of the free bytes of a control group and its ancestors.
fn group(controllers: &str, path: &str, read: &impl Fn(&str) -> Option<String>) -> Option<u64> {
    let (root, limit, usage) = match controllers {
        "" => ("/sys/fs/cgroup", "memory.max", "memory.current"),
        c if c.split(',').any(|c| c == "memory") => (
            "/sys/fs/cgroup/memory",
            "memory.limit_in_bytes",
            "memory.usage_in_bytes",
        ),
        _ => return None,
    };
    let mut least: Option<u64> = None;
    let mut path = path.trim_end_matches('/');
    loop {
        let number = |name: &str| -> Option<u64> {
            read(&format!("{root}{path}/{name}"))?.trim().parse().ok()
        };
        // No limit is written as a word, or as a number larger than any memory.
        if let (Some(limit), Some(usage)) = (number(limit), number(usage)) {
            let free = limit.saturating_sub(usage);
            least = Some(least.map_or(free, |least| least.min(free)));
        }
        match path.rsplit_once('/') {
            Some((above, _)) => path = above,
            None => return least,
        }
    }
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
        assert_eq!(group("", "/a/b", &read), Some(600));
        assert_eq!(group("cpu,memory", "/c", &read), Some(0));
        assert_eq!(group("cpu", "/a/b", &read), None);
        assert_eq!(group("", "/", &read), None);
        assert_eq!(
            available("MemFree: 1 kB\nMemAvailable:   3 kB\n"),
            Some(3072)
        );
        assert!(fillable() > 0);
    }
}
