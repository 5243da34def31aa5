//! The rows and columns of lmbench under one id each, so that a summary and the result file it was
//! made from give the same points.

use whyslow_model::Better;
use whyslow_model::Better::{Higher, Lower};

use crate::Row;

/// All points of lmbench begin with it.
pub(crate) const FAMILY: &str = "lmbench";

/// A column of a summary table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    /// The words of its header, from top to bottom.
    pub(crate) words: &'static str,
    /// Its row's name.
    pub(crate) title: &'static str,
    /// Its id below the family, with parameters where it has some.
    pub(crate) id: &'static str,
}

const fn column(words: &'static str, title: &'static str, id: &'static str) -> Column {
    Column { words, title, id }
}

/// A kind of summary table.
#[derive(Debug)]
pub(crate) struct Table {
    /// How its title begins.
    pub(crate) title: &'static str,
    /// Unit of its values.
    pub(crate) symbol: &'static str,
    /// Which direction is good.
    pub(crate) better: Better,
    /// Columns in front of the numbers: host, system, and sometimes a description.
    pub(crate) lead: usize,
    /// The layouts that it has had; a layout is told by its number of columns and its header's words.
    pub(crate) layouts: &'static [&'static [Column]],
}

const MHZ: Column = column("Mhz", "Mhz", "mhz");

/// Context switching, both at its own table and where it is printed again.
const CTXSW_2P_0K: Column = column("2p/0K ctxsw", "2p/0K ctxsw", "ctxsw{procs=2,size=0K}");

const FILE_AND_VM: [Column; 8] = [
    column("0K Create", "0K File Create", "file_create_0k"),
    column("File Delete", "0K File Delete", "file_delete_0k"),
    column("10K Create", "10K File Create", "file_create_10k"),
    column("File Delete", "10K File Delete", "file_delete_10k"),
    column("Mmap Latency", "Mmap Latency", "mmap_latency"),
    column("Prot Fault", "Prot Fault", "prot_fault"),
    column("Page Fault", "Page Fault", "page_fault"),
    column("100fd selct", "100fd select", "select_100fd"),
];

const MEMORY: [Column; 6] = [
    MHZ,
    column("L1 $", "L1 $ latency", "l1_latency"),
    column("L2 $", "L2 $ latency", "l2_latency"),
    column("Main mem", "Main mem latency", "main_mem_latency"),
    column("Rand mem", "Rand mem latency", "rand_mem_latency"),
    column("Guesses", "Guesses", ""),
];

