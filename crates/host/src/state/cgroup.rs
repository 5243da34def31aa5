//! Limits by control groups, version 1 and 2, from the own group upwards.

use std::cmp::min;

use whyslow_linux::cgroup::{Groups, Hierarchy};
use whyslow_model::host::{CpuSet, Known, Limit};
use whyslow_model::state::{Cgroup, CgroupLevel};

use crate::parse::Keyed;
use crate::root::{HostRoot, not_understood};

/// From here on a limit of version 1 means none: the kernel writes the largest
/// multiple of a page below 2^63, which differs with the page size.
const V1_UNLIMITED: u64 = 1 << 62;

/// The limits, and how much memory is left below the tightest of them.
pub(super) struct Found {
    pub(super) limits: Cgroup,
    /// Bytes; none where no level has a limit and a use that can be read.
    pub(super) memory_left: Option<u64>,
}

pub(super) fn cgroup(root: &HostRoot) -> Found {
    let text = root.text("/proc/self/cgroup");
    let mountinfo = root.text("/proc/self/mountinfo");
    let (text, mountinfo) = match (&text, &mountinfo) {
        (Known::Is(text), Known::Is(mountinfo)) => (text, mountinfo),
        (Known::Unknown(unknown), _) | (_, Known::Unknown(unknown)) => {
            return nothing(&unknown.unknown);
        }
    };
    let groups = Groups::parse(text, mountinfo);
    let memberships = groups.memberships();
    let mut levels = vec![];
    let mut left = vec![];
    let mut missing = vec![];
    let mut seen = [false; 2];
    if memberships.iter().any(|one| one.is_of(Hierarchy::Unified)) {
        match groups.folders(Hierarchy::Unified) {
            Ok(folders) => {
                seen[1] = true;
                for folder in folders {
                    left.extend(v2_left(root, &folder));
                    levels.push(v2_level(root, folder));
                }
            }
            Err(why) => missing.push(why.to_string()),
        }
    }
    for membership in memberships {
        for controller in ["cpu", "cpuset", "memory", "pids"] {
            let hierarchy = Hierarchy::Controller(controller);
            if !membership.is_of(hierarchy) {
                continue;
            }
            match groups.folders(hierarchy) {
                Ok(folders) => {
                    seen[0] = true;
                    for folder in folders {
                        if controller == "memory" {
                            left.extend(v1_left(root, &folder));
                        }
                        levels.push(v1_level(root, folder, controller));
                    }
                }
                Err(why) => missing.push(why.to_string()),
            }
        }
    }
    let version = match seen {
        [true, true] => "hybrid",
        [true, false] => "v1",
        [false, true] => "v2",
        [false, false] if memberships.is_empty() => "none",
        [false, false] => return nothing(&missing.join("; ")),
    };
    // A group of version 2 without any file of limits, as in a hybrid where it
    // only names services, would be an empty row.
    levels.retain(|level| *level != empty(level.path.clone()));
    Found {
        memory_left: left.into_iter().min(),
        limits: effective(version, levels),
    }
}

fn nothing(why: &str) -> Found {
    Found {
        memory_left: None,
        limits: Cgroup {
            version: Known::unknown(why),
            levels: Known::unknown(why),
            cpu_quota: Known::unknown(why),
            cpuset: Known::unknown(why),
            memory_nodes: Known::unknown(why),
            memory_bytes: Known::unknown(why),
        },
    }
}

fn empty(path: String) -> CgroupLevel {
    CgroupLevel {
        path,
        cpu_quota: None,
        cpu_period_us: None,
        cpu_weight: None,
        cpuset: None,
        memory_nodes: None,
        memory_max: None,
        memory_high: None,
        swap_max: None,
        pids_max: None,
    }
}

