//! The formats that can be read, one file each. Written by `cargo test -p whyslow-gather`; not edited by hand.

mod armmem;
mod benchstat;
mod byte;
mod core_to_core;
mod google_benchmark;
mod hyperfine;
mod lat_mem_rd;
mod likwid_bench;
mod lkp;
mod lmbench;
mod lmbench_results;
mod mbw;
mod mlc;
mod numademo;
mod perf_bench;
mod ramspeed;
mod sbc_bench;
mod stream;
mod sysbench;
mod table;
mod test_robot;
mod time;
mod tinymembench;

/// Every format, by name.
pub(crate) static READERS: &[crate::Reader] = &[
    armmem::READER,
    benchstat::READER,
    byte::READER,
    core_to_core::READER,
    google_benchmark::READER,
    hyperfine::READER,
    lat_mem_rd::READER,
    likwid_bench::READER,
    lkp::READER,
    lmbench::READER,
    lmbench_results::READER,
    mbw::READER,
    mlc::READER,
    numademo::READER,
    perf_bench::READER,
    ramspeed::READER,
    sbc_bench::READER,
    stream::READER,
    sysbench::READER,
    table::READER,
    test_robot::READER,
    time::READER,
    tinymembench::READER,
];
