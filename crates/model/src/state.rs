//! The state of a host: what can change on it without buying anything.
//!
//! A fact that could not be read is [`Known::Unknown`] with its reason. Sizes
//! are in bytes. [`diff`] compares two states.

mod change;
mod kernel;
mod process;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::host::{CpuSet, Known};

pub use change::{Change, diff, diff_hosts};
pub use kernel::*;
pub use process::*;

/// Everything that is known about the state of a host, as one process sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct State {
    /// The kernel itself.
    pub kernel: Kernel,
    /// Hardware bugs and what the kernel does about each, by the kernel's name.
    pub mitigations: Known<BTreeMap<String, String>>,
    /// Clock speed and sleep of the CPUs.
    pub frequency: Frequency,
    /// How memory is handed out.
    pub memory: MemoryState,
    /// Where the time comes from.
    pub clocksource: Clocksource,
    /// The scheduler and the timer tick.
    pub scheduler: Scheduler,
    /// Which CPUs this process may use.
    pub cpus: CpuState,
    /// Limits by control groups.
    pub cgroup: Cgroup,
    /// What the kernel lets this process do.
    pub security: Security,
    /// Resource limits by name, as in `/proc/self/limits`.
    pub rlimits: Known<BTreeMap<String, Rlimit>>,
    /// The file systems that the work touches.
    pub mounts: Mounts,
    /// The C library that programs on this host use.
    pub libc: Libc,
    /// Language settings and the size of the environment.
    pub environment: Environment,
    /// What is different at every look; [`diff`] leaves it out.
    pub now: Now,
}

/// What is different at every look.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Now {
    /// How much memory a run may use, bytes: the least of a quarter of what the
    /// control groups allow, a quarter of `MemAvailable`, half of what the
    /// control groups have left, and a quarter of `RLIMIT_AS` and `RLIMIT_DATA`.
    pub memory_budget_bytes: Known<u64>,
    /// Which of these set the budget.
    pub memory_budget_by: Known<String>,
    /// What could be had without swapping (`MemAvailable`), bytes.
    pub memory_available_bytes: Known<u64>,
    /// Swap in use, bytes.
    pub swap_used_bytes: Known<u64>,
    /// Load averages over 1, 5 and 15 minutes, in tasks.
    pub load: Known<[f64; 3]>,
    /// Tasks that could run at this moment.
    pub runnable_tasks: Known<u32>,
    /// Time since boot, s.
    pub uptime_s: Known<f64>,
    /// Share of all CPU time since boot that the hypervisor took, 0 to 1.
    pub steal_share_since_boot: Known<f64>,
}

/// Which CPUs this process may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CpuState {
    /// CPUs that are allowed and online. A CPU quota is a separate fact, in
    /// [`Cgroup`].
    pub usable: Known<CpuSet>,
    /// The affinity mask of this process.
    pub affinity: Known<CpuSet>,
    /// CPUs that are online.
    pub online: Known<CpuSet>,
    /// CPUs that the scheduler leaves alone (`isolcpus`).
    pub isolated: Known<CpuSet>,
    /// CPUs without a tick while they run one task (`nohz_full`).
    pub nohz_full: Known<CpuSet>,
    /// The kernel's SMT switch: `on`, `off`, `forceoff`, `notsupported`, ...
    pub smt_control: Known<String>,
    /// CPUs that interrupts go to unless told otherwise, as the kernel's mask.
    pub irq_affinity: Known<String>,
}

/// Who used the CPUs between two looks, from the kernel's tick accounting:
/// exact to about one tick (usually 10 ms or 4 ms) a CPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Neighbours {
    /// Time between the looks, s.
    pub wall_s: f64,
    /// CPU time of the whole host by what it went to.
    pub host: Known<HostCpuTime>,
    /// CPU time of this process and all that came from it, ended children
    /// included, s.
    pub ours_cpu_s: Known<f64>,
    /// Busy time of the host less ours, s; 0 where the accounting gives us more
    /// than the host was busy.
    pub others_cpu_s: Known<f64>,
    /// The other processes that used most, at most three, most first. Those
    /// that came and went between the looks count for their parent.
    pub top: Known<Vec<Neighbour>>,
}

/// CPU time of the whole host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostCpuTime {
    /// CPU time that passed over all online CPUs, s.
    pub total_s: f64,
    /// Share of it in which a CPU ran something, 0 to 1.
    pub busy: f64,
    /// Share of it that the hypervisor took while something wanted to run, 0 to 1.
    /// A hypervisor that does not report this looks like one that never takes any.
    pub steal: f64,
    /// Share of it in which a CPU had nothing to do, waiting for a device
    /// included, 0 to 1.
    pub idle: f64,
}

/// Another process that used CPU time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Neighbour {
    /// Its short name (`comm`).
    pub comm: String,
    /// Its process number.
    pub pid: u32,
    /// CPU time that it and its ended children used, s.
    pub cpu_s: f64,
}
