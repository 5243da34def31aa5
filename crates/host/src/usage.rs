//! CPU usage by process between two snapshots.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Instant;

use whyslow_model::host::Known;
use whyslow_model::state::{HostCpuTime, Neighbour, Neighbours};

use crate::parse::{CpuTicks, ProcessTicks, host_ticks, process_ticks};
use crate::root::HostRoot;

/// How many other processes are named.
const NAMED: usize = 3;

/// A snapshot of the CPU time of the host and of every visible process.
#[derive(Clone, Debug)]
pub struct CpuUse {
    at: Instant,
    host: Known<CpuTicks>,
    processes: Known<BTreeMap<u32, ProcessTicks>>,
    ticks_per_s: Known<u64>,
    own_pid: u32,
}

impl CpuUse {
    /// Takes a snapshot. Reads one small file per process.
    pub fn take(root: &HostRoot) -> Self {
        let path = "/proc/stat";
        Self {
            at: Instant::now(),
            host: root.text(path).and_then(|text| {
                host_ticks(&text).map_or_else(
                    || Known::unknown(crate::root::not_understood(path, &text)),
                    |host| Known::Is(host.all),
                )
            }),
            processes: processes(root),
            ticks_per_s: root.calls().ticks_per_s.clone(),
            own_pid: root.calls().pid,
        }
    }

    /// Usage since an earlier snapshot.
    pub fn since(&self, start: &Self) -> Neighbours {
        let wall_s = self.at.saturating_duration_since(start.at).as_secs_f64();
        let seconds = self.ticks_per_s.as_ref().and_then(|&rate| match rate {
            0 => Known::unknown("the kernel gives no tick rate"),
            rate => Known::Is(move |ticks: u64| ticks as f64 / rate as f64),
        });
        let ticks = self.host.as_ref().and_then(|now| {
            start.host.as_ref().map(|before| CpuTicks {
                busy: now.busy.saturating_sub(before.busy),
                // The kernel may take back some idle time.
                idle: now.idle.saturating_sub(before.idle),
                steal: now.steal.saturating_sub(before.steal),
            })
        });
        let used = self
            .processes
            .as_ref()
            .and_then(|now| start.processes.as_ref().map(|before| used(before, now)));
        let ours = used.as_ref().and_then(|used| ours(used, self.own_pid));
        let in_seconds =
            |ticks: Known<u64>| seconds.as_ref().and_then(|seconds| ticks.map(seconds));
        Neighbours {
            wall_s,
            host: ticks
                .as_ref()
                .and_then(|ticks| seconds.as_ref().and_then(|seconds| host(ticks, seconds))),
            ours_cpu_s: in_seconds(ours.clone()),
            others_cpu_s: in_seconds(
                ticks.and_then(|ticks| ours.map(|ours| ticks.busy.saturating_sub(ours))),
            ),
            top: used.and_then(|used| seconds.map(|seconds| top(&used, self.own_pid, seconds))),
        }
    }
}

fn processes(root: &HostRoot) -> Known<BTreeMap<u32, ProcessTicks>> {
    let found = root.numbered("/proc", "").map(|pids| {
        pids.into_iter()
            // A process may exit between listing and reading.
            .filter_map(|pid| {
                let text = root.text(&format!("/proc/{pid}/stat")).into_value()?;
                Some((pid, process_ticks(&text)?))
            })
            .collect::<BTreeMap<_, _>>()
    });
    match found {
        Err(why) => Known::unknown(why),
        Ok(found) if found.is_empty() => Known::unknown("no process in /proc"),
        Ok(found) => Known::Is(found),
    }
}

fn host(ticks: &CpuTicks, seconds: impl Fn(u64) -> f64) -> Known<HostCpuTime> {
    let total = ticks
        .busy
        .saturating_add(ticks.idle)
        .saturating_add(ticks.steal);
    if total == 0 {
        return Known::unknown("less than a tick between the snapshots");
    }
    let share = |part: u64| part as f64 / total as f64;
    Known::Is(HostCpuTime {
        total_s: seconds(total),
        busy: share(ticks.busy),
        steal: share(ticks.steal),
        idle: share(ticks.idle),
    })
}

/// A process and the ticks that it and its exited children used between two snapshots.
struct Used<'a> {
    pid: u32,
    comm: &'a str,
    parent: u32,
    ticks: u64,
}

fn used<'a>(
    before: &BTreeMap<u32, ProcessTicks>,
    now: &'a BTreeMap<u32, ProcessTicks>,
) -> Vec<Used<'a>> {
    let was_there = |pid: &u32, process: &ProcessTicks| {
        before.get(pid).filter(|was| was.start == process.start)
    };
    // A child that ended passed all its time to its parent, also what it had used before the first
    // look; that part is subtracted.
    let mut passed_on: BTreeMap<u32, u64> = BTreeMap::new();
    for (pid, was) in before {
        if now
            .get(pid)
            .is_none_or(|process| process.start != was.start)
        {
            let ticks = passed_on.entry(was.parent).or_default();
            *ticks = ticks.saturating_add(was.own).saturating_add(was.reaped);
        }
    }
    now.iter()
        .map(|(&pid, process)| {
            let (own, reaped) =
                was_there(&pid, process).map_or((0, 0), |was| (was.own, was.reaped));
            let of_children = process
                .reaped
                .saturating_sub(reaped)
                .saturating_sub(passed_on.get(&pid).copied().unwrap_or(0));
            Used {
                pid,
                comm: &process.comm,
                parent: process.parent,
                ticks: process.own.saturating_sub(own).saturating_add(of_children),
            }
        })
        .collect()
}

/// Whether each process is `own` or comes from it.
fn is_ours(used: &[Used<'_>], own: u32) -> impl Fn(u32) -> bool {
    let parents: BTreeMap<u32, u32> = used.iter().map(|one| (one.pid, one.parent)).collect();
    move |pid| {
        // As many steps as processes at most: a damaged tree may hold a ring.
        std::iter::successors(Some(pid), |pid| parents.get(pid).copied())
            .take(parents.len() + 1)
            .any(|pid| pid == own)
    }
}

fn ours(used: &[Used<'_>], own: u32) -> Known<u64> {
    if !used.iter().any(|one| one.pid == own) {
        return Known::unknown("this process is not in /proc");
    }
    let is_ours = is_ours(used, own);
    Known::Is(
        used.iter()
            .filter(|one| is_ours(one.pid))
            .fold(0, |sum, one| sum.saturating_add(one.ticks)),
    )
}

fn top(used: &[Used<'_>], own: u32, seconds: impl Fn(u64) -> f64) -> Vec<Neighbour> {
    let is_ours = is_ours(used, own);
    let mut others: Vec<&Used<'_>> = used
        .iter()
        .filter(|one| one.ticks > 0 && !is_ours(one.pid))
        .collect();
    others.sort_by_key(|one| (Reverse(one.ticks), one.pid));
    others
        .into_iter()
        .take(NAMED)
        .map(|one| Neighbour {
            comm: one.comm.to_owned(),
            pid: one.pid,
            cpu_s: seconds(one.ticks),
        })
        .collect()
}
