//! What a point is about, whoever measured it: causes speak of roles, not of names.

use whyslow_model::Point;

/// A kind of work that causes move as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Arithmetic in registers and first-level caches.
    Compute,
    /// Effective clock of the core.
    Clock,
    /// Loads or copies that a first-level cache serves.
    L1,
    /// The same from a second-level cache.
    L2,
    /// The same from a last-level cache.
    Llc,
    /// Latency of memory.
    MemoryLatency,
    /// Bandwidth of memory.
    MemoryBandwidth,
    /// One line a page: page walks.
    Tlb,
    /// A line from one CPU to another.
    CoreToCore,
    /// Entering and leaving the kernel, with next to nothing done there.
    SystemCall,
    /// Calls that walk names: stat, open.
    FileMetadata,
    /// Creating and deleting files.
    FileCreate,
    /// Data of files that memory holds.
    FileCached,
    /// Data of files that go to a device.
    FileDevice,
    /// Signals.
    Signal,
    /// Page and protection faults, mapping.
    Fault,
    /// Handing over between processes on one CPU.
    SwitchSameCpu,
    /// Handing over between processes on two CPUs, or wherever the scheduler puts them.
    SwitchAnyCpu,
    /// Copying a process.
    Fork,
    /// Starting a program.
    ProgramStart,
    /// Shell scripts and compilers: many programs started.
    Programs,
    /// Pipes and sockets within one process or pair, by volume.
    LocalBandwidth,
    /// Sockets, by latency.
    LocalLatency,
    /// The C library's memory routines.
    MemoryRoutines,
    /// Reading clocks.
    ReadClock,
    /// Sleeping and waking by time.
    Sleep,
    /// Work on several CPUs at once that memory limits.
    ScalingMemory,
    /// Work on several CPUs at once that memory does not limit.
    ScalingCompute,
    /// System time of a load.
    SystemTime,
    /// User time of a load.
    UserTime,
    /// Real time of a load.
    RealTime,
    /// Whole programs.
    Application,
    /// Not known.
    Other,
}

/// Which points have a role: the start of the probe's id, a text that must stand in the point (empty for
/// any), and the role. The first that fits counts.
pub const ROLES: &[(&str, &str, Role)] = &[
    ("cpu.clock", "", Role::Clock),
    ("cpu.core_to_core", "", Role::CoreToCore),
    ("mem.tlb", "", Role::Tlb),
    ("os.null_call", "", Role::SystemCall),
    ("os.read", "", Role::SystemCall),
    ("os.write", "", Role::SystemCall),
    ("os.fstat", "", Role::SystemCall),
    ("os.stat", "", Role::FileMetadata),
    ("os.open_close", "", Role::FileMetadata),
    ("proc.fork", "", Role::Fork),
    ("proc.exec", "", Role::ProgramStart),
    ("proc.shell", "", Role::ProgramStart),
    ("ctx.ring", "cpus=same-cpu", Role::SwitchSameCpu),
    ("ctx.ring", "", Role::SwitchAnyCpu),
    ("ipc.pipe", "cpus=same-cpu", Role::SwitchSameCpu),
    ("ipc.pipe", "", Role::SwitchAnyCpu),
];

/// The role of `point`, whose size is `bytes` where it has one, and of which the host's levels end at
/// `levels` (first, second, last level), bytes.
pub fn role_of(point: &Point, bytes: Option<u64>, levels: &[u64]) -> Role {
    let text = point.to_string();
    if point.probe == "mem.latency" || point.probe == "mem.bandwidth" {
        return by_size(point, bytes, levels);
    }
    ROLES
        .iter()
        .find(|(probe, part, _)| text.starts_with(probe) && text.contains(part))
        .map_or(Role::Other, |(_, _, role)| *role)
}

fn by_size(point: &Point, bytes: Option<u64>, levels: &[u64]) -> Role {
    let memory = if point.probe == "mem.latency" {
        Role::MemoryLatency
    } else {
        Role::MemoryBandwidth
    };
    match point.get("level") {
        Some("L1") => return Role::L1,
        Some("L2") => return Role::L2,
        Some("DRAM") => return memory,
        Some(_) => return Role::Llc,
        None => {}
    }
    let Some(bytes) = bytes else {
        return Role::Other;
    };
    match levels.iter().position(|&end| bytes <= end) {
        Some(0) => Role::L1,
        Some(1) if levels.len() > 2 => Role::L2,
        Some(_) => Role::Llc,
        None => memory,
    }
}
