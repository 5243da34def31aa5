//! Facts about a host: what only buying, flashing or rebooting can change.
//!
//! A fact that could not be read is [`Known::Unknown`] with its reason. Sizes
//! are in bytes. What a person can change on a running host is in
//! [`crate::state`].

mod cpu_set;
mod known;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use cpu_set::{BadCpuSet, CpuSet};
pub use known::{Known, Limit, Unknown, Unlimited};

/// Everything that is known about a host as such.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Host {
    /// Which host this is, the same after a reboot.
    pub id: HostId,
    /// Which boot of it: the kernel's random `boot_id`.
    pub boot_id: Known<String>,
    /// The name that the host gives itself (`uname -n`).
    pub name: Known<String>,
    /// The instruction set that the kernel names (`uname -m`), such as `x86_64`.
    pub arch: Known<String>,
    /// Who made the machine, from its firmware tables.
    pub machine: Machine,
    /// What runs below the kernel.
    pub hypervisor: Hypervisor,
    /// The processors.
    pub cpu: Cpu,
    /// How the CPUs lie to each other.
    pub topology: Topology,
    /// Every cache that the host admits to, by level, then kind.
    pub caches: Known<Vec<Cache>>,
    /// Every translation buffer that CPUID admits to.
    pub tlbs: Known<Vec<Tlb>>,
    /// The page sizes.
    pub pages: Pages,
    /// The memory.
    pub memory: Memory,
}

/// A name for the host that survives a reboot and holds no measured number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HostId {
    /// 32 hexadecimal digits: a BLAKE3 hash of the facts named in `basis`.
    pub id: String,
    /// The names of the facts that were readable and went into the hash. Two
    /// ids of different basis say nothing about whether the hosts differ.
    pub basis: Vec<String>,
}

/// What the firmware (DMI, or the device tree) says of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// Who made it.
    pub vendor: Known<String>,
    /// Which product.
    pub product: Known<String>,
    /// Which version of the product.
    pub product_version: Known<String>,
    /// Which board.
    pub board: Known<String>,
    /// Firmware vendor, version and date, in one line.
    pub firmware: Known<String>,
}

/// What runs below the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hypervisor {
    /// True in a guest. Unknown where nothing says so either way.
    pub guest: Known<bool>,
    /// The name that it gives itself, such as `KVM` or `Microsoft Hv`.
    pub name: Known<String>,
    /// What led to this: `CPUID 0x40000000 "KVMKVMKVM"`, `DMI vendor`, ...
    pub evidence: Vec<String>,
    /// The container runtime that the environment or the files name.
    pub container: Known<String>,
}

/// The processors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cpu {
    /// The different kinds of core: one entry on most hosts, several where
    /// cores (or their microcode) differ.
    pub kinds: Known<Vec<CoreKind>>,
    /// The features that every CPU has, as the kernel names them.
    pub features: Known<Vec<String>>,
    /// The hardware bugs that the kernel knows of.
    pub bugs: Known<Vec<String>>,
    /// Bits of a physical address.
    pub physical_address_bits: Known<u32>,
    /// Bits of a virtual address.
    pub virtual_address_bits: Known<u32>,
}

/// A kind of core: all CPUs of one identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CoreKind {
    /// The CPUs of this kind.
    pub cpus: CpuSet,
    /// `GenuineIntel`, `AuthenticAMD`, or on Arm the implementer, `0x41 Arm`.
    pub vendor: Known<String>,
    /// The name for sale; on Arm the core's name, where the part is known.
    pub name: Known<String>,
    /// x86 family; on Arm the architecture version.
    pub family: Known<u32>,
    /// x86 model; on Arm the part number.
    pub model: Known<u32>,
    /// x86 stepping; on Arm the revision, 16 times the variant plus the revision.
    pub stepping: Known<u32>,
    /// The microcode revision, as the kernel writes it. Guests often see a
    /// number that the hypervisor made up.
    pub microcode: Known<String>,
}

/// How the CPUs lie to each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Topology {
    /// Where the CPU rows come from: `sysfs`, `cpuinfo` or `cpuinfo and CPUID`.
    pub source: Known<String>,
    /// CPUs that are plugged in, online or not.
    pub present: Known<CpuSet>,
    /// CPUs that are online.
    pub online: Known<CpuSet>,
    /// Online CPUs by package (socket).
    pub packages: Known<Vec<CpuSet>>,
    /// Online CPUs by last-level cache.
    pub llcs: Known<Vec<CpuSet>>,
    /// Memory nodes, ascending by number.
    pub nodes: Known<Vec<Node>>,
    /// Threads of the core with the most online threads; 1 means that SMT is
    /// absent or off.
    pub threads_per_core: Known<u32>,
    /// A row for each online CPU, ascending by number.
    pub cpus: Known<Vec<LogicalCpu>>,
}

