//! What rows of posted tables are about, by the words of their labels.

use whyslow_model::Better;
use whyslow_model::role::{Role, Roles, RowRoles};

use crate::Row;
use crate::direction::of_words;

const fn all(part: &'static str, role: Role) -> RowRoles {
    ("columns.", part, Roles::All(role))
}

/// What its rows are about, by words of their labels and of what stands above them; the first that fits counts.
pub(crate) const ROLES: &[RowRoles] = &[
    all("_bits", Role::LocalBandwidth),
    all("hackbench", Role::SwitchAnyCpu),
    all("schbench", Role::SwitchAnyCpu),
    all("tbench", Role::SwitchAnyCpu),
    all("netperf", Role::SwitchAnyCpu),
    // Tests of netperf, whose streams are none of memory.
    all("tcp_stream", Role::LocalBandwidth),
    all("udp_stream", Role::LocalBandwidth),
    all("sctp_stream", Role::LocalBandwidth),
    all("tcp_maerts", Role::LocalBandwidth),
    all("tcp_sendfile", Role::LocalBandwidth),
    all("tcp_rr", Role::LocalLatency),
    all("tcp_crr", Role::LocalLatency),
    all("udp_rr", Role::LocalLatency),
    all("context_switches", Role::Count),
    all("context_switch", Role::SwitchAnyCpu),
    all("c_switch", Role::Count),
    all("sleeps", Role::Count),
    all("percent_cpu", Role::Count),
    all("ctxsw", Role::SwitchAnyCpu),
    all("wakeup", Role::SwitchAnyCpu),
    all("pipe_throughput", Role::SystemCall),
    all("bw_pipe", Role::LocalBandwidth),
    all("pipe_bandwidth", Role::LocalBandwidth),
    all("pipe", Role::SwitchAnyCpu),
    all("getppid", Role::SystemCall),
    all("getpid", Role::SystemCall),
    all("syscall", Role::SystemCall),
    all("system_call", Role::SystemCall),
    all("null_call", Role::SystemCall),
    all("signal", Role::Signal),
    all("gettimeofday", Role::ReadClock),
    all("clock_gettime", Role::ReadClock),
    all("clock_getres", Role::ReadClock),
    all("columns.monotonic", Role::ReadClock),
    all("columns.realtime", Role::ReadClock),
    all("columns.boottime", Role::ReadClock),
    all("columns.tsc", Role::ReadClock),
    // Words that have the name of a call in them.
    all("execution", Role::RealTime),
    all("openssl", Role::Compute),
    all("execl", Role::ProgramStart),
    all("exec", Role::ProgramStart),
    all("shell", Role::Programs),
    all("scripts", Role::Programs),
    all("process_creation", Role::Fork),
    all("fork", Role::Fork),
    all("clone", Role::Fork),
    all("page_fault", Role::Fault),
    all("mmap_reread", Role::FileMapped),
    all("mmap", Role::Fault),
    all("munmap", Role::Fault),
    all("open", Role::FileMetadata),
    all("columns.stat", Role::FileMetadata),
    all("simple_stat", Role::FileMetadata),
    all("fstat", Role::FileMetadata),
    all("create", Role::FileCreate),
    all("unlink", Role::FileCreate),
    all("delete", Role::FileCreate),
    all("select", Role::Descriptors),
    all("poll", Role::Descriptors),
    all("iops", Role::FileDevice),
    all("iop_s", Role::FileDevice),
    all("randread", Role::FileDevice),
    all("randwrite", Role::FileDevice),
    all("fsync", Role::FileDevice),
    all("file_copy", Role::FileDevice),
    all("reread", Role::FileCached),
    all("triad", Role::MemoryBandwidth),
    all("memcpy", Role::MemoryRoutines),
    all("memset", Role::MemoryRoutines),
    all("bcopy", Role::MemoryRoutines),
    all("bandwidth", Role::MemoryBandwidth),
    all("memory_latency", Role::MemoryLatency),
    all("mem_latency", Role::MemoryLatency),
    all("main_mem", Role::MemoryLatency),
    all("dhrystone", Role::Compute),
    all("whetstone", Role::Compute),
    all("coremark", Role::Compute),
    all("events_per_second", Role::Compute),
    // How many streams of a network there were.
    all("1_stream", Role::LocalBandwidth),
    all("_streams", Role::LocalBandwidth),
    all("iperf", Role::LocalBandwidth),
    all("stream", Role::MemoryBandwidth),
    all("copy", Role::MemoryBandwidth),
    all("compil", Role::Programs),
    all("build", Role::Programs),
    all("futex", Role::SwitchAnyCpu),
    all("sched", Role::SwitchAnyCpu),
    all("elapsed", Role::RealTime),
    all("wall", Role::RealTime),
    all("columns.real", Role::RealTime),
    all("user_time", Role::UserTime),
    all("columns.user", Role::UserTime),
    all("system_time", Role::SystemTime),
    all("columns.sys", Role::SystemTime),
];

/// Does a label say what was done, rather than on which side?
pub(crate) fn is_work(label: &str) -> bool {
    let as_row = Row::new("columns", label, "", Better::Lower)
        .point
        .to_string();
    let named = ROLES.iter().any(|(_, part, _)| as_row.contains(part));
    named || of_words(label).is_some()
}
