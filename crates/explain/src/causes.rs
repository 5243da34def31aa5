//! The causes, one file each. Written by `cargo test -p whyslow-gather`; not edited by hand.

pub mod cache_size;
pub mod clock;
pub mod clocksource;
pub mod compiler_or_library;
pub mod copies;
pub mod core_neighbor;
pub mod cpu_neighbor;
pub mod cpu_quota;
pub mod cross_cpu_wakeup;
pub mod dram;
pub mod environment;
pub mod false_sharing;
pub mod file_system;
pub mod fork;
pub mod hardware;
pub mod hypervisor;
pub mod interleaving;
pub mod kernel;
pub mod locale;
pub mod lock_contention;
pub mod measurement;
pub mod memory_fitted;
pub mod memory_kind;
pub mod memory_limit;
pub mod memory_neighbor;
pub mod memory_routines;
pub mod network;
pub mod nothing;
pub mod numa;
pub mod page_placement;
pub mod preload;
pub mod program_start;
pub mod scheduling;
pub mod seccomp;
pub mod shared_resource;
pub mod syscall_entry;
pub mod timer_slack;
pub mod tlb_reach;
pub mod topology;
pub mod tracing;

/// Every cause.
pub const CAUSES: &[&crate::Cause] = &[
    &cache_size::CAUSE,
    &clock::CAUSE,
    &clocksource::CAUSE,
    &compiler_or_library::CAUSE,
    &copies::CAUSE,
    &core_neighbor::CAUSE,
    &cpu_neighbor::CAUSE,
    &cpu_quota::CAUSE,
    &cross_cpu_wakeup::CAUSE,
    &dram::CAUSE,
    &environment::CAUSE,
    &false_sharing::CAUSE,
    &file_system::CAUSE,
    &fork::CAUSE,
    &hardware::CAUSE,
    &hypervisor::CAUSE,
    &interleaving::CAUSE,
    &kernel::CAUSE,
    &locale::CAUSE,
    &lock_contention::CAUSE,
    &measurement::CAUSE,
    &memory_fitted::CAUSE,
    &memory_kind::CAUSE,
    &memory_limit::CAUSE,
    &memory_neighbor::CAUSE,
    &memory_routines::CAUSE,
    &network::CAUSE,
    &nothing::CAUSE,
    &numa::CAUSE,
    &page_placement::CAUSE,
    &preload::CAUSE,
    &program_start::CAUSE,
    &scheduling::CAUSE,
    &seccomp::CAUSE,
    &shared_resource::CAUSE,
    &syscall_entry::CAUSE,
    &timer_slack::CAUSE,
    &tlb_reach::CAUSE,
    &topology::CAUSE,
    &tracing::CAUSE,
];