/// Every kind of table that lmbench 2 and 3 print.
pub(crate) const TABLES: &[Table] = &[
    Table {
        title: "Basic system parameters",
        symbol: "",
        better: Higher,
        lead: 3,
        layouts: &[
            &[MHZ],
            &[
                MHZ,
                column("tlb pages", "tlb pages", "tlb_pages"),
                column("cache line bytes", "cache line bytes", "cache_line_bytes"),
                column("mem par", "mem par", "mem_par"),
                column("scal load", "scal load", "scal_load"),
            ],
        ],
    },
    Table {
        title: "Processor, Processes",
        symbol: "us",
        better: Lower,
        lead: 2,
        layouts: &[&[
            MHZ,
            column("null call", "null call", "null_call"),
            column("null I/O", "null I/O", "null_io"),
            column("stat", "stat", "stat"),
            column("open clos", "open/close", "open_close"),
            column("slct TCP", "select TCP", "select_tcp"),
            column("sig inst", "sig inst", "sig_inst"),
            column("sig hndl", "sig hndl", "sig_hndl"),
            column("fork proc", "fork proc", "fork_proc"),
            column("exec proc", "exec proc", "exec_proc"),
            column("sh proc", "sh proc", "sh_proc"),
        ]],
    },
    Table {
        title: "Basic integer operations",
        symbol: "ns",
        better: Lower,
        lead: 2,
        layouts: &[&[
            column("intgr bit", "integer bit", "integer_bit"),
            column("intgr add", "integer add", "integer_add"),
            column("intgr mul", "integer mul", "integer_mul"),
            column("intgr div", "integer div", "integer_div"),
            column("intgr mod", "integer mod", "integer_mod"),
        ]],
    },
    Table {
        title: "Basic uint64 operations",
        symbol: "ns",
        better: Lower,
        lead: 2,
        layouts: &[&[
            column("int64 bit", "int64 bit", "int64_bit"),
            column("int64 add", "int64 add", "int64_add"),
            column("int64 mul", "int64 mul", "int64_mul"),
            column("int64 div", "int64 div", "int64_div"),
            column("int64 mod", "int64 mod", "int64_mod"),
        ]],
    },
    Table {
        title: "Basic float operations",
        symbol: "ns",
        better: Lower,
        lead: 2,
        layouts: &[&[
            column("float add", "float add", "float_add"),
            column("float mul", "float mul", "float_mul"),
            column("float div", "float div", "float_div"),
            column("float bogo", "float bogomflops", "float_bogomflops"),
        ]],
    },
    Table {
        title: "Basic double operations",
        symbol: "ns",
        better: Lower,
        lead: 2,
        layouts: &[&[
            column("double add", "double add", "double_add"),
            column("double mul", "double mul", "double_mul"),
            column("double div", "double div", "double_div"),
            column("double bogo", "double bogomflops", "double_bogomflops"),
        ]],
    },
    Table {
        title: "Context switching",
        symbol: "us",
        better: Lower,
        lead: 2,
        layouts: &[&[
            CTXSW_2P_0K,
            column("2p/16K ctxsw", "2p/16K ctxsw", "ctxsw{procs=2,size=16K}"),
            column("2p/64K ctxsw", "2p/64K ctxsw", "ctxsw{procs=2,size=64K}"),
            column("8p/16K ctxsw", "8p/16K ctxsw", "ctxsw{procs=8,size=16K}"),
            column("8p/64K ctxsw", "8p/64K ctxsw", "ctxsw{procs=8,size=64K}"),
            column("16p/16K ctxsw", "16p/16K ctxsw", "ctxsw{procs=16,size=16K}"),
            column("16p/64K ctxsw", "16p/64K ctxsw", "ctxsw{procs=16,size=64K}"),
        ]],
    },
    Table {
        title: "*Local* Communication latencies",
        symbol: "us",
        better: Lower,
        lead: 2,
        layouts: &[&[
            CTXSW_2P_0K,
            column("Pipe", "Pipe latency", "pipe_latency"),
            column("AF UNIX", "AF UNIX latency", "af_unix_latency"),
            column("UDP", "UDP latency", "udp_latency"),
            column("RPC/ UDP", "RPC/UDP latency", "rpc_udp_latency"),
            column("TCP", "TCP latency", "tcp_latency"),
            column("RPC/ TCP", "RPC/TCP latency", "rpc_tcp_latency"),
            column("TCP conn", "TCP conn", "tcp_conn"),
        ]],
    },
    Table {
        title: "*Remote* Communication latencies",
        symbol: "us",
        better: Lower,
        lead: 2,
        layouts: &[&[
            column("UDP", "remote UDP latency", "remote_udp_latency"),
            column(
                "RPC/ UDP",
                "remote RPC/UDP latency",
                "remote_rpc_udp_latency",
            ),
            column("TCP", "remote TCP latency", "remote_tcp_latency"),
            column(
                "RPC/ TCP",
                "remote RPC/TCP latency",
                "remote_rpc_tcp_latency",
            ),
            column("TCP conn", "remote TCP conn", "remote_tcp_conn"),
        ]],
    },
    Table {
        title: "File & VM system latencies",
        symbol: "us",
        better: Lower,
        lead: 2,
        layouts: &[FILE_AND_VM.split_at(7).0, &FILE_AND_VM],
    },
    Table {
        title: "*Local* Communication bandwidths",
        symbol: "MB/s",
        better: Higher,
        lead: 2,
        layouts: &[&[
            column("Pipe", "Pipe bandwidth", "pipe_bandwidth"),
            column("AF UNIX", "AF UNIX bandwidth", "af_unix_bandwidth"),
            column("TCP", "TCP bandwidth", "tcp_bandwidth"),
            column("File reread", "File reread", "file_reread"),
            column("Mmap reread", "Mmap reread", "mmap_reread"),
            column("Bcopy (libc)", "Bcopy (libc)", "bcopy_libc"),
            column("Bcopy (hand)", "Bcopy (hand)", "bcopy_hand"),
            column("Mem read", "Mem read", "mem_read"),
            column("Mem write", "Mem write", "mem_write"),
        ]],
    },
    Table {
        title: "Memory latencies in nanoseconds",
        symbol: "ns",
        better: Lower,
        lead: 2,
        layouts: &[
            &[MEMORY[0], MEMORY[1], MEMORY[2], MEMORY[3], MEMORY[5]],
            &MEMORY,
        ],
    },
];

