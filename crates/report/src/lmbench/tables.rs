//! The tables: their columns, and where each comes from.

use whyslow_model::id;

use crate::figure::Turn;

/// A table.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) title: &'static str,
    pub(super) remark: &'static str,
    pub(super) columns: &'static [Column],
}

/// A column.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) head: &'static str,
    /// The same figure in an imported summary, without its family.
    pub(super) imported: &'static str,
    pub(super) source: Source,
}

/// Where a figure comes from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source {
    /// A probe, parameters that its point has, and the way to the table's unit.
    Point(&'static str, Params, Turn),
    /// The mean of several probes.
    Mean(&'static [&'static str], Turn),
    /// The latency of a level as measured.
    Level(&'static str),
    /// The line that the host claims.
    LineBytes,
    /// How many misses memory serves at once.
    Parallelism,
}

type Params = &'static [(&'static str, &'static str)];

/// Stands for where the processes run.
pub(super) const PLACE: &str = "{cpus}";

impl Column {
    /// Does it depend on where the processes run?
    pub(super) fn is_placed(&self) -> bool {
        matches!(self.source, Source::Point(_, params, _) if params.iter().any(|(_, value)| *value == PLACE))
    }
}

/// Microseconds from ns, MB/s from GB/s.
const US: Turn = Turn::Times(1e-3);
const MB: Turn = Turn::Times(1e3);
/// A copy's bytes counted once.
const MB_ONCE: Turn = Turn::Times(500.0);
const AS_IS: Turn = Turn::Times(1.0);

const fn column(head: &'static str, imported: &'static str, source: Source) -> Column {
    Column {
        head,
        imported,
        source,
    }
}

/// A column of a point's time in us.
const fn us(
    head: &'static str,
    imported: &'static str,
    probe: &'static str,
    params: Params,
) -> Column {
    column(head, imported, Source::Point(probe, params, US))
}

/// A column of an operation in ns.
const fn op(head: &'static str, imported: &'static str, params: Params) -> Column {
    column(head, imported, Source::Point(id::CPU_OP, params, AS_IS))
}

/// A column of a rate in MB/s.
const fn mb(
    head: &'static str,
    imported: &'static str,
    probe: &'static str,
    params: Params,
) -> Column {
    column(head, imported, Source::Point(probe, params, MB))
}

const MHZ: Column = column("Mhz", "mhz", Source::Point(id::CPU_CLOCK, &[], MB));
const SWITCH_2P_0K: Column = ring(
    "2p/0K",
    "ctxsw{procs=2,size=0K}",
    &[("procs", "2"), ("size", "0"), ("cpus", PLACE)],
);

const fn ring(head: &'static str, imported: &'static str, params: Params) -> Column {
    us(head, imported, id::CTX_RING, params)
}

