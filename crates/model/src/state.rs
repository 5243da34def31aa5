//! The state of a host: what can change on it without buying anything.
//!
//! A fact that could not be read is [`Known::Unknown`] with its reason. Sizes
//! are in bytes. [`diff`] compares two states.

mod change;
mod kernel;
mod process;

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::host::{CpuSet, Known};

pub use change::{Change, diff, diff_hosts};
pub use kernel::*;
pub use process::*;

/// The known state of a host, as one process sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct State {
    /// The kernel itself.
    pub kernel: Kernel,
    /// Hardware vulnerabilities and the kernel's mitigation of each, by the kernel's name.
    pub mitigations: Known<BTreeMap<String, String>>,
    /// Frequency and idle states of the CPUs.
    pub frequency: Frequency,
    /// Memory allocation.
    pub memory: MemoryState,
    /// Clock sources.
    pub clocksource: Clocksource,
    /// The scheduler and the timer tick.
    pub scheduler: Scheduler,
    /// Which CPUs this process may use.
    pub cpus: CpuState,
    /// Limits by control groups.
    pub cgroup: Cgroup,
    /// Permissions of this process.
    pub security: Security,
    /// What this process has inherited beside limits and rights; absent in records of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<Inherited>,
    /// Resource limits by name, as in `/proc/self/limits`.
    pub rlimits: Known<BTreeMap<String, Rlimit>>,
    /// The file systems in use.
    pub mounts: Mounts,
    /// The C library that programs on this host use.
    pub libc: Libc,
    /// Language settings and the size of the environment.
    pub environment: Environment,
    /// What changes constantly; [`diff`] leaves it out.
    pub now: Now,
}

/// What changes constantly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Now {
    /// How much memory a run may use, bytes: the least of a quarter of what the
    /// control groups allow, a quarter of `MemAvailable`, half of what the
    /// control groups have left, and a quarter of `RLIMIT_AS` and `RLIMIT_DATA`.
    pub memory_budget_bytes: Known<u64>,
    /// Which of these set the budget.
    pub memory_budget_by: Known<String>,
    /// Memory available without swapping (`MemAvailable`), bytes.
    pub memory_available_bytes: Known<u64>,
    /// Swap in use, bytes.
    pub swap_used_bytes: Known<u64>,
    /// Load averages over 1, 5 and 15 minutes, in tasks.
    pub load: Known<[f64; 3]>,
    /// Tasks runnable now.
    pub runnable_tasks: Known<u32>,
    /// Time since boot, s.
    pub uptime_s: Known<f64>,
    /// Share of all CPU time since boot stolen by the hypervisor, 0 to 1.
    pub steal_share_since_boot: Known<f64>,
}

/// Which CPUs this process may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CpuState {
    /// CPUs that are allowed and online. A CPU quota is a separate fact, in
    /// [`Cgroup`].
    pub usable: Known<CpuSet>,
    /// The affinity mask of this process.
    pub affinity: Known<CpuSet>,
    /// CPUs that are online.
    pub online: Known<CpuSet>,
    /// CPUs isolated from the scheduler (`isolcpus`).
    pub isolated: Known<CpuSet>,
    /// CPUs without a tick while they run one task (`nohz_full`).
    pub nohz_full: Known<CpuSet>,
    /// The kernel's SMT switch: `on`, `off`, `forceoff`, `notsupported`, ...
    pub smt_control: Known<String>,
    /// Default interrupt affinity, as the kernel's mask.
    pub irq_affinity: Known<String>,
}

/// CPU usage by process between two snapshots, from the kernel's tick accounting: accurate to about
/// one tick (usually 10 ms or 4 ms) per CPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Neighbours {
    /// Time between the snapshots, s.
    pub wall_s: f64,
    /// CPU time of the whole host by use.
    pub host: Known<HostCpuTime>,
    /// CPU time of this process and its descendants, including exited children, s.
    pub ours_cpu_s: Known<f64>,
    /// Busy time of the host less our own, s; 0 if the accounting attributes more to us than the
    /// host was busy.
    pub others_cpu_s: Known<f64>,
    /// The other processes with the highest usage, at most three, in descending order. Those that
    /// started and exited between the snapshots count for their parent.
    pub top: Known<Vec<Neighbour>>,
}

/// CPU time of the whole host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HostCpuTime {
    /// Total CPU time over all online CPUs, s.
    pub total_s: f64,
    /// Share of it in which a CPU ran something, 0 to 1.
    pub busy: f64,
    /// Share of it stolen by the hypervisor while a task was runnable, 0 to 1. A hypervisor that
    /// does not report this looks like one that never steals.
    pub steal: f64,
    /// Share of it in which a CPU was idle, including I/O wait, 0 to 1.
    pub idle: f64,
}

/// Another process that used CPU time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Neighbour {
    /// Its short name (`comm`).
    pub comm: String,
    /// Its process id.
    pub pid: u32,
    /// CPU time of it and its exited children, s.
    pub cpu_s: f64,
}
