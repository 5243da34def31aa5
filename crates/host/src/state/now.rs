//! What is different at every look, and the memory budget that follows from it.

use whyslow_model::host::Known;
use whyslow_model::state::Now;

use super::cgroup::Found;
use super::process;
use crate::parse::{Keyed, host_ticks};
use crate::root::{HostRoot, not_understood};

pub(super) fn now(root: &HostRoot, cgroup: &Found) -> Now {
    let live = root.calls();
    let meminfo = Keyed::new("/proc/meminfo", root.text("/proc/meminfo"));
    let available = meminfo
        .bytes("MemAvailable")
        .or_else(|| live.sysinfo.as_ref().map(|info| info.free_bytes));
    let swap_used = meminfo.bytes("SwapTotal").and_then(|total| {
        meminfo
            .bytes("SwapFree")
            .map(|free| total.saturating_sub(free))
    });
    let stat = root.text("/proc/stat").and_then(|text| {
        host_ticks(&text).map_or_else(
            || Known::unknown(not_understood("/proc/stat", &text)),
            Known::Is,
        )
    });
    let budget = budget(root, cgroup, &available);
    Now {
        memory_budget_bytes: budget.clone().map(|(bytes, _)| bytes),
        memory_budget_by: budget.map(|(_, by)| by),
        memory_available_bytes: available,
        swap_used_bytes: swap_used
            .or_else(|| live.sysinfo.as_ref().map(|info| info.swap_used_bytes)),
        load: load(root).or_else(|| live.sysinfo.as_ref().map(|info| info.load)),
        runnable_tasks: stat.as_ref().and_then(|stat| {
            stat.runnable
                .map_or_else(|| Known::unknown("not in /proc/stat"), Known::Is)
        }),
        uptime_s: root
            .text("/proc/uptime")
            .and_then(|text| {
                finite(text.split_whitespace().next()).map_or_else(
                    || Known::unknown(not_understood("/proc/uptime", &text)),
                    Known::Is,
                )
            })
            .or_else(|| live.sysinfo.as_ref().map(|info| info.uptime_s)),
        steal_share_since_boot: stat.and_then(|stat| {
            let all = stat.all;
            match all.busy.saturating_add(all.idle).saturating_add(all.steal) {
                0 => Known::unknown("/proc/stat counts nothing"),
                total => Known::Is(all.steal as f64 / total as f64),
            }
        }),
    }
}

/// A number that can be written as JSON.
fn finite(text: Option<&str>) -> Option<f64> {
    text?.parse().ok().filter(|number: &f64| number.is_finite())
}

fn load(root: &HostRoot) -> Known<[f64; 3]> {
    let path = "/proc/loadavg";
    root.text(path).and_then(|text| {
        let mut words = text.split_whitespace();
        let mut next = || finite(words.next());
        match (next(), next(), next()) {
            (Some(one), Some(five), Some(fifteen)) => Known::Is([one, five, fifteen]),
            _ => Known::unknown(not_understood(path, &text)),
        }
    })
}

/// The least of several bounds, with its name. See [`Now::memory_budget_bytes`].
fn budget(root: &HostRoot, cgroup: &Found, available: &Known<u64>) -> Known<(u64, String)> {
    let available = match available {
        Known::Is(available) => *available,
        Known::Unknown(unknown) => return Known::Unknown(unknown.clone()),
    };
    let mut bounds = vec![(
        available / 4,
        "a quarter of the available memory".to_owned(),
    )];
    if let Some(limit) = cgroup
        .limits
        .memory_bytes
        .value()
        .and_then(|limit| limit.at())
    {
        bounds.push((
            limit / 4,
            "a quarter of the control group's limit".to_owned(),
        ));
    }
    if let Some(left) = cgroup.memory_left {
        // Half, not a quarter: the quarter of the limit is already a bound, and
        // this one only keeps out of the way of what else runs in the group.
        bounds.push((
            left / 2,
            "half of what the control group has left".to_owned(),
        ));
    }
    if let Known::Is(limits) = process::rlimits(root) {
        for name in ["address space", "data size"] {
            if let Some(limit) = limits.get(name).and_then(|limit| limit.soft.at()) {
                bounds.push((
                    limit / 4,
                    format!("a quarter of the resource limit on {name}"),
                ));
            }
        }
    }
    bounds
        .into_iter()
        .min_by_key(|(bytes, _)| *bytes)
        .map_or_else(|| Known::unknown("no bound is known"), Known::Is)
}
