//! The formats that can be read, one file each. Written by `cargo test -p whyslow-gather`; not edited by hand.

mod apache_bench;
mod armmem;
mod autocannon;
mod benchmark_js;
mod benchstat;
mod bonnie;
mod bpf_bench;
mod byte;
mod catch2;
mod columns;
mod core_to_core;
mod coremark;
mod cpuminer;
mod critcmp;
mod criterion;
mod cryptsetup;
mod crystaldiskmark;
mod cyclictest;
mod db_bench;
mod dbench;
mod dd;
mod disk_tools;
mod filebench;
mod fio;
mod fs_mark;
mod ggml_timings;
mod glmark2;
mod google_benchmark;
mod h2load;
mod hackbench;
mod hammerdb;
mod hey;
mod hpl;
mod hyperfine;
mod hyperfine_text;
mod io500;
mod ior;
mod iozone;
mod iperf;
mod jmh;
mod json;
mod k6;
mod kbench;
mod kernbench;
mod lat_mem_rd;
mod libtest;
mod likwid_bench;
mod linpack;
mod linpackc;
mod lkp;
mod lmbench;
mod lmbench_results;
mod mbw;
mod mdtest;
mod memtier;
mod ministat;
mod mlc;
mod mmtests;
mod mpi;
mod nbench;
mod netperf;
mod netperf_omni;
mod numademo;
mod openssl_speed;
mod password_crackers;
mod perf_bench;
mod perf_stat;
mod pft;
mod pgbench;
mod phoronix;
mod phoronix_bars;
mod ping;
mod poop;
mod pyperf;
mod qperf;
mod r_summary;
mod ramlat;
mod ramspeed;
mod rdma;
mod redis_benchmark;
mod reframe;
mod sbc_bench;
mod schbench;
mod score_list;
mod seccomp_bench;
mod seven_zip;
mod slab_test;
mod sockperf;
mod spoken;
mod stream;
mod stress_ng;
mod sysbench;
mod sysstat;
mod systemd_analyze;
mod table;
mod tcrypt;
mod test_robot;
mod time;
mod time_bench;
mod timeit;
mod tinymembench;
mod turbostat;
mod ucx_perftest;
mod usemem;
mod vegeta;
mod video_encoders;
mod vmstat;
mod will_it_scale;
mod wrk;
mod xdp_bench;
mod yabs;
mod ycsb;

/// Every format, by name.
pub(crate) static READERS: &[crate::Reader] = &[
    apache_bench::READER,
    armmem::READER,
    autocannon::READER,
    benchmark_js::READER,
    benchstat::READER,
    bonnie::READER,
    bpf_bench::READER,
    byte::READER,
    catch2::READER,
    columns::READER,
    core_to_core::READER,
    coremark::READER,
    cpuminer::READER,
    critcmp::READER,
    criterion::READER,
    cryptsetup::READER,
    crystaldiskmark::READER,
    cyclictest::READER,
    db_bench::READER,
    dbench::READER,
    dd::READER,
    disk_tools::READER,
    filebench::READER,
    fio::READER,
    fs_mark::READER,
    ggml_timings::READER,
    glmark2::READER,
    google_benchmark::READER,
    h2load::READER,
    hackbench::READER,
    hammerdb::READER,
    hey::READER,
    hpl::READER,
    hyperfine::READER,
    hyperfine_text::READER,
    io500::READER,
    ior::READER,
    iozone::READER,
    iperf::READER,
    jmh::READER,
    json::READER,
    k6::READER,
    kbench::READER,
    kernbench::READER,
    lat_mem_rd::READER,
    libtest::READER,
    likwid_bench::READER,
    linpack::READER,
    linpackc::READER,
    lkp::READER,
    lmbench::READER,
    lmbench_results::READER,
    mbw::READER,
    mdtest::READER,
    memtier::READER,
    ministat::READER,
    mlc::READER,
    mmtests::READER,
    mpi::READER,
    nbench::READER,
    netperf::READER,
    netperf_omni::READER,
    numademo::READER,
    openssl_speed::READER,
    password_crackers::READER,
    perf_bench::READER,
    perf_stat::READER,
    pft::READER,
    pgbench::READER,
    phoronix::READER,
    phoronix_bars::READER,
    ping::READER,
    poop::READER,
    pyperf::READER,
    qperf::READER,
    r_summary::READER,
    ramlat::READER,
    ramspeed::READER,
    rdma::READER,
    redis_benchmark::READER,
    reframe::READER,
    sbc_bench::READER,
    schbench::READER,
    score_list::READER,
    seccomp_bench::READER,
    seven_zip::READER,
    slab_test::READER,
    sockperf::READER,
    spoken::READER,
    stream::READER,
    stress_ng::READER,
    sysbench::READER,
    sysstat::READER,
    systemd_analyze::READER,
    table::READER,
    tcrypt::READER,
    test_robot::READER,
    time::READER,
    time_bench::READER,
    timeit::READER,
    tinymembench::READER,
    turbostat::READER,
    ucx_perftest::READER,
    usemem::READER,
    vegeta::READER,
    video_encoders::READER,
    vmstat::READER,
    will_it_scale::READER,
    wrk::READER,
    xdp_bench::READER,
    yabs::READER,
    ycsb::READER,
];