/// A file that this group may well not have: none where there is none.
fn optional<T>(
    root: &HostRoot,
    path: &str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Option<Known<T>> {
    match root.text(path) {
        Known::Is(text) => {
            Some(read(&text).map_or_else(|| Known::unknown(not_understood(path, &text)), Known::Is))
        }
        Known::Unknown(unknown) if unknown.unknown.starts_with("no such file") => None,
        Known::Unknown(unknown) => Some(Known::Unknown(unknown)),
    }
}

fn v2_limit(text: &str) -> Option<Limit<u64>> {
    match text {
        "max" => Some(Limit::UNLIMITED),
        number => number.parse().ok().map(Limit::At),
    }
}

fn v1_limit(text: &str) -> Option<Limit<u64>> {
    match text {
        "max" => Some(Limit::UNLIMITED),
        number => match number.parse::<u64>().ok()? {
            V1_UNLIMITED.. => Some(Limit::UNLIMITED),
            bytes => Some(Limit::At(bytes)),
        },
    }
}

/// `cpu.max`: quota and period in µs, or `max` and the period.
fn v2_quota(text: &str) -> Option<(Limit<f64>, u64)> {
    let (quota, period) = text.split_once(' ')?;
    let period: u64 = period.trim().parse().ok().filter(|&period| period > 0)?;
    let quota = v2_limit(quota)?
        .at()
        .map(|quota| quota as f64 / period as f64);
    Some((quota.into(), period))
}

fn v2_level(root: &HostRoot, folder: String) -> CgroupLevel {
    let path = |name: &str| format!("{folder}/{name}");
    let limit = |name: &str| optional(root, &path(name), v2_limit);
    let cpus = |name: &str| optional(root, &path(name), |text| text.parse::<CpuSet>().ok());
    let quota = optional(root, &path("cpu.max"), v2_quota);
    CgroupLevel {
        cpu_period_us: quota.clone().map(|quota| quota.map(|(_, period)| period)),
        cpu_quota: quota.map(|quota| quota.map(|(quota, _)| quota)),
        cpu_weight: optional(root, &path("cpu.weight"), |text| text.parse().ok()),
        cpuset: cpus("cpuset.cpus.effective"),
        memory_nodes: cpus("cpuset.mems.effective"),
        memory_max: limit("memory.max"),
        memory_high: limit("memory.high"),
        swap_max: limit("memory.swap.max"),
        pids_max: limit("pids.max"),
        path: folder,
    }
}

fn v1_level(root: &HostRoot, folder: String, controller: &str) -> CgroupLevel {
    let path = |name: &str| format!("{folder}/{name}");
    let limit = |name: &str| optional(root, &path(name), v1_limit);
    let cpus = |name: &str| optional(root, &path(name), |text| text.parse::<CpuSet>().ok());
    // Kernels before 4.2 do not have the effective ones.
    let effective = |new: &str, old: &str| cpus(new).or_else(|| cpus(old));
    let mut level = empty(folder.clone());
    match controller {
        "cpu" => {
            let period = optional(root, &path("cpu.cfs_period_us"), |text| {
                text.parse::<u64>().ok().filter(|&period| period > 0)
            });
            // -1 stands for no quota.
            let quota = optional(root, &path("cpu.cfs_quota_us"), |text| {
                text.parse::<i64>().ok()
            });
            level.cpu_quota = quota.map(|quota| {
                quota.and_then(|quota| match u64::try_from(quota) {
                    Err(_) => Known::Is(Limit::UNLIMITED),
                    Ok(quota) => period
                        .clone()
                        .unwrap_or_else(|| Known::unknown("a quota without a period"))
                        .map(|period| Limit::At(quota as f64 / period as f64)),
                })
            });
            level.cpu_period_us = period;
            level.cpu_weight = optional(root, &path("cpu.shares"), |text| text.parse().ok());
        }
        "cpuset" => {
            level.cpuset = effective("cpuset.effective_cpus", "cpuset.cpus");
            level.memory_nodes = effective("cpuset.effective_mems", "cpuset.mems");
        }
        "memory" => {
            level.memory_max = limit("memory.limit_in_bytes");
            level.swap_max = limit("memory.memsw.limit_in_bytes");
        }
        _ => level.pids_max = limit("pids.max"),
    }
    level
}

/// Memory that a group may still take: its limit less what it holds, where file
/// pages that have not been used lately do not count, as they can be dropped.
fn left(limit: Option<u64>, used: Option<u64>, droppable: Option<u64>) -> Option<u64> {
    let held = used?.saturating_sub(droppable.unwrap_or(0));
    Some(limit?.saturating_sub(held))
}

/// The number behind a word in `memory.stat`, whose lines have no colon.
fn stat_number(root: &HostRoot, folder: &str, name: &str) -> Option<u64> {
    let path = format!("{folder}/memory.stat");
    let text = root.text(&path).map(|text| text.replace(' ', ": "));
    Keyed::new(&path, text).value(name).into_value()
}

fn v2_left(root: &HostRoot, folder: &str) -> Option<u64> {
    let limit = |name: &str| v2_limit(root.text(&format!("{folder}/{name}")).value()?)?.at();
    let least = [limit("memory.max"), limit("memory.high")]
        .into_iter()
        .flatten()
        .min();
    let used = root.value(&format!("{folder}/memory.current")).into_value();
    left(least, used, stat_number(root, folder, "inactive_file"))
}

fn v1_left(root: &HostRoot, folder: &str) -> Option<u64> {
    let limit = v1_limit(
        root.text(&format!("{folder}/memory.limit_in_bytes"))
            .value()?,
    )?
    .at();
    let used = root
        .value(&format!("{folder}/memory.usage_in_bytes"))
        .into_value();
    left(
        limit,
        used,
        stat_number(root, folder, "total_inactive_file"),
    )
}

/// The least of each limit over the levels.
fn effective(version: &str, levels: Vec<CgroupLevel>) -> Cgroup {
    let quota = least(
        levels.iter().filter_map(|level| level.cpu_quota.as_ref()),
        |a: f64, b| {
            if a < b { a } else { b }
        },
    );
    let memory = least(
        levels
            .iter()
            .flat_map(|level| [&level.memory_max, &level.memory_high])
            .filter_map(Option::as_ref),
        min,
    );
    // The set of the own group is already the effective one.
    let own = |set: fn(&CgroupLevel) -> Option<&Known<CpuSet>>| {
        levels
            .iter()
            .find_map(set)
            .cloned()
            .unwrap_or_else(|| Known::unknown("no control group has a cpuset"))
    };
    Cgroup {
        version: Known::Is(version.to_owned()),
        cpu_quota: quota,
        cpuset: own(|level| level.cpuset.as_ref()),
        memory_nodes: own(|level| level.memory_nodes.as_ref()),
        memory_bytes: memory,
        levels: Known::Is(levels),
    }
}

/// The least limit; no limit where no level has one, but unknown where one that
/// could be lower cannot be read.
fn least<'a, T: Copy + 'a>(
    limits: impl Iterator<Item = &'a Known<Limit<T>>>,
    lower: impl Fn(T, T) -> T,
) -> Known<Limit<T>> {
    let mut found = None;
    for limit in limits {
        match limit {
            Known::Unknown(unknown) => return Known::Unknown(unknown.clone()),
            Known::Is(limit) => {
                found = match (found, limit.at()) {
                    (Some(a), Some(b)) => Some(lower(a, b)),
                    (found, limit) => found.or(limit),
                }
            }
        }
    }
    Known::Is(found.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn limits() {
        assert_eq!(v2_quota("150000 100000"), Some((Limit::At(1.5), 100_000)));
        assert_eq!(v2_quota("max 100000"), Some((Limit::UNLIMITED, 100_000)));
        assert_eq!(v2_quota("1 0"), None);
        assert_eq!(v1_limit("9223372036854771712"), Some(Limit::UNLIMITED));
        assert_eq!(v1_limit("268435456"), Some(Limit::At(268_435_456)));
        assert_eq!(v2_limit("268435456\0"), None);
    }

    #[test]
    fn an_unreadable_level_makes_the_least_unknown() {
        let limits = [Known::Is(Limit::At(7_u64)), Known::unknown("no")];
        assert_eq!(least(limits.iter(), min), Known::unknown("no"));
        let limits = [
            Known::Is(Limit::At(7_u64)),
            Known::Is(Limit::At(3)),
            Known::Is(Limit::UNLIMITED),
        ];
        assert_eq!(least(limits.iter(), min), Known::Is(Limit::At(3)));
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "([0-9a-z:/,. ]|max|\n)*") {
            let _ = (v1_limit(&text), v2_limit(&text), v2_quota(&text));
        }
    }
}
