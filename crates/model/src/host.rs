//! Facts about a host: what only buying, flashing or rebooting can change.
//!
//! A fact that could not be read is [`Known::Unknown`] with its reason. Sizes
//! are in bytes. What a person can change on a running host is in
//! [`crate::state`].

mod cpu_set;
mod known;

use std::fmt;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use cpu_set::{BadCpuSet, CpuSet};
pub use known::{Known, Limit, Unknown, Unlimited};

/// All known facts about a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Host {
    /// Identity of the host, stable across reboots.
    pub id: HostId,
    /// The boot: the kernel's random `boot_id`.
    pub boot_id: Known<String>,
    /// The host name (`uname -n`).
    pub name: Known<String>,
    /// The instruction set (`uname -m`), such as `x86_64`.
    pub arch: Known<String>,
    /// The machine's manufacturer, from its firmware tables.
    pub machine: Machine,
    /// The hypervisor, if any.
    pub hypervisor: Hypervisor,
    /// The processors.
    pub cpu: Cpu,
    /// CPU topology.
    pub topology: Topology,
    /// Every cache reported by the host, by level, then kind.
    pub caches: Known<Vec<Cache>>,
    /// Every TLB reported by CPUID.
    pub tlbs: Known<Vec<Tlb>>,
    /// The page sizes.
    pub pages: Pages,
    /// The memory.
    pub memory: Memory,
}

/// A host id that survives a reboot and contains no measured number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HostId {
    /// 32 hexadecimal digits: a BLAKE3 hash of the facts named in `basis`.
    pub id: String,
    /// The names of the facts that were readable and included in the hash. Two ids with a different
    /// basis cannot be compared.
    pub basis: Vec<String>,
}

/// The machine according to the firmware (DMI, or the device tree).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Machine {
    /// Manufacturer.
    pub vendor: Known<String>,
    /// Product name.
    pub product: Known<String>,
    /// Product version.
    pub product_version: Known<String>,
    /// Board name.
    pub board: Known<String>,
    /// Firmware vendor, version and date, in one line.
    pub firmware: Known<String>,
}

/// The hypervisor, if any.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Hypervisor {
    /// True in a guest. Unknown without evidence.
    pub guest: Known<bool>,
    /// Its name, such as `KVM` or `Microsoft Hv`.
    pub name: Known<String>,
    /// The evidence: `CPUID 0x40000000 "KVMKVMKVM"`, `DMI vendor`, ...
    pub evidence: Vec<String>,
    /// The container runtime named by the environment or files.
    pub container: Known<String>,
}

/// The processors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Cpu {
    /// The different kinds of core: one entry on most hosts, several where
    /// cores (or their microcode) differ.
    pub kinds: Known<Vec<CoreKind>>,
    /// The features common to all CPUs, by the kernel's names.
    pub features: Known<Vec<String>>,
    /// The hardware bugs known to the kernel.
    pub bugs: Known<Vec<String>>,
    /// Bits of a physical address.
    pub physical_address_bits: Known<u32>,
    /// Bits of a virtual address.
    pub virtual_address_bits: Known<u32>,
}

/// A kind of core: all CPUs of one identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CoreKind {
    /// The CPUs of this kind.
    pub cpus: CpuSet,
    /// `GenuineIntel`, `AuthenticAMD`, or on Arm the implementer, `0x41 Arm`.
    pub vendor: Known<String>,
    /// The marketing name; on Arm the core's name, if the part is known.
    pub name: Known<String>,
    /// x86 family; on Arm the architecture version.
    pub family: Known<u32>,
    /// x86 model; on Arm the part number.
    pub model: Known<u32>,
    /// x86 stepping; on Arm the revision, 16 times the variant plus the revision.
    pub stepping: Known<u32>,
    /// The microcode revision, as the kernel writes it. Guests often see a number invented by the
    /// hypervisor.
    pub microcode: Known<String>,
}

/// CPU topology.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Topology {
    /// Source of the CPU rows: `sysfs`, `cpuinfo` or `cpuinfo and CPUID`.
    pub source: Known<String>,
    /// Present CPUs, online or not.
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

/// Location of one CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LogicalCpu {
    /// Its number in the kernel.
    pub cpu: u32,
    /// The package's number, from the firmware, need not begin at 0.
    pub package: Known<u32>,
    /// The core's number, unique within the package only.
    pub core: Known<u32>,
    /// The CPUs of the same core, including this one.
    pub smt: Known<CpuSet>,
    /// Index into [`Topology::llcs`].
    pub llc: Known<u32>,
    /// The memory node's number.
    pub node: Known<u32>,
    /// Capacity relative to the host's largest core, 0 to 1024, if the kernel reports one (mostly
    /// Arm).
    pub capacity: Known<u32>,
}

/// A memory node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Node {
    /// Its number in the kernel.
    pub node: u32,
    /// Its CPUs; empty for memory without CPUs.
    pub cpus: Known<CpuSet>,
    /// Its memory, bytes.
    pub memory_bytes: Known<u64>,
    /// The firmware's distances to every node in ascending order, 10 for itself.
    pub distances: Known<Vec<u32>>,
}

/// Kind of cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CacheKind {
    /// Data only.
    Data,
    /// Instructions only.
    Instruction,
    /// Both.
    Unified,
}

/// All caches of one level, kind and geometry, as reported by the host; a hypervisor may report
/// anything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Cache {
    /// 1 is nearest to the core.
    pub level: u32,
    /// What it holds.
    pub kind: CacheKind,
    /// Size of one such cache, bytes.
    pub size_bytes: Known<u64>,
    /// Associativity.
    pub ways: Known<u32>,
    /// Sets.
    pub sets: Known<u32>,
    /// A line, bytes.
    pub line_bytes: Known<u32>,
    /// One entry for each such cache: the online CPUs that share it.
    pub shared: Known<Vec<CpuSet>>,
    /// True if it includes the content of the levels above (CPUID only).
    pub inclusive: Known<bool>,
    /// `sysfs` or `CPUID`.
    pub source: String,
}

/// A TLB.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Tlb {
    /// 1 is nearest to the core.
    pub level: u32,
    /// The kind of addresses it translates.
    pub kind: CacheKind,
    /// The page sizes that share it, bytes, ascending.
    pub page_bytes: Vec<u64>,
    /// Entries.
    pub entries: Known<u32>,
    /// Associativity; equal to the entries if fully associative.
    pub ways: Known<u32>,
    /// The CPUID leaf that reported it.
    pub source: String,
}

/// The page sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Pages {
    /// The base page, bytes.
    pub base_bytes: Known<u64>,
    /// The size of transparent huge pages (one page-table entry a level up), bytes.
    pub thp_bytes: Known<u64>,
    /// The sizes that the hugetlb pool can hold, bytes, ascending.
    pub hugetlb_bytes: Known<Vec<u64>>,
}

/// The memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Memory {
    /// Memory managed by the kernel (`MemTotal`), bytes: less than installed, and slightly
    /// different after each boot.
    pub total_bytes: Known<u64>,
}

/// Placement of two CPUs relative to each other. Points with two processes or threads have one of
/// these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
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
    /// Two different CPUs with unknown placement.
    CrossCpu,
}

impl Host {
    /// The data cache of `level`, as reported by the host.
    pub fn data_cache(&self, level: u32) -> Option<&Cache> {
        data_cache(self.caches.value()?, level)
    }

    /// Bytes of the data cache of `level`, as reported by the host.
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

    /// The name in point ids and records.
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