/// Lines of a result file that are the source of a column above: how the line begins, and the column.
const LINES: &[(&str, &str, &str)] = &[
    ("Simple syscall", "null call", "null_call"),
    ("Simple stat", "stat", "stat"),
    ("Simple open/close", "open/close", "open_close"),
    ("Select on 100 tcp fd", "select TCP", "select_tcp"),
    ("Select on 100 fd", "100fd select", "select_100fd"),
    ("Signal handler installation", "sig inst", "sig_inst"),
    ("Signal handler overhead", "sig hndl", "sig_hndl"),
    ("Process fork+exit", "fork proc", "fork_proc"),
    ("Process fork+execve", "exec proc", "exec_proc"),
    ("Process fork+/bin/sh", "sh proc", "sh_proc"),
    ("Protection fault", "Prot Fault", "prot_fault"),
    ("Pagefaults on", "Page Fault", "page_fault"),
    ("Pipe latency", "Pipe latency", "pipe_latency"),
    ("Pipe bandwidth", "Pipe bandwidth", "pipe_bandwidth"),
    (
        "AF_UNIX sock stream latency",
        "AF UNIX latency",
        "af_unix_latency",
    ),
    (
        "AF_UNIX sock stream bandwidth",
        "AF UNIX bandwidth",
        "af_unix_bandwidth",
    ),
    ("UDP latency using localhost", "UDP latency", "udp_latency"),
    ("TCP latency using localhost", "TCP latency", "tcp_latency"),
    (
        "RPC/udp latency using localhost",
        "RPC/UDP latency",
        "rpc_udp_latency",
    ),
    (
        "RPC/tcp latency using localhost",
        "RPC/TCP latency",
        "rpc_tcp_latency",
    ),
    (
        "TCP/IP connection cost to localhost",
        "TCP conn",
        "tcp_conn",
    ),
    ("integer bit", "integer bit", "integer_bit"),
    ("integer add", "integer add", "integer_add"),
    ("integer mul", "integer mul", "integer_mul"),
    ("integer div", "integer div", "integer_div"),
    ("integer mod", "integer mod", "integer_mod"),
];

/// The row of a column.
pub(crate) fn of_column(column: &Column, symbol: &str, better: Better) -> Row {
    let (symbol, better) = match column.id {
        "mhz" => ("MHz", Higher),
        "tlb_pages" => ("pages", Higher),
        "mem_par" => ("", Higher),
        _ => (symbol, better),
    };
    let row = Row::new(FAMILY, column.title, symbol, better);
    let Some((id, parameters)) = column.id.split_once('{') else {
        return row.id(FAMILY, column.id);
    };
    let parameters = parameters.trim_end_matches('}').split(',');
    let pairs = parameters.filter_map(|p| p.split_once('='));
    pairs.fold(row.id(FAMILY, id), |row, (name, value)| {
        row.with(name, value)
    })
}

/// The row of the line of a result file that begins with `label`: a summary's column, or itself.
pub(crate) fn of_line(label: &str, symbol: &str, better: Better) -> Row {
    // `integer bit` and not `integer bit parallelism`.
    let is = |name: &str| {
        label.strip_prefix(name).is_some_and(|rest| {
            !rest.contains("parallelism")
                && (rest.is_empty() || !rest.starts_with(char::is_alphanumeric))
        })
    };
    match LINES.iter().find(|(name, ..)| is(name)) {
        // The point is the column's; the title stays what the line says.
        Some((_, _, id)) => Row::new(FAMILY, label, symbol, better).id(FAMILY, id),
        None => Row::new(FAMILY, label, symbol, better),
    }
}
