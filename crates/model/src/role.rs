//! What a point is about, whoever measured it: causes speak of roles, not of names.

use crate::Point;

/// Declares the roles, each with the name that it has in a sentence.
macro_rules! roles {
    ($($(#[doc = $doc:literal])+ $role:ident => $name:literal,)+) => {
        /// A kind of work that causes move as one.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Role {
            $($(#[doc = $doc])+ $role,)+
        }

        impl Role {
            /// Its name in a sentence.
            pub fn name(self) -> &'static str {
                match self {
                    $(Role::$role => $name,)+
                }
            }
        }
    };
}

roles! {
    /// Arithmetic in registers and first-level caches.
    Compute => "arithmetic",
    /// Effective clock of the core.
    Clock => "the clock",
    /// Loads or copies that a first-level cache serves.
    L1 => "the first-level cache",
    /// The same from a second-level cache.
    L2 => "the second-level cache",
    /// The same from a last-level cache.
    Llc => "the last-level cache",
    /// Latency of memory.
    MemoryLatency => "memory latency",
    /// Bandwidth of memory.
    MemoryBandwidth => "memory bandwidth",
    /// Memory of a chosen node.
    Numa => "memory by node",
    /// One line a page: page walks.
    Tlb => "address translation",
    /// A line from one CPU to another.
    CoreToCore => "hand-over between CPUs",
    /// Entering and leaving the kernel, with next to nothing done there.
    SystemCall => "system calls",
    /// Asking which of many files are ready.
    Descriptors => "select and poll",
    /// Calls that walk names: stat, open.
    FileMetadata => "calls on file names",
    /// Creating and deleting files.
    FileCreate => "creating and deleting files",
    /// Data of files that memory holds, read with a call.
    FileCached => "rereading files",
    /// Data of files that memory holds, read where it lies.
    FileMapped => "rereading mapped files",
    /// Data of files that go to a device.
    FileDevice => "writing files",
    /// Signals.
    Signal => "signals",
    /// Page and protection faults, mapping.
    Fault => "page faults and mapping",
    /// Handing over between processes on one CPU.
    SwitchSameCpu => "switching on one CPU",
    /// Handing over between processes on two CPUs, or wherever the scheduler puts them.
    SwitchAnyCpu => "switching between processes",
    /// Handing over between processes that each walk through data.
    SwitchWithData => "switching between processes with data",
    /// Copying a process.
    Fork => "process creation",
    /// Starting a program.
    ProgramStart => "program start",
    /// Shell scripts and compilers: many programs started.
    Programs => "scripts and small programs",
    /// Pipes and sockets within one process or pair, by volume.
    LocalBandwidth => "local bandwidth",
    /// Sockets, by latency.
    LocalLatency => "local sockets",
    /// The C library's memory routines.
    MemoryRoutines => "the library's memory routines",
    /// Reading clocks.
    ReadClock => "reading the clock",
    /// Sleeping and waking by time.
    Sleep => "sleeping",
    /// Work that memory limits, on one or several CPUs.
    ScalingMemory => "memory-bound work on N CPUs",
    /// Work that memory does not limit, on one or several CPUs.
    ScalingCompute => "compute-bound work on N CPUs",
    /// System time of a load.
    SystemTime => "system time",
    /// User time of a load.
    UserTime => "user time",
    /// Real time of a load.
    RealTime => "real time",
    /// Whole programs.
    Application => "whole programs",
    /// Stated, not measured: where a latency curve takes its first step.
    FirstStep => "the first step of the latency curve",
    /// Stated: where the rise to the latency of memory begins.
    MemoryRise => "the rise to the latency of memory",
    /// Stated by a source: the clock of the processor.
    StatedClock => "the clock as stated",
    /// Stated by a source: what the memory bus can carry, or its width.
    StatedBus => "the memory bus as stated",
    /// Stated by a source: what a disk's interface can carry.
    StatedDisk => "the disk as stated",
    /// Stated by a source: size of a cache.
    StatedCache => "the cache as stated",
    /// Stated by a source: how much a change saved.
    Saving => "the saving of system time",
    /// Counts that explain and are not explained: faults and switches of a load.
    Count => "counts",
    /// Not known.
    Other => "other work",
}

impl Role {
    /// Is it something that a source states of a machine, and no result?
    pub fn is_stated(self) -> bool {
        matches!(
            self,
            Role::StatedClock
                | Role::StatedBus
                | Role::StatedDisk
                | Role::StatedCache
                | Role::Count
        )
    }

    /// The wider group that a reader would put it into.
    pub fn group(self) -> &'static str {
        match self {
            Role::SwitchSameCpu | Role::SwitchAnyCpu | Role::SwitchWithData => "context switch",
            Role::ProgramStart | Role::Programs => "program start",
            Role::FirstStep | Role::MemoryRise => "steps of the latency curve",
            other => other.name(),
        }
    }
}

/// How the roles of a probe's points, or of another tool's rows, follow from its declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Roles {
    /// All are alike.
    All(Role),
    /// That of the first entry whose parameters all stand in the point with these values; else the last.
    ByParams(
        &'static [(&'static [(&'static str, &'static str)], Role)],
        Role,
    ),
    /// That of the level of the hierarchy which serves the point's size, a latency.
    LatencyBySize,
    /// The same, a bandwidth.
    BandwidthBySize,
}

impl Roles {
    /// The role of `point`; nothing where its size decides.
    pub fn of(self, point: &Point) -> Option<Role> {
        match self {
            Roles::All(role) => Some(role),
            Roles::ByParams(entries, otherwise) => {
                let fits = |params: &[(&str, &str)]| {
                    params
                        .iter()
                        .all(|(name, value)| point.get(name) == Some(value))
                };
                let found = entries.iter().find(|(params, _)| fits(params));
                Some(found.map_or(otherwise, |(_, role)| *role))
            }
            Roles::LatencyBySize | Roles::BandwidthBySize => None,
        }
    }
}

/// The role of some rows of another tool: how their points' texts begin, a text that must stand in them
/// (empty for any), and what they are about.
pub type RowRoles = (&'static str, &'static str, Roles);
