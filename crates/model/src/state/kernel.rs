//! State that holds for the whole host: the kernel and its settings.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::host::Known;

/// The kernel itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Kernel {
    /// `uname -r`.
    pub release: Known<String>,
    /// `uname -v`: build number, preemption words, build date.
    pub version: Known<String>,
    /// The compiler that built it, from `/proc/version`.
    pub compiler: Known<String>,
    /// The command line it was booted with.
    pub command_line: Known<String>,
    /// How it was configured.
    pub config: Known<KernelConfig>,
    /// The taint mask as a number; 0 is clean.
    pub tainted: Known<u64>,
}

/// How a kernel was configured, as far as it bears on speed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KernelConfig {
    /// The file it was read from.
    pub source: String,
    /// BLAKE3 of the whole file, 32 hexadecimal digits.
    pub hash: String,
    /// The options that bear on speed, without `CONFIG_`. An option that is
    /// not set is not here.
    pub options: BTreeMap<String, String>,
}

/// Clock speed and sleep of the CPUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Frequency {
    /// One entry for each different setting.
    pub policies: Known<Vec<FrequencyPolicy>>,
    /// Whether the CPUs may go above their base clock.
    pub boost: Known<bool>,
    /// `intel_pstate` or `amd_pstate`: `active`, `passive`, `guided`, `off`.
    pub pstate_status: Known<String>,
    /// The driver that puts CPUs to sleep.
    pub idle_driver: Known<String>,
    /// What chooses the depth of the sleep.
    pub idle_governor: Known<String>,
    /// The sleep states of the first CPU.
    pub idle_states: Known<Vec<IdleState>>,
}

/// How the clock of some CPUs is chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FrequencyPolicy {
    /// The CPUs.
    pub cpus: crate::host::CpuSet,
    /// The driver.
    pub driver: Known<String>,
    /// What chooses the clock.
    pub governor: Known<String>,
    /// Lowest clock allowed by the setting, kHz.
    pub min_khz: Known<u64>,
    /// Highest clock allowed by the setting, kHz.
    pub max_khz: Known<u64>,
    /// The hint between power and speed.
    pub energy_preference: Known<String>,
}

/// A sleep state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IdleState {
    /// Its name.
    pub name: String,
    /// Time to wake up from it as the firmware claims, µs.
    pub exit_latency_us: Known<u64>,
    /// Whether it is switched off.
    pub disabled: Known<bool>,
}

/// How memory is handed out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryState {
    /// Transparent huge pages.
    pub thp: Thp,
    /// The pools of huge pages by size, smallest first.
    pub hugetlb: Known<Vec<HugetlbPool>>,
    /// Merging of equal pages.
    pub ksm: Ksm,
    /// Moving of pages to the node that uses them: 0 off, 1 on, 2 tiering, 3 both.
    pub numa_balancing: Known<u32>,
    /// Swap areas.
    pub swap: Known<Vec<SwapArea>>,
    /// Whether swap is compressed in memory first.
    pub zswap: Known<bool>,
    /// How readily the kernel swaps, 0 to 200.
    pub swappiness: Known<u32>,
    /// Address space randomisation: 0 off, 1 without the heap, 2 full.
    pub aslr: Known<u32>,
    /// 0 guess, 1 always grant, 2 strict.
    pub overcommit: Known<u32>,
    /// Reclaim on the own node before another node is used.
    pub zone_reclaim: Known<u32>,
    /// Multi-generational LRU, the kernel's bit mask.
    pub lru_gen: Known<String>,
}

/// Transparent huge pages. Each setting is the chosen word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Thp {
    /// `always`, `madvise` or `never`.
    pub enabled: Known<String>,
    /// What a fault does when no huge page is free.
    pub defrag: Known<String>,
    /// The same for shared memory.
    pub shmem: Known<String>,
    /// Whether khugepaged may compact to make huge pages: 1 or 0.
    pub khugepaged_defrag: Known<u32>,
    /// Pages that khugepaged looks at in one go.
    pub khugepaged_pages_to_scan: Known<u64>,
    /// Its rest between two goes, ms.
    pub khugepaged_scan_sleep_ms: Known<u64>,
    /// Empty base pages that a huge page may be padded with.
    pub khugepaged_max_ptes_none: Known<u64>,
    /// The settings of sizes between base and huge page that are not `never`,
    /// by size in KiB. Unknown before kernel 6.8.
    pub sizes: Known<BTreeMap<String, String>>,
}

/// A pool of huge pages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

/// Merging of equal pages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ksm {
    /// 0 stopped, 1 running, 2 stopped and unmerged.
    pub run: Known<u32>,
    /// Pages looked at in one go.
    pub pages_to_scan: Known<u64>,
    /// Rest between two goes, ms.
    pub sleep_ms: Known<u64>,
    /// Whether pages of different nodes are merged: 1 or 0.
    pub merge_across_nodes: Known<u32>,
}

/// A swap area.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

/// Where the time comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Clocksource {
    /// The one in use.
    pub current: Known<String>,
    /// All that the kernel could use, best first.
    pub available: Known<Vec<String>>,
}

/// The scheduler and the timer tick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Scheduler {
    /// Timer ticks a second (`CONFIG_HZ`).
    pub hz: Known<u32>,
    /// How the kernel may be interrupted: `none`, `voluntary`, `full`, `lazy`
    /// or `rt`; only where the kernel says which one is in force.
    pub preemption: Known<String>,
    /// The features, as debugfs gives them.
    pub features: Known<String>,
    /// Slices and costs from debugfs, and `/proc/sys/kernel/sched_*`.
    pub settings: Known<BTreeMap<String, String>>,
    /// A loaded BPF scheduler, or the kernel's word for none.
    pub sched_ext: Known<String>,
    /// Whether timers may move to a busy CPU: 1 or 0.
    pub timer_migration: Known<u32>,
    /// The hard lockup watchdog, which takes a counter: 1 or 0.
    pub nmi_watchdog: Known<u32>,
    /// Policy of this process: `other`, `fifo`, `rr`, `batch`, `idle`, `deadline`, `ext`.
    pub policy: Known<String>,
    /// Nice value of this process, -20 to 19.
    pub nice: Known<i32>,
}
