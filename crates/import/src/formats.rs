//! The formats that can be read, one file each. Written by `cargo test -p whyslow-gather`; not edited by hand.

mod byte;
mod columns;
mod core_to_core;
mod hyperfine;
mod lat_mem_rd;
mod lmbench;
mod lmbench_results;
mod mbw;
mod mlc;
mod perf_bench;
mod ramspeed;
mod stream;
mod sysbench;
mod table;
mod time;
mod tinymembench;

/// Every format, by name.
pub(crate) static READERS: &[crate::Reader] = &[
    byte::READER,
    columns::READER,
    core_to_core::READER,
    hyperfine::READER,
    lat_mem_rd::READER,
    lmbench::READER,
    lmbench_results::READER,
    mbw::READER,
    mlc::READER,
    perf_bench::READER,
    ramspeed::READER,
    stream::READER,
    sysbench::READER,
    table::READER,
    time::READER,
    tinymembench::READER,
];
