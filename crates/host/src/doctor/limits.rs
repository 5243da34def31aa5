//! What this process may not use.

use whyslow_model::doctor::Finding;
use whyslow_model::host::Known;

use super::{Checker, Seen, advise, bytes, good, run, unknown};

pub(super) const CHECKS: &[Checker] = &[
    ("CPU quota", quota),
    ("usable CPUs", cpus),
    ("memory budget", memory),
];

fn quota(seen: &Seen) -> Finding {
    let cgroup = &seen.state.cgroup;
    let quota = match &cgroup.cpu_quota {
        Known::Is(limit) => limit.at(),
        other => return unknown(other),
    };
    let Some(quota) = quota else {
        return good("no CPU quota");
    };
    // The group that sets it, or the own one.
    let levels = cgroup.levels.value().map(Vec::as_slice).unwrap_or_default();
    let sets = levels.iter().find(|level| {
        let own = level
            .cpu_quota
            .as_ref()
            .and_then(|q| q.value())
            .and_then(|q| q.at());
        own.is_some_and(|own| own <= quota)
    });
    let what = format!("a control group allows {quota} CPUs' worth of time");
    let harm =
        "when it is used up, everything stands still until the next period, often 50 ms and more";
    Finding::Spoils(match sets {
        // Where both versions are mounted, the limits are those of version 1.
        Some(level) if cgroup.version.value().is_some_and(|v| v != "v2") => run(
            what,
            harm,
            format!("echo -1 | sudo tee {}/cpu.cfs_quota_us", level.path),
        ),
        Some(level) => run(
            what,
            harm,
            format!("echo max | sudo tee {}/cpu.max", level.path),
        ),
        None => advise(
            what,
            harm,
            "start the container or service without a CPU quota",
        ),
    })
}

fn cpus(seen: &Seen) -> Finding {
    let cpus = &seen.state.cpus;
    let (usable, online) = match (&cpus.usable, &cpus.online) {
        (Known::Is(usable), Known::Is(online)) => (usable.len(), online.len()),
        (Known::Is(_), other) | (other, _) => return unknown(other),
    };
    let what = format!("{usable} of {online} CPUs may be used");
    if usable == online {
        return good(what);
    }
    let harm =
        "points over several CPUs are measured on these alone, and some placements are missing";
    Finding::Limits(match cpus.affinity.value().map(|set| set.len()) {
        Some(allowed) if allowed < online => {
            let all = cpus
                .online
                .value()
                .map_or(String::new(), ToString::to_string);
            run(what, harm, format!("taskset -c {all} whyslow run"))
        }
        _ => advise(what, harm, "start whyslow in a control group with all CPUs"),
    })
}

/// The largest working set of the latency curve.
const LARGEST: u64 = 256 << 20;

fn memory(seen: &Seen) -> Finding {
    let now = &seen.state.now;
    let budget = match &now.memory_budget_bytes {
        Known::Is(bytes) => *bytes,
        other => return unknown(other),
    };
    let by = now
        .memory_budget_by
        .value()
        .map_or("what is free", String::as_str);
    let what = format!("a run may use {} ({by})", bytes(budget));
    // What lies beyond the caches must be several times as large as the largest of them.
    let caches = seen
        .host
        .caches
        .value()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let largest = caches.iter().filter_map(|c| c.size_bytes.value()).max();
    let wanted = LARGEST.max(largest.map_or(0, |bytes| 4 * bytes));
    if budget >= wanted {
        return good(what);
    }
    Finding::Limits(advise(
        format!("{what}, and the largest working set is {}", bytes(wanted)),
        "points of memory are measured in smaller sets, which caches may partly hold",
        "free memory, or raise the memory limit of the control group",
    ))
}
