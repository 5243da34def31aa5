//! What a process observes of its environment, to check that a condition took effect.
#![allow(unsafe_code)]

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};
use whyslow_host::{CpuUse, HostRoot, system_program};
use whyslow_linux::cgroup::{Groups, Hierarchy};
use whyslow_linux::smaps::anonymous_huge;
use whyslow_model::experiment::{Sensed, Tried};

use crate::beside::spin_share;

/// Spin time: two and a half quota periods, so that an exhausted quota is visible.
const SPIN: Duration = Duration::from_millis(250);

/// Bytes requested as huge pages: four, so that the middle part is aligned.
const HUGE: usize = 8 << 20;

/// Observes the environment.
pub fn sense() -> Sensed {
    let root = HostRoot::live();
    let throttled_before = throttled();
    let (usage, waited_before) = (CpuUse::take(&root), waited_ns());
    let cpu_share = spin_share(SPIN);
    let waited = waited_ns().zip(waited_before);
    let throttled = throttled().zip(throttled_before);
    let others = CpuUse::take(&root).since(&usage);
    let files = fs::read_dir("/proc/self/fd").ok();
    let slack = rustix::thread::current_timer_slack().ok();
    let here = env::current_dir().unwrap_or_else(|_| "/".into());
    Sensed {
        state: root.state(&here, &env::temp_dir()),
        tried: Tried {
            cpu_share: Some(cpu_share),
            crowded: None,
            huge_bytes: huge_bytes(),
            libraries: libraries(),
            open_files: files.map(|all| all.count() as f64),
            others_cpus: others.others_cpu_s.value().map(|s| s / others.wall_s),
            slack_ns: slack.map(|ns| ns as f64),
            throttled: throttled.map(|(after, before)| after - before),
            waited_share: waited.map(|(after, before)| (after - before) / SPIN.as_nanos() as f64),
        },
    }
}

/// Run-queue delay of this process, ns.
fn waited_ns() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/schedstat").ok()?;
    text.split_whitespace().nth(1)?.parse().ok()
}

/// How often this process's group was throttled, in all control group versions that report it.
fn throttled() -> Option<f64> {
    let groups = Groups::own().ok()?;
    let hierarchies = [Hierarchy::Controller("cpu"), Hierarchy::Unified];
    hierarchies.into_iter().find_map(|hierarchy| {
        let folders = groups.folders(hierarchy).ok()?;
        let stat = fs::read_to_string(format!("{}/cpu.stat", folders.first()?)).ok()?;
        let times = stat.lines().find_map(|l| l.strip_prefix("nr_throttled "))?;
        times.trim().parse().ok()
    })
}

/// Bytes of a new mapping backed by huge pages, when requested.
fn huge_bytes() -> Option<f64> {
    let before = anonymous_huge()? as f64;
    // SAFETY: a new mapping at an address chosen by the kernel.
    let map = unsafe {
        mmap_anonymous(
            std::ptr::null_mut(),
            HUGE,
            ProtFlags::READ | ProtFlags::WRITE,
            MapFlags::PRIVATE,
        )
    }
    .ok()?;
    // SAFETY: the range is the mapping made above.
    let advised = unsafe { madvise(map, HUGE, Advice::LinuxHugepage) };
    // SAFETY: all of the mapping is ours, readable and writable.
    unsafe { map.cast::<u8>().write_bytes(1, HUGE) };
    let after = anonymous_huge();
    // SAFETY: nothing refers to the mapping anymore. If this fails, it is freed with the process.
    let _ = unsafe { munmap(map, HUGE) };
    advised.ok()?;
    Some(after? as f64 - before)
}

/// Libraries mapped by a dynamic program on this host.
fn libraries() -> Option<f64> {
    let cat = Command::new(system_program("cat"))
        .arg("/proc/self/maps")
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let maps = String::from_utf8_lossy(&cat.stdout).into_owned();
    let paths: BTreeSet<&str> = maps
        .lines()
        .filter_map(|line| line.split_whitespace().nth(5))
        .filter(|path| path.contains(".so"))
        .collect();
    Some(paths.len() as f64)
}