/// The tables in lmbench's order.
pub(super) const SECTIONS: &[Section] = &[
    Section {
        title: "Basic system parameters",
        remark: "mem par: misses that memory serves at once",
        columns: &[
            MHZ,
            column("cache line bytes", "cache_line_bytes", Source::LineBytes),
            column("mem par", "mem_par", Source::Parallelism),
        ],
    },
    Section {
        title: "Processor, Processes",
        remark: "times in microseconds, smaller is better",
        columns: &[
            MHZ,
            us("null call", "null_call", id::OS_NULL_CALL, &[]),
            column(
                "null I/O",
                "null_io",
                Source::Mean(&[id::OS_READ, id::OS_WRITE], US),
            ),
            us("stat", "stat", id::OS_STAT, &[]),
            us("open clos", "open_close", id::OS_OPEN_CLOSE, &[]),
            us(
                "slct TCP",
                "select_tcp",
                id::OS_SELECT,
                &[("on", "tcp"), ("fds", "100")],
            ),
            us("sig inst", "sig_inst", id::OS_SIGNAL_INSTALL, &[]),
            us("sig hndl", "sig_hndl", id::OS_SIGNAL_HANDLE, &[]),
            us(
                "fork proc",
                "fork_proc",
                id::PROC_FORK,
                &[("image", "dynamic")],
            ),
            us(
                "exec proc",
                "exec_proc",
                id::PROC_EXEC,
                &[("image", "dynamic")],
            ),
            us("sh proc", "sh_proc", id::PROC_SHELL, &[]),
        ],
    },
    Section {
        title: "Basic integer operations",
        remark: "times in nanoseconds, smaller is better",
        columns: &[
            op("bit", "integer_bit", &[("op", "bit"), ("type", "int")]),
            op("add", "integer_add", &[("op", "add"), ("type", "int")]),
            op("mul", "integer_mul", &[("op", "mul"), ("type", "int")]),
            op("div", "integer_div", &[("op", "div"), ("type", "int")]),
            op("mod", "integer_mod", &[("op", "mod"), ("type", "int")]),
        ],
    },
    Section {
        title: "Basic uint64 operations",
        remark: "times in nanoseconds, smaller is better",
        columns: &[
            op("bit", "int64_bit", &[("op", "bit"), ("type", "int64")]),
            op("add", "int64_add", &[("op", "add"), ("type", "int64")]),
            op("mul", "int64_mul", &[("op", "mul"), ("type", "int64")]),
            op("div", "int64_div", &[("op", "div"), ("type", "int64")]),
            op("mod", "int64_mod", &[("op", "mod"), ("type", "int64")]),
        ],
    },
    Section {
        title: "Basic float operations",
        remark: "times in nanoseconds, smaller is better",
        columns: &[
            op("add", "float_add", &[("op", "add"), ("type", "float")]),
            op("mul", "float_mul", &[("op", "mul"), ("type", "float")]),
            op("div", "float_div", &[("op", "div"), ("type", "float")]),
            op(
                "bogo",
                "float_bogomflops",
                &[("op", "bogomflops"), ("type", "float")],
            ),
        ],
    },
    Section {
        title: "Basic double operations",
        remark: "times in nanoseconds, smaller is better",
        columns: &[
            op("add", "double_add", &[("op", "add"), ("type", "double")]),
            op("mul", "double_mul", &[("op", "mul"), ("type", "double")]),
            op("div", "double_div", &[("op", "div"), ("type", "double")]),
            op(
                "bogo",
                "double_bogomflops",
                &[("op", "bogomflops"), ("type", "double")],
            ),
        ],
    },
    Section {
        title: "Context switching",
        remark: "times in microseconds, smaller is better",
        columns: &[
            SWITCH_2P_0K,
            ring(
                "2p/16K",
                "ctxsw{procs=2,size=16K}",
                &[("procs", "2"), ("size", "16KiB"), ("cpus", PLACE)],
            ),
            ring(
                "2p/64K",
                "ctxsw{procs=2,size=64K}",
                &[("procs", "2"), ("size", "64KiB"), ("cpus", PLACE)],
            ),
            ring(
                "8p/16K",
                "ctxsw{procs=8,size=16K}",
                &[("procs", "8"), ("size", "16KiB"), ("cpus", PLACE)],
            ),
            ring(
                "8p/64K",
                "ctxsw{procs=8,size=64K}",
                &[("procs", "8"), ("size", "64KiB"), ("cpus", PLACE)],
            ),
            ring(
                "16p/16K",
                "ctxsw{procs=16,size=16K}",
                &[("procs", "16"), ("size", "16KiB"), ("cpus", PLACE)],
            ),
            ring(
                "16p/64K",
                "ctxsw{procs=16,size=64K}",
                &[("procs", "16"), ("size", "64KiB"), ("cpus", PLACE)],
            ),
        ],
    },
    Section {
        title: "*Local* communication latencies",
        remark: "times in microseconds, smaller is better",
        columns: &[
            SWITCH_2P_0K,
            us("Pipe", "pipe_latency", id::IPC_PIPE, &[("cpus", PLACE)]),
            us(
                "AF UNIX",
                "af_unix_latency",
                id::NET_LATENCY,
                &[("over", "unix"), ("cpus", PLACE)],
            ),
            us(
                "UDP",
                "udp_latency",
                id::NET_LATENCY,
                &[("over", "udp"), ("cpus", PLACE)],
            ),
            us(
                "RPC/UDP",
                "rpc_udp_latency",
                id::NET_RPC,
                &[("over", "udp"), ("cpus", PLACE)],
            ),
            us(
                "TCP",
                "tcp_latency",
                id::NET_LATENCY,
                &[("over", "tcp"), ("cpus", PLACE)],
            ),
            us(
                "RPC/TCP",
                "rpc_tcp_latency",
                id::NET_RPC,
                &[("over", "tcp"), ("cpus", PLACE)],
            ),
            us(
                "TCP conn",
                "tcp_conn",
                id::NET_CONNECT,
                &[("over", "tcp"), ("cpus", PLACE)],
            ),
        ],
    },
    Section {
        title: "File & VM system latencies",
        remark: "times in microseconds, smaller is better",
        columns: &[
            us(
                "0K Create",
                "file_create_0k",
                id::FS_CREATE,
                &[("size", "0"), ("after", "fresh")],
            ),
            us(
                "0K Delete",
                "file_delete_0k",
                id::FS_DELETE,
                &[("size", "0")],
            ),
            us(
                "10K Create",
                "file_create_10k",
                id::FS_CREATE,
                &[("size", "10KiB"), ("after", "fresh")],
            ),
            us(
                "10K Delete",
                "file_delete_10k",
                id::FS_DELETE,
                &[("size", "10KiB")],
            ),
            us("Mmap", "mmap_latency", id::VM_MMAP, &[]),
            us("Prot Fault", "prot_fault", id::VM_PROT_FAULT, &[]),
            us(
                "Page Fault",
                "page_fault",
                id::VM_PAGE_FAULT,
                &[("of", "file"), ("order", "random"), ("step", "page")],
            ),
            us(
                "100fd selct",
                "select_100fd",
                id::OS_SELECT,
                &[("on", "file"), ("fds", "100")],
            ),
        ],
    },
    Section {
        title: "*Local* communication bandwidths",
        remark: "MB/s, bigger is better; a copied byte counts once, as in lmbench",
        columns: &[
            mb(
                "Pipe",
                "pipe_bandwidth",
                id::IPC_BANDWIDTH,
                &[("over", "pipe"), ("cpus", PLACE)],
            ),
            mb(
                "AF UNIX",
                "af_unix_bandwidth",
                id::IPC_BANDWIDTH,
                &[("over", "unix"), ("cpus", PLACE)],
            ),
            mb(
                "TCP",
                "tcp_bandwidth",
                id::IPC_BANDWIDTH,
                &[("over", "tcp"), ("cpus", PLACE)],
            ),
            mb(
                "File reread",
                "file_reread",
                id::FILE_READ,
                &[("how", "read")],
            ),
            mb(
                "Mmap reread",
                "mmap_reread",
                id::FILE_READ,
                &[("how", "mmap")],
            ),
            column(
                "Bcopy (libc)",
                "bcopy_libc",
                Source::Point(
                    id::MEM_LIBC,
                    &[("op", "memcpy"), ("level", "DRAM")],
                    MB_ONCE,
                ),
            ),
            column(
                "Bcopy (hand)",
                "bcopy_hand",
                Source::Point(
                    id::MEM_BANDWIDTH,
                    &[("op", "copy"), ("level", "DRAM"), ("cpus", "1")],
                    MB_ONCE,
                ),
            ),
            mb(
                "Mem read",
                "mem_read",
                id::MEM_BANDWIDTH,
                &[("op", "read"), ("level", "DRAM"), ("cpus", "1")],
            ),
            mb(
                "Mem write",
                "mem_write",
                id::MEM_BANDWIDTH,
                &[("op", "write"), ("level", "DRAM"), ("cpus", "1")],
            ),
        ],
    },
    Section {
        title: "Memory latencies",
        remark: "times in nanoseconds, smaller is better; Main mem walks forward, which prefetchers follow",
        columns: &[
            MHZ,
            column("L1 $", "l1_latency", Source::Level("L1")),
            column("L2 $", "l2_latency", Source::Level("L2")),
            column("L3 $", "l3_latency", Source::Level("L3")),
            column(
                "Main mem",
                "main_mem_latency",
                Source::Point(
                    id::MEM_LATENCY,
                    &[("order", "stride"), ("stride", "128"), ("pages", "4k")],
                    AS_IS,
                ),
            ),
            // At the largest size, page walks and all, as theirs.
            column(
                "Rand mem",
                "rand_mem_latency",
                Source::Point(
                    id::MEM_LATENCY,
                    &[("order", "random"), ("pages", "4k")],
                    AS_IS,
                ),
            ),
        ],
    },
];