/// Where one CPU lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogicalCpu {
    /// The kernel's number of it.
    pub cpu: u32,
    /// The package's number, from the firmware, need not begin at 0.
    pub package: Known<u32>,
    /// The core's number, unique within the package only.
    pub core: Known<u32>,
    /// The CPUs of the same core, this one included.
    pub smt: Known<CpuSet>,
    /// Index into [`Topology::llcs`].
    pub llc: Known<u32>,
    /// The memory node's number.
    pub node: Known<u32>,
    /// Capacity against the host's largest core, 0 to 1024, where the kernel
    /// gives one (mostly Arm).
    pub capacity: Known<u32>,
}

/// A memory node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Node {
    /// The kernel's number of it.
    pub node: u32,
    /// Its CPUs; empty for memory without CPUs.
    pub cpus: Known<CpuSet>,
    /// Its memory, bytes.
    pub memory_bytes: Known<u64>,
    /// The firmware's distances to every node in ascending order, 10 for itself.
    pub distances: Known<Vec<u32>>,
}

/// What a cache holds.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum CacheKind {
    /// Data only.
    Data,
    /// Instructions only.
    Instruction,
    /// Both.
    Unified,
}

/// All caches of one level, kind and geometry. This is what the host claims;
/// a hypervisor may claim anything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cache {
    /// 1 is nearest to the core.
    pub level: u32,
    /// What it holds.
    pub kind: CacheKind,
    /// Size of one such cache, bytes.
    pub size_bytes: Known<u64>,
    /// Ways of a set.
    pub ways: Known<u32>,
    /// Sets.
    pub sets: Known<u32>,
    /// A line, bytes.
    pub line_bytes: Known<u32>,
    /// One entry for each such cache: the online CPUs that share it.
    pub shared: Known<Vec<CpuSet>>,
    /// True if it holds all that the levels above hold (CPUID only).
    pub inclusive: Known<bool>,
    /// `sysfs` or `CPUID`.
    pub source: String,
}

/// A translation buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tlb {
    /// 1 is nearest to the core.
    pub level: u32,
    /// Whose addresses it translates.
    pub kind: CacheKind,
    /// The page sizes that share it, bytes, ascending.
    pub page_bytes: Vec<u64>,
    /// Entries.
    pub entries: Known<u32>,
    /// Ways of a set; as many as entries where it is fully associative.
    pub ways: Known<u32>,
    /// The CPUID leaf that said so.
    pub source: String,
}

/// The page sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pages {
    /// The base page, bytes.
    pub base_bytes: Known<u64>,
    /// The page of transparent huge pages (one page-table entry a level up), bytes.
    pub thp_bytes: Known<u64>,
    /// The sizes that the hugetlb pool can hold, bytes, ascending.
    pub hugetlb_bytes: Known<Vec<u64>>,
}

/// The memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Memory {
    /// What the kernel manages (`MemTotal`), bytes: less than is plugged in,
    /// and a little different after each boot.
    pub total_bytes: Known<u64>,
}

/// How two CPUs lie to each other. Measured points with two processes or
/// threads carry one of these.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// One CPU for both.
    SameCpu,
    /// Two threads of one core.
    Smt,
    /// Two cores under one last-level cache, on one memory node.
    SameLlc,
    /// Two last-level caches on one memory node.
    CrossLlc,
    /// Two memory nodes.
    CrossNode,
    /// Two different CPUs, and the host does not say how they lie.
    CrossCpu,
}

impl Host {
    /// The cache of `level` that holds data, as the host claims it.
    pub fn data_cache(&self, level: u32) -> Option<&Cache> {
        data_cache(self.caches.value()?, level)
    }

    /// Bytes of the cache of `level` that holds data, as the host claims them.
    pub fn data_cache_bytes(&self, level: u32) -> Option<u64> {
        self.data_cache(level)?.size_bytes.value().copied()
    }
}

/// Of `caches`, the one of `level` that holds data.
pub fn data_cache(caches: &[Cache], level: u32) -> Option<&Cache> {
    let of_data = |c: &&Cache| c.level == level && c.kind != CacheKind::Instruction;
    caches.iter().find(of_data)
}

impl Placement {
    /// Every class, nearest first.
    pub const ALL: [Self; 6] = [
        Self::SameCpu,
        Self::Smt,
        Self::SameLlc,
        Self::CrossLlc,
        Self::CrossNode,
        Self::CrossCpu,
    ];

    /// The word used in point ids and records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SameCpu => "same-cpu",
            Self::Smt => "smt",
            Self::SameLlc => "same-llc",
            Self::CrossLlc => "cross-llc",
            Self::CrossNode => "cross-node",
            Self::CrossCpu => "cross-cpu",
        }
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Topology {
    /// The row of an online CPU.
    pub fn cpu(&self, cpu: u32) -> Option<&LogicalCpu> {
        let rows = self.cpus.value()?;
        let at = rows.binary_search_by_key(&cpu, |row| row.cpu).ok()?;
        rows.get(at)
    }
}
