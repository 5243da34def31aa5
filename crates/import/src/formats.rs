//! The formats that can be read, one file each. Written by `cargo test -p whyslow-gather`; not edited by hand.

mod armmem;
mod benchstat;
mod bpf_bench;
mod byte;
mod columns;
mod core_to_core;
mod coremark;
mod critcmp;
mod criterion;
mod crystaldiskmark;
mod cyclictest;
mod dbench;
mod dd;
mod fs_mark;
mod google_benchmark;
mod hackbench;
mod hyperfine;
mod hyperfine_text;
mod iozone;
mod kernbench;
mod lat_mem_rd;
mod likwid_bench;
mod lkp;
mod lmbench;
mod lmbench_results;
mod mbw;
mod ministat;
mod mlc;
mod mmtests;
mod nbench;
mod netperf;
mod numademo;
mod perf_bench;
mod perf_stat;
mod pgbench;
mod ping;
mod r_summary;
mod ramspeed;
mod sbc_bench;
mod schbench;
mod score_list;
mod seccomp_bench;
mod spoken;
mod stream;
mod stress_ng;
mod sysbench;
mod table;
mod test_robot;
mod time;
mod tinymembench;
mod will_it_scale;
mod wrk;

/// Every format, by name.
pub(crate) static READERS: &[crate::Reader] = &[
    armmem::READER,
    benchstat::READER,
    bpf_bench::READER,
    byte::READER,
    columns::READER,
    core_to_core::READER,
    coremark::READER,
    critcmp::READER,
    criterion::READER,
    crystaldiskmark::READER,
    cyclictest::READER,
    dbench::READER,
    dd::READER,
    fs_mark::READER,
    google_benchmark::READER,
    hackbench::READER,
    hyperfine::READER,
    hyperfine_text::READER,
    iozone::READER,
    kernbench::READER,
    lat_mem_rd::READER,
    likwid_bench::READER,
    lkp::READER,
    lmbench::READER,
    lmbench_results::READER,
    mbw::READER,
    ministat::READER,
    mlc::READER,
    mmtests::READER,
    nbench::READER,
    netperf::READER,
    numademo::READER,
    perf_bench::READER,
    perf_stat::READER,
    pgbench::READER,
    ping::READER,
    r_summary::READER,
    ramspeed::READER,
    sbc_bench::READER,
    schbench::READER,
    score_list::READER,
    seccomp_bench::READER,
    spoken::READER,
    stream::READER,
    stress_ng::READER,
    sysbench::READER,
    table::READER,
    test_robot::READER,
    time::READER,
    tinymembench::READER,
    will_it_scale::READER,
    wrk::READER,
];
