//! What a point is about, whoever measured it: causes speak of roles, not of names.

mod rules;
mod sizes;

use whyslow_model::Point;

use crate::case::Case;

pub use rules::RULES;
pub(crate) use sizes::{Ends, is_sized, size_of};

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

/// The role of `point`, whose size is `bytes` where it has one, on hosts whose caches end at `ends`.
pub(crate) fn role_of(point: &Point, bytes: Option<u64>, ends: &Ends) -> Role {
    if let Some(role) = sizes::by_size(point, bytes, ends) {
        return role;
    }
    let text = point.to_string();
    RULES
        .iter()
        .find(|(probe, part, _)| text.starts_with(probe) && text.contains(part))
        .map_or(Role::Other, |(_, _, role)| *role)
}

/// The role of a point of an experiment in a case: as the case has it, else by its name and size.
pub(crate) fn role_of_point(point: &Point, case: &Case<'_>) -> Role {
    let same = case.points.iter().find(|p| p.point.point == *point);
    same.map_or_else(
        || {
            let ends = Ends::of(case.a, &case.comparison.points, &case.rises);
            role_of(point, size_of(point, None), &ends)
        },
        |p| p.role,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role(point: &str) -> Role {
        let ends = Ends::from_bytes(vec![48 << 10, 2 << 20, 32 << 20]);
        let point: Point = point.parse().unwrap();
        role_of(&point, size_of(&point, None), &ends)
    }

    #[test]
    fn points_of_every_origin_have_roles() {
        for (point, wanted) in [
            ("mem.latency{size=16KiB,order=random,pages=4k}", Role::L1),
            ("mem.latency{size=1MiB,order=random,pages=4k}", Role::L2),
            ("mem.latency{size=16MiB,order=random,pages=4k}", Role::Llc),
            (
                "mem.latency{size=64MiB,order=random,pages=4k}",
                Role::MemoryLatency,
            ),
            ("mem.bandwidth{op=read,level=L2,cpus=1}", Role::L2),
            (
                "mem.bandwidth{op=read,level=DRAM,cpus=1}",
                Role::MemoryBandwidth,
            ),
            ("mem.libc{op=copy,level=L1}", Role::MemoryRoutines),
            ("ramspeed.speed{column=1,block=16Kb}", Role::L1),
            (
                "ramspeed.speed{column=1,block=65536Kb}",
                Role::MemoryBandwidth,
            ),
            ("mem_rd.latency{size=64MiB,stride=64}", Role::MemoryLatency),
            (
                "ctx.ring{procs=2,size=0,cpus=same-cpu}",
                Role::SwitchSameCpu,
            ),
            ("ctx.ring{procs=2,size=0,cpus=free}", Role::SwitchAnyCpu),
            (
                "ctx.ring{procs=8,size=64KiB,cpus=same-cpu}",
                Role::SwitchWithData,
            ),
            ("lmbench.ctxsw{procs=2,size=0K}", Role::SwitchAnyCpu),
            ("lmbench.ctxsw{procs=16,size=64K}", Role::SwitchWithData),
            ("lmbench.file_reread", Role::FileCached),
            ("lmbench.mmap_reread", Role::FileMapped),
            ("lmbench.file_create_0k", Role::FileCreate),
            ("lmbench.stat", Role::FileMetadata),
            ("byte.execl_throughput_test", Role::ProgramStart),
            ("byte.shell_scripts_8_concurrent", Role::Programs),
            ("byte.dc_sqrt_2_to_99_decimal_places", Role::Programs),
            ("byte.file_copy_10_seconds", Role::FileDevice),
            ("byte.file_read_10_seconds", Role::FileCached),
            ("byte.pipe_based_context_switching_test", Role::SwitchAnyCpu),
            ("table.sieve{processes=2}", Role::ScalingMemory),
            ("smp.mandelbrot{procs=2}", Role::ScalingCompute),
            ("load.system{jobs=2}", Role::SystemTime),
            ("never.heard_of", Role::Other),
        ] {
            assert_eq!(role(point), wanted, "{point}");
        }
    }
}
