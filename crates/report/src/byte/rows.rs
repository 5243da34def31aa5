//! The rows: names, points, units, baselines.

use whyslow_model::id;

use crate::figure::Turn;

/// A row of BYTE's.
#[derive(Debug)]
pub(super) struct IndexRow {
    /// As UnixBench 6 prints it.
    pub(super) name: &'static str,
    /// As older versions do, without what follows in brackets or after a dash.
    aliases: &'static [&'static str],
    /// The point that has it.
    pub(super) probe: &'static str,
    pub(super) params: &'static [(&'static str, &'static str)],
    /// From the point's unit to that of the row.
    pub(super) turn: Turn,
    /// Loops or minutes' loops a second, KB a second, MWIPS.
    pub(super) unit: &'static str,
    /// The rate of a SPARCstation 20-61 with 128 MB under Solaris 2.3, published with UnixBench.
    pub(super) baseline: Option<f64>,
}

impl IndexRow {
    /// Is `title` this row's name, in capitals or not?
    pub(super) fn is_called(&self, title: &str) -> bool {
        let plain = |name: &str| {
            name.to_lowercase()
                .replace(" test", "")
                .replace([' ', '-'], "")
        };
        [self.name]
            .iter()
            .chain(self.aliases)
            .any(|name| plain(name) == plain(title))
    }
}

type Params = &'static [(&'static str, &'static str)];

/// Loops a second from ns.
const LPS: (Turn, &str) = (Turn::Over(1e9), "lps");
/// Loops a minute from ns.
const LPM: (Turn, &str) = (Turn::Over(60e9), "lpm");
/// Kilobytes (of 1,024) a second from GB/s.
const KBPS: (Turn, &str) = (Turn::Times(1e9 / 1024.0), "KBps");
/// Millions of Whetstone instructions a second from ns.
const MWIPS: (Turn, &str) = (Turn::Over(1e3), "MWIPS");
/// Loops of five calls a second from ns a call.
const FIVE: (Turn, &str) = (Turn::Over(1e9 / 5.0), "lps");

const fn row(
    name: &'static str,
    probe: &'static str,
    params: Params,
    (turn, unit): (Turn, &'static str),
) -> IndexRow {
    IndexRow {
        name,
        aliases: &[],
        probe,
        params,
        turn,
        unit,
        baseline: None,
    }
}

impl IndexRow {
    const fn base(self, rate: f64) -> IndexRow {
        IndexRow {
            baseline: Some(rate),
            ..self
        }
    }

    const fn also(self, aliases: &'static [&'static str]) -> IndexRow {
        IndexRow { aliases, ..self }
    }
}

/// The rows of the index, in UnixBench's order.
pub(super) const INDEX: &[IndexRow] = &[
    row(
        "Dhrystone 2 using register variables",
        id::CPU_DHRYSTONE,
        &[],
        LPS,
    )
    .base(116_700.0)
    .also(&["Dhrystone 2 without register variables"]),
    row(
        "Double-Precision Whetstone",
        id::CPU_WHETSTONE,
        &[("section", "all")],
        MWIPS,
    )
    .base(55.0),
    row(
        "Execl Throughput",
        id::PROC_EXECL,
        &[("image", "dynamic")],
        LPS,
    )
    .base(43.0),
    row(
        "File Copy 1024 bufsize 2000 maxblocks",
        id::FILE_BYTE,
        &[("op", "copy"), ("buffer", "1024")],
        KBPS,
    )
    .base(3960.0),
    row(
        "File Copy 256 bufsize 500 maxblocks",
        id::FILE_BYTE,
        &[("op", "copy"), ("buffer", "256")],
        KBPS,
    )
    .base(1655.0),
    row(
        "File Copy 4096 bufsize 8000 maxblocks",
        id::FILE_BYTE,
        &[("op", "copy"), ("buffer", "4096")],
        KBPS,
    )
    .base(5800.0),
    row("Pipe Throughput", id::IPC_PIPE_SELF, &[], LPS).base(12_440.0),
    row(
        "Pipe-based Context Switching",
        id::IPC_PIPE,
        &[("cpus", "free")],
        LPS,
    )
    .base(4000.0),
    row(
        "Process Creation",
        id::PROC_FORK,
        &[("image", "dynamic")],
        LPS,
    )
    .base(126.0),
    row(
        "Shell Scripts (1 concurrent)",
        id::PROC_SHELL_SCRIPTS,
        &[("concurrent", "1")],
        LPM,
    )
    .base(42.4),
    row(
        "Shell Scripts (8 concurrent)",
        id::PROC_SHELL_SCRIPTS,
        &[("concurrent", "8")],
        LPM,
    )
    .base(6.0),
    row("System Call Overhead", id::OS_CALL_MIX, &[], FIVE).base(15_000.0),
];

