//! State that holds for this process: limits, rights, files, library, language.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::host::{CpuSet, Known, Limit};

/// Limits by control groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Cgroup {
    /// `v2`, `v1`, `hybrid` (both are mounted) or `none`.
    pub version: Known<String>,
    /// Every group from the own one up to the highest visible one, own group first; with version 1,
    /// by controller.
    pub levels: Known<Vec<CgroupLevel>>,
    /// CPU quota, in CPUs: the minimum over the levels.
    pub cpu_quota: Known<Limit<f64>>,
    /// CPUs allowed by the groups.
    pub cpuset: Known<CpuSet>,
    /// Memory nodes allowed by the groups.
    pub memory_nodes: Known<CpuSet>,
    /// Memory, bytes: the minimum over the levels of `max` and `high`.
    pub memory_bytes: Known<Limit<u64>>,
}

/// One control group. A limit that this group lacks is left out; one that could not be read has its
/// reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CgroupLevel {
    /// The group's directory, from the root of the file system.
    pub path: String,
    /// CPU time per period over the period, in CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_quota: Option<Known<Limit<f64>>>,
    /// The period of the quota, µs: the longest wait of a throttled group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_period_us: Option<Known<u64>>,
    /// Weight against its siblings: `cpu.weight` (100 is usual) or `cpu.shares` (1024 is usual).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_weight: Option<Known<u64>>,
    /// CPUs that are allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpuset: Option<Known<CpuSet>>,
    /// Memory nodes that are allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_nodes: Option<Known<CpuSet>>,
    /// Memory above which the group is killed, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_max: Option<Known<Limit<u64>>>,
    /// Memory above which the group is throttled, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_high: Option<Known<Limit<u64>>>,
    /// Swap that the group may use, bytes; with version 1, memory and swap together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swap_max: Option<Known<Limit<u64>>>,
    /// Processes and threads that are allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pids_max: Option<Known<Limit<u64>>>,
}

/// Permissions of this process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Security {
    /// `off`, `strict` or `filter`.
    pub seccomp: Known<String>,
    /// Filters applied to every system call.
    pub seccomp_filters: Known<u32>,
    /// Whether this process cannot gain privileges by exec.
    pub no_new_privs: Known<bool>,
    /// The security modules in use.
    pub lsm: Known<Vec<String>>,
    /// The module's label of this process.
    pub label: Known<String>,
    /// Effective capabilities by name; `all` alone where none is missing.
    pub capabilities: Known<Vec<String>>,
    /// Effective user id.
    pub user: Known<u32>,
    /// State of the speculative store bypass for this process.
    pub store_bypass: Known<String>,
    /// State of indirect branch speculation for this process.
    pub indirect_branch: Known<String>,
    /// Access to perf events: -1 unrestricted to 4 disabled.
    pub perf_event_paranoid: Known<i32>,
    /// Whether unprivileged processes may use userfaultfd: 1 or 0.
    pub unprivileged_userfaultfd: Known<u32>,
    /// The process that traces this one, which may slow its system calls; 0 for none.
    pub tracer_pid: Known<u32>,
}

/// What a process inherits from the one that started it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Inherited {
    /// How late its timers may be, ns: 50,000 is usual.
    pub timer_slack_ns: Known<u64>,
    /// Flags of its execution domain, as the kernel's hexadecimal number: without address randomization, for example.
    pub personality: Known<String>,
    /// Whether it may have transparent huge pages; false where a process above it gave them up for all below (prctl).
    /// Absent in records of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub huge_pages: Option<Known<bool>>,
    /// Slots of its table of open files, which every fork copies: a power of two that follows from the files that it was
    /// started with and 256 of its own. Absent in records of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_file_slots: Option<Known<u64>>,
}

/// A resource limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Rlimit {
    /// The soft limit.
    pub soft: Limit<u64>,
    /// The hard limit.
    pub hard: Limit<u64>,
}

/// The file systems in use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Mounts {
    /// Of the working directory.
    pub work: Known<Mount>,
    /// Of the temporary directory.
    pub temporary: Known<Mount>,
}

/// A mounted file system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Mount {
    /// Where it is mounted.
    pub at: String,
    /// Its type, such as `ext4`, `tmpfs`, `overlay`.
    pub fs: String,
    /// Its device or source.
    pub source: String,
    /// Options of the mount, then those of the file system, sorted, each once.
    pub options: Vec<String>,
}

/// The C library that programs on this host use (not the one in this tool).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Libc {
    /// The dynamic loader of the host's programs.
    pub loader: Known<String>,
    /// The first line of the loader's version output.
    pub version: Known<String>,
    /// Tunables of the loader and their effective values, as printed by it.
    pub tunables: Known<BTreeMap<String, String>>,
    /// Cache sizes assumed by the library (`getconf`), by its names; blank or 0 values are left
    /// out.
    pub caches: Known<BTreeMap<String, u64>>,
    /// What the memory routines of programs go by, as the loader prints it (GNU, x86): thresholds and cache sizes in
    /// use, bytes, by its names; `usable.` and `preferred.` choices as 0 or 1. Absent in records of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub routines: Option<Known<BTreeMap<String, u64>>>,
    /// How this tool itself was linked, such as `gnu dynamic` or `gnu static`.
    pub own: String,
}

/// Language settings and the size of the environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Environment {
    /// `LANG`, `LANGUAGE` and `LC_*` as far as set.
    pub locale: BTreeMap<String, String>,
    /// Variables that control the loader or the allocator, as far as set, such as `GLIBC_TUNABLES`
    /// and `LD_PRELOAD`.
    pub steering: BTreeMap<String, String>,
    /// Libraries that the host puts in front of every dynamic program (`/etc/ld.so.preload`); absent if there is no
    /// such file, and in records of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preload_file: Option<String>,
    /// Variables.
    pub count: u64,
    /// Their size on the stack of a new process in bytes, including terminators, excluding
    /// pointers.
    pub bytes: u64,
}
