//! Other load on this host, and steal by the hypervisor.

use whyslow_model::doctor::Finding;
use whyslow_model::host::Known;

use super::{Checker, Seen, advise, good, percent, run, unknown};

pub(super) const CHECKS: &[Checker] = &[
    ("other processes", others),
    ("steal", steal),
    ("runnable tasks", runnable),
];

/// Other load that matters, in CPUs: 2 % of a CPU equals the margin of a point.
const BUSY: f64 = 0.02;

fn others(seen: &Seen) -> Finding {
    let used = match &seen.neighbours.others_cpu_s {
        Known::Is(seconds) => seconds / seen.neighbours.wall_s.max(1e-9),
        other => return unknown(other),
    };
    let top = seen
        .neighbours
        .top
        .value()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let named: Vec<String> = top
        .iter()
        .filter(|n| n.cpu_s > 0.0)
        .map(|n| format!("{} ({})", n.comm, n.pid))
        .collect();
    let what = format!("other processes use {used:.2} CPUs");
    if used < BUSY {
        return good(what);
    }
    let harm = "they use CPU time, caches and memory bandwidth, unevenly over the run";
    Finding::Spoils(match top.iter().find(|n| n.cpu_s > 0.0) {
        // Stopped, not killed: that can be taken back with -CONT.
        Some(first) => run(
            format!("{what}, most of it {}", named.join(", ")),
            harm,
            format!(
                "kill -STOP {0}   # and when it is done: kill -CONT {0}",
                first.pid
            ),
        ),
        None => advise(
            what,
            harm,
            "wait until the host is idle, or stop what runs on it",
        ),
    })
}

/// Share of CPU time stolen by the hypervisor that is visible in single batches.
const TAKEN: f64 = 0.002;

fn steal(seen: &Seen) -> Finding {
    let now = match &seen.neighbours.host {
        Known::Is(host) => host.steal,
        other => return unknown(other),
    };
    let since = seen.state.now.steal_share_since_boot.value().copied();
    let what = match since {
        Some(boot) => format!(
            "stolen by the hypervisor: {} now, {} since boot",
            percent(now),
            percent(boot)
        ),
        None => format!("stolen by the hypervisor: {}", percent(now)),
    };
    if now < TAKEN && since.unwrap_or(0.0) < TAKEN {
        return good(what);
    }
    Finding::Spoils(advise(
        what,
        "batches with stolen CPU time are marked and left out, but caches are shared too",
        "ask for a guest with CPUs of its own, or measure when its neighbors are idle",
    ))
}

fn runnable(seen: &Seen) -> Finding {
    let tasks = match &seen.state.now.runnable_tasks {
        Known::Is(tasks) => *tasks,
        other => return unknown(other),
    };
    let load = match &seen.state.now.load {
        Known::Is([one, ..]) => format!(", load {one:.2} over the last minute"),
        Known::Unknown(_) => String::new(),
    };
    let cpus = seen.state.cpus.online.value().map_or(1, |set| set.len());
    // This process is one of them.
    let what = format!("{} other tasks could run{load}", tasks.saturating_sub(1));
    if (tasks as usize) <= cpus {
        return good(what);
    }
    Finding::Spoils(advise(
        format!("{what}, on {cpus} CPUs"),
        "workers have run-queue delay; it is marked within a batch, but rounds take longer",
        "wait until the host is idle, or stop what runs on it",
    ))
}
