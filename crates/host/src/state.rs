//! How the host is set, one file a subject.

mod cgroup;
mod environment;
mod frequency;
mod kernel;
mod libc;
mod memory;
mod now;
mod process;
mod scheduler;

use std::path::Path;

use whyslow_linux::mounts::{holding, mounts};
use whyslow_model::host::{CpuSet, Known};
use whyslow_model::state::{Clocksource, CpuState, Mount, Mounts, State};

use crate::parse::host_ticks;
use crate::root::HostRoot;

impl HostRoot {
    /// Everything that is known about the state of the host, as this process
    /// sees it. `work` and `temporary` are the folders whose file systems
    /// matter. Takes some milliseconds; the first call on a live host also runs
    /// the host's loader, `getconf` and perhaps `gzip`, some 20 ms together.
    pub fn state(&self, work: &Path, temporary: &Path) -> State {
        let kernel = kernel::kernel(self);
        let cgroup = cgroup::cgroup(self);
        State {
            mitigations: kernel::mitigations(self),
            frequency: frequency::frequency(self),
            memory: memory::memory(self),
            clocksource: clocksource(self),
            scheduler: scheduler::scheduler(self, &kernel),
            cpus: cpus(self),
            security: process::security(self),
            process: Some(process::inherited(self)),
            rlimits: process::rlimits(self),
            mounts: Mounts {
                work: mount(self, work),
                temporary: mount(self, temporary),
            },
            libc: libc::libc(self),
            environment: environment::environment(self),
            now: now::now(self, &cgroup),
            kernel,
            cgroup: cgroup.limits,
        }
    }

    /// The mount that `folder` lies on.
    pub fn mount_of(&self, folder: &Path) -> Known<Mount> {
        mount(self, folder)
    }
}

fn clocksource(root: &HostRoot) -> Clocksource {
    let folder = "/sys/devices/system/clocksource/clocksource0";
    Clocksource {
        current: root.line(&format!("{folder}/current_clocksource")),
        available: root
            .line(&format!("{folder}/available_clocksource"))
            .map(|text| text.split_whitespace().map(str::to_owned).collect()),
    }
}

fn cpus(root: &HostRoot) -> CpuState {
    let system = |name: &str| format!("/sys/devices/system/cpu/{name}");
    let affinity = process::status(root)
        .value::<CpuSet>("Cpus_allowed_list")
        .or_else(|| root.calls().affinity.clone());
    let online = root.cpus(&system("online")).or_else(|| {
        root.text("/proc/stat").and_then(|text| {
            host_ticks(&text).map_or_else(
                || Known::unknown("no CPU in /proc/stat"),
                |host| Known::Is(host.cpus.into_iter().collect()),
            )
        })
    });
    CpuState {
        // A CPU of the mask may be offline, so that the mask alone is only the
        // answer where nothing tells which CPUs are online.
        usable: match (&affinity, &online) {
            (Known::Is(affinity), Known::Is(online)) => Known::Is(affinity.intersection(online)),
            _ => affinity.clone(),
        },
        affinity,
        online,
        isolated: root.cpus(&system("isolated")),
        nohz_full: root.cpus(&system("nohz_full")),
        smt_control: root.line(&system("smt/control")),
        irq_affinity: root.line("/proc/irq/default_smp_affinity"),
    }
}

fn mount(root: &HostRoot, folder: &Path) -> Known<Mount> {
    let path = match root.canonical(folder) {
        Ok(path) => path,
        Err(why) => return Known::unknown(why),
    };
    root.text("/proc/self/mountinfo").and_then(|text| {
        let mounts = mounts(&text);
        holding(&mounts, &path).map_or_else(
            || Known::unknown(format!("no mount holds {path}")),
            |mount| {
                let mut options: Vec<String> = mount
                    .options
                    .split(',')
                    .chain(mount.super_options.split(','))
                    .filter(|option| !option.is_empty())
                    .map(str::to_owned)
                    .collect();
                options.sort_unstable();
                options.dedup();
                Known::Is(Mount {
                    at: mount.at.clone(),
                    fs: mount.fs.clone(),
                    source: mount.source.clone(),
                    options,
                })
            },
        )
    })
}