/// The rows outside of the index.
pub(super) const OTHERS: &[IndexRow] = &[
    row(
        "Pipe-based Context Switching, one CPU",
        id::IPC_PIPE,
        &[("cpus", "same-cpu")],
        LPS,
    ),
    row(
        "Shell Scripts (2 concurrent)",
        id::PROC_SHELL_SCRIPTS,
        &[("concurrent", "2")],
        LPM,
    ),
    row(
        "Shell Scripts (4 concurrent)",
        id::PROC_SHELL_SCRIPTS,
        &[("concurrent", "4")],
        LPM,
    ),
    row(
        "Shell Scripts (16 concurrent)",
        id::PROC_SHELL_SCRIPTS,
        &[("concurrent", "16")],
        LPM,
    ),
    row(
        "File Read 1024 bufsize 2000 maxblocks",
        id::FILE_BYTE,
        &[("op", "read"), ("buffer", "1024")],
        KBPS,
    ),
    row(
        "File Write 1024 bufsize 2000 maxblocks",
        id::FILE_BYTE,
        &[("op", "write"), ("buffer", "1024")],
        KBPS,
    ),
    row(
        "File Read 256 bufsize 500 maxblocks",
        id::FILE_BYTE,
        &[("op", "read"), ("buffer", "256")],
        KBPS,
    ),
    row(
        "File Write 256 bufsize 500 maxblocks",
        id::FILE_BYTE,
        &[("op", "write"), ("buffer", "256")],
        KBPS,
    ),
    row(
        "File Read 4096 bufsize 8000 maxblocks",
        id::FILE_BYTE,
        &[("op", "read"), ("buffer", "4096")],
        KBPS,
    ),
    row(
        "File Write 4096 bufsize 8000 maxblocks",
        id::FILE_BYTE,
        &[("op", "write"), ("buffer", "4096")],
        KBPS,
    ),
    row("Arithoh", id::CPU_ARITH, &[("type", "overhead")], LPS)
        .also(&["Arithmetic Test (type = arithoh)"]),
    row(
        "Arithmetic Test (short)",
        id::CPU_ARITH,
        &[("type", "short")],
        LPS,
    )
    .also(&["Arithmetic Test (type = short)"]),
    row(
        "Arithmetic Test (int)",
        id::CPU_ARITH,
        &[("type", "int")],
        LPS,
    )
    .also(&[
        "Arithmetic Test (type = int)",
        "Arithmetic Test (type = register)",
    ]),
    row(
        "Arithmetic Test (long)",
        id::CPU_ARITH,
        &[("type", "long")],
        LPS,
    )
    .also(&["Arithmetic Test (type = long)"]),
    row(
        "Arithmetic Test (float)",
        id::CPU_ARITH,
        &[("type", "float")],
        LPS,
    )
    .also(&["Arithmetic Test (type = float)"]),
    row(
        "Arithmetic Test (double)",
        id::CPU_ARITH,
        &[("type", "double")],
        LPS,
    )
    .also(&["Arithmetic Test (type = double)"]),
    row(
        "Exec System Call Overhead",
        id::PROC_EXEC,
        &[("image", "dynamic")],
        LPS,
    ),
    row("C Compiler Throughput", id::PROC_COMPILE_ONE, &[], LPM).also(&["C Compiler Test"]),
    row("Dc: sqrt(2) to 99 decimal places", id::PROC_DC, &[], LPM),
    row(
        "Recursion Test -- Tower of Hanoi",
        id::CPU_HANOI,
        &[("disks", "10")],
        LPS,
    )
    .also(&["Recursion Test--Tower of Hanoi"]),
    row("Grep a large file (system's grep)", id::PROC_GREP, &[], LPM),
];
