//! The probe families, one file each. Written by `cargo test -p whyslow-gather`; not edited by hand.

pub mod app_build;
pub mod app_files;
pub mod app_media;
pub mod byte_cpu;
pub mod byte_files;
pub mod byte_os;
pub mod byte_shell;
pub mod cpu;
pub mod cpu_ops;
pub mod cpu_select;
pub mod file_bandwidth;
pub mod fs_create;
pub mod fs_lock;
pub mod ipc_bandwidth;
pub mod ipc_sync;
pub mod mem_bandwidth;
pub mod mem_block;
pub mod mem_copy_libc;
pub mod mem_dram_page;
pub mod mem_latency;
pub mod mem_line;
pub mod mem_lines;
pub mod mem_loaded;
pub mod mem_mix;
pub mod mem_numa;
pub mod mem_parallelism;
pub mod mem_stream;
pub mod mem_tlb;
pub mod net_http;
pub mod net_latency;
pub mod net_rpc;
pub mod os_calls;
pub mod os_io_uring;
pub mod os_select;
pub mod os_signals;
pub mod proc_create;
pub mod smp_loads;
pub mod switching;
pub mod thread;
pub mod time;
pub mod vm_faults;

/// Every family's probes.
pub(crate) const FAMILIES: &[&[crate::Probe]] = &[
    app_build::PROBES,
    app_files::PROBES,
    app_media::PROBES,
    byte_cpu::PROBES,
    byte_files::PROBES,
    byte_os::PROBES,
    byte_shell::PROBES,
    cpu::PROBES,
    cpu_ops::PROBES,
    cpu_select::PROBES,
    file_bandwidth::PROBES,
    fs_create::PROBES,
    fs_lock::PROBES,
    ipc_bandwidth::PROBES,
    ipc_sync::PROBES,
    mem_bandwidth::PROBES,
    mem_block::PROBES,
    mem_copy_libc::PROBES,
    mem_dram_page::PROBES,
    mem_latency::PROBES,
    mem_line::PROBES,
    mem_lines::PROBES,
    mem_loaded::PROBES,
    mem_mix::PROBES,
    mem_numa::PROBES,
    mem_parallelism::PROBES,
    mem_stream::PROBES,
    mem_tlb::PROBES,
    net_http::PROBES,
    net_latency::PROBES,
    net_rpc::PROBES,
    os_calls::PROBES,
    os_io_uring::PROBES,
    os_select::PROBES,
    os_signals::PROBES,
    proc_create::PROBES,
    smp_loads::PROBES,
    switching::PROBES,
    thread::PROBES,
    time::PROBES,
    vm_faults::PROBES,
];
