//! The role of a point, independent of the tool that measured it: causes refer to roles, not to
//! names.

use crate::Point;

/// Declares the roles, each with its name in a sentence.
macro_rules! roles {
    ($($(#[doc = $doc:literal])+ $role:ident => $name:literal,)+) => {
        /// A kind of work that causes affect as a whole.
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
    /// Loads or copies served by L1.
    L1 => "the first-level cache",
    /// The same from L2.
    L2 => "the second-level cache",
    /// The same from the last-level cache.
    Llc => "the last-level cache",
    /// Latency of memory.
    MemoryLatency => "memory latency",
    /// Bandwidth of memory.
    MemoryBandwidth => "memory bandwidth",
    /// Memory of a given NUMA node.
    Numa => "memory by node",
    /// One line per page: TLB misses.
    Tlb => "address translation",
    /// A cache line transferred from one CPU to another.
    CoreToCore => "core-to-core latency",
    /// Kernel entry and exit, with minimal work.
    SystemCall => "system calls",
    /// Querying which of many files are ready.
    Descriptors => "select and poll",
    /// Calls that resolve paths: stat, open.
    FileMetadata => "calls on file names",
    /// Creating and deleting files.
    FileCreate => "creating and deleting files",
    /// Data of cached files, read with a call.
    FileCached => "rereading files",
    /// Data of cached files, read through a mapping.
    FileMapped => "rereading mapped files",
    /// Data of files that go to a device.
    FileDevice => "writing files",
    /// Signals.
    Signal => "signals",
    /// Page and protection faults, mapping.
    Fault => "page faults and mapping",
    /// Context switches between processes on one CPU.
    SwitchSameCpu => "switching on one CPU",
    /// Switches and wake-ups between processes on two CPUs, or unpinned.
    SwitchAnyCpu => "switching between processes",
    /// Context switches between processes that each access data.
    SwitchWithData => "switching between processes with data",
    /// Forking a process.
    Fork => "process creation",
    /// Starting a program.
    ProgramStart => "program start",
    /// Shell scripts and compilers: many program starts.
    Programs => "scripts and small programs",
    /// Pipes and sockets within one process or pair, by bandwidth.
    LocalBandwidth => "local bandwidth",
    /// Sockets, by latency.
    LocalLatency => "local sockets",
    /// The C library's memory routines.
    MemoryRoutines => "the library's memory routines",
    /// Reading clocks.
    ReadClock => "reading the clock",
    /// Timed sleeps.
    Sleep => "sleeping",
    /// Memory-bound work, on one or several CPUs.
    ScalingMemory => "memory-bound work on N CPUs",
    /// Compute-bound work, on one or several CPUs.
    ScalingCompute => "compute-bound work on N CPUs",
    /// System time of a load.
    SystemTime => "system time",
    /// User time of a load.
    UserTime => "user time",
    /// Real time of a load.
    RealTime => "real time",
    /// Whole programs.
    Application => "whole programs",
    /// Stated, not measured: the position of the first step of a latency curve.
    FirstStep => "the first step of the latency curve",
    /// Stated: where latency begins to rise to that of memory.
    MemoryRise => "the rise to the latency of memory",
    /// Stated by a source: the clock of the processor.
    StatedClock => "the clock as stated",
    /// Stated by a source: bandwidth or width of the memory bus.
    StatedBus => "the memory bus as stated",
    /// Stated by a source: bandwidth of a disk's interface.
    StatedDisk => "the disk as stated",
    /// Stated by a source: size of a cache.
    StatedCache => "the cache as stated",
    /// Stated by a source: the saving of a change.
    Saving => "the saving of system time",
    /// Counts that serve as explanation: faults and switches of a load.
    Count => "counts",
    /// Not known.
    Other => "other work",
}

// Roles that one kind of cause reaches.
impl Role {
    /// Work that goes through the kernel.
    pub const CALLS: &'static [Role] = &[
        Role::SystemCall,
        Role::FileMetadata,
        Role::FileCreate,
        Role::FileCached,
        Role::FileMapped,
        Role::FileDevice,
        Role::Descriptors,
        Role::Signal,
        Role::Fault,
        Role::SwitchSameCpu,
        Role::SwitchAnyCpu,
        Role::SwitchWithData,
        Role::Fork,
        Role::ProgramStart,
        Role::Programs,
        Role::LocalLatency,
        Role::LocalBandwidth,
        Role::ReadClock,
        Role::Sleep,
        Role::SystemTime,
        Role::RealTime,
        Role::Application,
    ];

    /// Work that wakes another process or waits for one.
    pub const SWITCHING: &'static [Role] = &[
        Role::SwitchSameCpu,
        Role::SwitchAnyCpu,
        Role::SwitchWithData,
        Role::LocalLatency,
        Role::LocalBandwidth,
        Role::Sleep,
        Role::Programs,
        Role::SystemTime,
        Role::RealTime,
        Role::Application,
    ];

    /// Work that waits for memory itself.
    pub const MEMORY: &'static [Role] = &[
        Role::MemoryLatency,
        Role::MemoryBandwidth,
        Role::Numa,
        Role::Llc,
        Role::MemoryRoutines,
        Role::ScalingMemory,
        Role::FileCached,
        Role::SystemTime,
        Role::RealTime,
        Role::Application,
    ];

    /// The same, and what the caches serve.
    pub const MEMORY_AND_CACHES: &'static [Role] = &[
        Role::L1,
        Role::L2,
        Role::Llc,
        Role::MemoryLatency,
        Role::MemoryBandwidth,
        Role::Numa,
        Role::Tlb,
        Role::MemoryRoutines,
        Role::ScalingMemory,
        Role::SwitchWithData,
        Role::RealTime,
        Role::Application,
    ];

    /// Work that starts processes and programs.
    pub const STARTS: &'static [Role] = &[
        Role::Fork,
        Role::ProgramStart,
        Role::Programs,
        Role::UserTime,
        Role::SystemTime,
        Role::RealTime,
        Role::Application,
    ];

    /// Work on files.
    pub const FILES: &'static [Role] = &[
        Role::FileMetadata,
        Role::FileCreate,
        Role::FileCached,
        Role::FileMapped,
        Role::FileDevice,
        Role::ProgramStart,
        Role::Programs,
        Role::SystemTime,
        Role::RealTime,
        Role::Application,
    ];
}

impl Role {
    /// True if a source states it of a machine, so that it is not a result.
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

    /// The broader group for readers.
    pub fn group(self) -> &'static str {
        match self {
            Role::SwitchSameCpu | Role::SwitchAnyCpu | Role::SwitchWithData => "context switch",
            Role::ProgramStart | Role::Programs => "program start",
            Role::FirstStep | Role::MemoryRise => "steps of the latency curve",
            other => other.name(),
        }
    }
}

/// How the declaration assigns roles to a probe's points, or to another tool's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Roles {
    /// All have the same role.
    All(Role),
    /// The role of the first entry with all parameters equal to the point's; else the last.
    ByParams(
        &'static [(&'static [(&'static str, &'static str)], Role)],
        Role,
    ),
    /// A latency, by the level of the hierarchy that serves the point's size.
    LatencyBySize,
    /// The same, a bandwidth.
    BandwidthBySize,
}

impl Roles {
    /// The role of `point`; none if it depends on the size.
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

/// The role of some rows of another tool: a prefix of their points' texts, a text contained in them
/// (empty for any), and the role.
pub type RowRoles = (&'static str, &'static str, Roles);
