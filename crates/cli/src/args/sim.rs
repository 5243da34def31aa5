//! Arguments of `whyslow sim`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct Sim {
    /// The latency curve of this record: measured against simulated, by size
    #[arg(long, value_name = "RECORD", group = "input")]
    pub(crate) like: Option<PathBuf>,
    /// A trace, - for standard input
    #[arg(long, value_name = "FILE", group = "input")]
    pub(crate) trace: Option<PathBuf>,
    /// How the trace is written [default: told by how it begins]
    #[arg(long, value_enum, requires = "trace")]
    pub(crate) trace_format: Option<TraceFormatArgument>,
    /// Accesses as our probes make them (the default: chase)
    #[arg(long, value_enum, group = "input")]
    pub(crate) pattern: Option<PatternArgument>,
    /// Memory of the pattern
    #[arg(long, value_name = "SIZE", default_value = "1MiB", value_parser = bytes)]
    pub(crate) memory: u64,
    /// Bytes between the reads of --pattern stride
    #[arg(long, value_name = "SIZE", default_value = "64", value_parser = bytes)]
    pub(crate) stride: u64,
    /// Kind of pages, with --like
    #[arg(long, value_enum, default_value_t = PagesArgument::Ordinary)]
    pub(crate) pages: PagesArgument,
    /// Placement of pages [default: random]; with --like, what if pages were placed so
    #[arg(long, value_enum)]
    pub(crate) policy: Option<PolicyArgument>,
    /// Pages in holes that others left, percent, with --policy stock: 0 is a fresh machine, 100 the same as random
    #[arg(long, value_name = "PERCENT", default_value_t = 50, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) age: u32,
    /// Placement as measured: colors as often as this record's draws had them, where the host showed frame numbers
    #[arg(long, value_name = "RECORD", conflicts_with_all = ["like", "policy"])]
    pub(crate) colors_of: Option<PathBuf>,
    /// A cache, nearest first (may be repeated): SIZE:WAYS, then as wanted :lru, :bit-plru, :tree-plru, :srrip, :brrip or :random,
    /// :inclusive or :exclusive, :pairs (a read that misses fetches the other line of its pair too), :no-allocate, :through or :through-no-allocate [default: 48KiB:12 1MiB:16 32MiB:16]
    #[arg(long, value_name = "CACHE", conflicts_with = "like")]
    pub(crate) cache: Vec<String>,
    /// A level of the TLB, nearest first (may be repeated): ENTRIES:WAYS [default: none]
    #[arg(long, value_name = "TLB", conflicts_with = "like")]
    pub(crate) tlb: Vec<String>,
    /// What if a level had this size, such as L2=2MiB (may be repeated)
    #[arg(long, value_name = "LEVEL=SIZE")]
    pub(crate) size: Vec<String>,
    /// What if a level had so many ways, such as L2=8
    #[arg(long, value_name = "LEVEL=WAYS")]
    pub(crate) ways: Vec<String>,
    /// What if a level replaced otherwise, such as L3=srrip
    #[arg(long, value_name = "LEVEL=POLICY")]
    pub(crate) replacement: Vec<String>,
    /// What if a level's index were a hash, such as L2 (each bit the XOR of those a set number apart), or L2=MASK,MASK...
    /// with a mask of the address for each bit, in hexadecimal
    #[arg(long, value_name = "LEVEL[=MASKS]")]
    pub(crate) hash: Vec<String>,
    /// ns of a load served by each cache and by memory, such as 0.9,3.3,12,100, to model latency
    #[arg(
        long,
        value_name = "NS,...",
        value_delimiter = ',',
        conflicts_with = "like"
    )]
    pub(crate) latency: Vec<f64>,
    /// What was measured, to see where it lies among placements (may be repeated): ns an access, with --latency, or the misses
    /// of a level, such as L2=120000
    #[arg(long, value_name = "NS|LEVEL=MISSES", conflicts_with = "like")]
    pub(crate) measured: Vec<String>,
    /// Placements
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) placements: u32,
    /// Passes before the one that counts [default: 2 for patterns, 0 for traces]
    #[arg(long, value_name = "N", conflicts_with = "like", value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(crate) warm: Option<u32>,
    /// Largest size of the curve, with --like
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = bytes)]
    pub(crate) up_to: u64,
    /// Write what reaches memory in the first placement: physical addresses for simulators of DRAM
    #[arg(long, value_name = "FILE", conflicts_with = "like")]
    pub(crate) write_trace: Option<PathBuf>,
    /// How that is written
    #[arg(long, value_enum, default_value_t = DramFormat::Ramulator2)]
    pub(crate) write_format: DramFormat,
    /// Seed of the first placement
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// How to print it
    #[arg(long, value_enum, default_value_t = SimFormat::Table)]
    pub(crate) format: SimFormat,
}

/// A size such as 1MiB, or plain bytes.
fn bytes(text: &str) -> Result<u64, String> {
    whyslow_model::size::parse(text)
        .filter(|bytes| *bytes > 0)
        .ok_or_else(|| "a size such as 64, 48KiB or 1MiB is expected".to_owned())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceFormatArgument {
    /// R or W, an address in hexadecimal, a size in bytes or nothing
    Plain,
    /// The text of `valgrind --tool=lackey --trace-mem=yes`
    Lackey,
    /// ChampSim's records of 64 bytes, not compressed
    Champsim,
    /// The text of QEMU's plugin execlog
    Execlog,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PatternArgument {
    /// A random cycle over all lines, as mem.latency follows
    Chase,
    /// Reads forward, --stride apart
    Stride,
    /// Reads of 8 bytes forward
    Read,
    /// Writes of 8 bytes forward
    Write,
    /// The first half read and written to the second
    Copy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PagesArgument {
    /// Pages of 4 KiB on any frame
    Ordinary,
    /// Pages of 4 KiB of all colors in turn
    Colored,
    /// Huge pages of 2 MiB
    Thp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyArgument {
    /// None: caches see the program's addresses
    Virtual,
    /// Frame after frame
    Sequential,
    /// As a kernel without colors gives them: --age percent in holes, the rest frame after frame in free blocks of 4 MiB
    Stock,
    /// Any frame, as memory that is aged through and through has them
    Random,
    /// The color of the page's number
    Colored,
    /// The next color at each first touch
    Hopping,
    /// Huge pages of 2 MiB anywhere
    Huge,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DramFormat {
    /// Ramulator 2, load and store trace: LD or ST and the address
    Ramulator2,
    /// DRAMsim3: the address, READ or WRITE, and the number of the request in place of a cycle
    Dramsim3,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SimFormat {
    /// Tables for people
    Table,
    /// Everything, by the schema in schema/sim.schema.json
    Json,
}
