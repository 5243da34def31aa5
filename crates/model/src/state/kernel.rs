//! State that holds for the whole host: the kernel and its settings.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::host::Known;

/// The kernel itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Kernel {
    /// `uname -r`.
    pub release: Known<String>,
    /// `uname -v`: build number, preemption words, build date.
    pub version: Known<String>,
    /// The compiler that built it, from `/proc/version`.
    pub compiler: Known<String>,
    /// The command line it was booted with.
    pub command_line: Known<String>,
    /// Its configuration.
    pub config: Known<KernelConfig>,
    /// The taint mask as a number; 0 is clean.
    pub tainted: Known<u64>,
}

/// The performance-relevant configuration of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct KernelConfig {
    /// The source file.
    pub source: String,
    /// BLAKE3 of the whole file, 32 hexadecimal digits.
    pub hash: String,
    /// The performance-relevant options, without `CONFIG_`. Options that are not set are missing.
    pub options: BTreeMap<String, String>,
}

/// Frequency and idle states of the CPUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Frequency {
    /// One entry for each different setting.
    pub policies: Known<Vec<FrequencyPolicy>>,
    /// Whether the CPUs may go above their base clock.
    pub boost: Known<bool>,
    /// `intel_pstate` or `amd_pstate`: `active`, `passive`, `guided`, `off`.
    pub pstate_status: Known<String>,
    /// The idle driver.
    pub idle_driver: Known<String>,
    /// The idle governor.
    pub idle_governor: Known<String>,
    /// The idle states of the first CPU.
    pub idle_states: Known<Vec<IdleState>>,
}

/// The frequency policy of some CPUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FrequencyPolicy {
    /// The CPUs.
    pub cpus: crate::host::CpuSet,
    /// The driver.
    pub driver: Known<String>,
    /// The governor.
    pub governor: Known<String>,
    /// Lowest frequency allowed, kHz.
    pub min_khz: Known<u64>,
    /// Highest frequency allowed, kHz.
    pub max_khz: Known<u64>,
    /// The energy-performance preference.
    pub energy_preference: Known<String>,
}

/// An idle state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct IdleState {
    /// Its name.
    pub name: String,
    /// Exit latency reported by the firmware, µs.
    pub exit_latency_us: Known<u64>,
    /// Whether it is disabled.
    pub disabled: Known<bool>,
}

/// Memory allocation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct MemoryState {
    /// Transparent huge pages.
    pub thp: Thp,
    /// The pools of huge pages by size, smallest first.
    pub hugetlb: Known<Vec<HugetlbPool>>,
    /// Merging of identical pages (KSM).
    pub ksm: Ksm,
    /// Automatic NUMA balancing: 0 off, 1 on, 2 tiering, 3 both.
    pub numa_balancing: Known<u32>,
    /// Swap areas.
    pub swap: Known<Vec<SwapArea>>,
    /// Whether zswap compresses swap in memory.
    pub zswap: Known<bool>,
    /// Swappiness, 0 to 200.
    pub swappiness: Known<u32>,
    /// Address space randomization: 0 off, 1 without the heap, 2 full.
    pub aslr: Known<u32>,
    /// Overcommit: 0 heuristic, 1 always, 2 strict.
    pub overcommit: Known<u32>,
    /// Reclaim on the own node before another node is used.
    pub zone_reclaim: Known<u32>,
    /// Multi-generational LRU, the kernel's bit mask.
    pub lru_gen: Known<String>,
    /// Whether a virtio balloon reports free memory to the host, which takes it back (free page reporting). Older records do
    /// not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_reporting: Option<Known<bool>>,
}

/// Transparent huge pages. Each setting is the selected word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Thp {
    /// `always`, `madvise` or `never`.
    pub enabled: Known<String>,
    /// What a fault does when no huge page is free.
    pub defrag: Known<String>,
    /// The same for shared memory.
    pub shmem: Known<String>,
    /// Whether khugepaged may compact memory for huge pages: 1 or 0.
    pub khugepaged_defrag: Known<u32>,
    /// Pages that khugepaged scans per pass.
    pub khugepaged_pages_to_scan: Known<u64>,
    /// Its sleep between passes, ms.
    pub khugepaged_scan_sleep_ms: Known<u64>,
    /// Empty base pages allowed in a collapsed huge page.
    pub khugepaged_max_ptes_none: Known<u64>,
    /// The settings of sizes between base and huge page that are not `never`, by size in KiB.
    /// Unknown before kernel 6.8.
    pub sizes: Known<BTreeMap<String, String>>,
}

/// A pool of huge pages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HugetlbPool {
    /// Size of a page, bytes.
    pub page_bytes: u64,
    /// Pages in the pool.
    pub pages: Known<u64>,
    /// Of these, free.
    pub free: Known<u64>,
    /// Pages that may be added on demand.
    pub overcommit: Known<u64>,
}

/// Merging of identical pages (KSM).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Ksm {
    /// 0 stopped, 1 running, 2 stopped and unmerged.
    pub run: Known<u32>,
    /// Pages scanned per pass.
    pub pages_to_scan: Known<u64>,
    /// Sleep between passes, ms.
    pub sleep_ms: Known<u64>,
    /// Whether pages of different nodes are merged: 1 or 0.
    pub merge_across_nodes: Known<u32>,
}

/// A swap area.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SwapArea {
    /// Device or file.
    pub path: String,
    /// `partition` or `file`.
    pub backing: String,
    /// Its size, bytes.
    pub size_bytes: u64,
    /// Its priority.
    pub priority: i32,
}

/// Clock sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Clocksource {
    /// The current one.
    pub current: Known<String>,
    /// All available ones, best first.
    pub available: Known<Vec<String>>,
}

/// The scheduler and the timer tick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Scheduler {
    /// Timer ticks a second (`CONFIG_HZ`).
    pub hz: Known<u32>,
    /// Preemption model: `none`, `voluntary`, `full`, `lazy` or `rt`; only if the kernel reports
    /// the effective one.
    pub preemption: Known<String>,
    /// The features, as debugfs gives them.
    pub features: Known<String>,
    /// Slices and costs from debugfs, and `/proc/sys/kernel/sched_*`.
    pub settings: Known<BTreeMap<String, String>>,
    /// A loaded BPF scheduler, or the kernel's word for none.
    pub sched_ext: Known<String>,
    /// Whether timers may move to a busy CPU: 1 or 0.
    pub timer_migration: Known<u32>,
    /// The hard lockup watchdog, which uses a hardware counter: 1 or 0.
    pub nmi_watchdog: Known<u32>,
    /// Policy of this process: `other`, `fifo`, `rr`, `batch`, `idle`, `deadline`, `ext`.
    pub policy: Known<String>,
    /// Nice value of this process, -20 to 19.
    pub nice: Known<i32>,
}
