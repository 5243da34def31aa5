//! The rows: which program of the rival and which point of ours, and why they differ where they do.

/// Where a rival's row comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Suite {
    /// lmbench 3.
    Lmbench,
    /// UnixBench.
    Byte,
}

/// Where the figure stands in what a program prints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Take {
    /// The first number after this text, in its line.
    After(&'static str),
    /// The last number of the last line that has one.
    LastOfLastLine,
    /// UnixBench's `COUNT|n|...` of so many seconds, as loops a second.
    Count {
        /// Seconds the program was told to run.
        seconds: f64,
    },
}

/// A row of a rival and the point that is the same thing.
#[derive(Debug)]
pub(crate) struct Row {
    /// Whose.
    pub(crate) suite: Suite,
    /// The rival's name of it.
    pub(crate) name: &'static str,
    /// Unit of both columns.
    pub(crate) unit: &'static str,
    /// A shell command; `{bin}` is the folder of the rival's programs, `{file}` a file of 16 MiB.
    pub(crate) command: &'static str,
    /// Where the figure stands.
    pub(crate) take: Take,
    /// Our point.
    pub(crate) point: &'static str,
    /// How our value becomes the row's unit.
    pub(crate) as_theirs: AsTheirs,
    /// Left to the scheduler rather than on one CPU.
    pub(crate) free: bool,
    /// Why they differ, where they do and the reason was shown.
    pub(crate) why: &'static str,
}

/// How our value becomes the rival's unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum AsTheirs {
    /// Multiplied.
    Times(f64),
    /// This over our value: a rate from a time.
    Over(f64),
}

impl Row {
    /// What tells it from the others.
    pub(crate) fn id(&self) -> &'static str {
        self.name
    }

    /// Our value in the row's unit.
    pub(crate) fn in_their_unit(&self, value: f64) -> f64 {
        match self.as_theirs {
            AsTheirs::Times(by) => value * by,
            AsTheirs::Over(from) => from / value,
        }
    }
}

const US: AsTheirs = AsTheirs::Times(1e-3);
const NS: AsTheirs = AsTheirs::Times(1.0);

/// Half of a copy: lmbench counts copied bytes once, whyslow as read and as written.
const ONCE: AsTheirs = AsTheirs::Times(500.0);

/// GB/s to the MB/s that lmbench prints.
const MB: AsTheirs = AsTheirs::Times(1e3);

const fn lmbench(
    name: &'static str,
    unit: &'static str,
    command: &'static str,
    take: Take,
    point: &'static str,
    as_theirs: AsTheirs,
    why: &'static str,
) -> Row {
    Row {
        suite: Suite::Lmbench,
        name,
        unit,
        command,
        take,
        point,
        as_theirs,
        free: false,
        why,
    }
}

const fn byte(
    name: &'static str,
    command: &'static str,
    seconds: f64,
    point: &'static str,
    as_theirs: AsTheirs,
    why: &'static str,
) -> Row {
    Row {
        suite: Suite::Byte,
        name,
        unit: "loops/s",
        command,
        take: Take::Count { seconds },
        point,
        as_theirs,
        free: false,
        why,
    }
}

/// Every row.
// A table: one row a line.
#[rustfmt::skip]
pub(crate) const ROWS: &[Row] = &[
    lmbench("null call", "us", "{bin}/lat_syscall -P 1 null", Take::After(": "), "os.null_call", US, ""),
    lmbench("read", "us", "{bin}/lat_syscall -P 1 read", Take::After(": "), "os.read", US, ""),
    lmbench("write", "us", "{bin}/lat_syscall -P 1 write", Take::After(": "), "os.write", US, ""),
    lmbench("stat", "us", "{bin}/lat_syscall -P 1 stat {file}", Take::After(": "), "os.stat", US, ""),
    lmbench("fstat", "us", "{bin}/lat_syscall -P 1 fstat {file}", Take::After(": "), "os.fstat", US, "the libc asks newfstatat with an empty path, which takes 6 % longer than fstat; the rest is its wrapper"),
    lmbench("open/close", "us", "{bin}/lat_syscall -P 1 open {file}", Take::After(": "), "os.open_close", US, ""),
    lmbench("signal install", "us", "{bin}/lat_sig -P 1 install", Take::After(": "), "os.signal_install", US, ""),
    lmbench("signal handle", "us", "{bin}/lat_sig -P 1 catch", Take::After(": "), "os.signal_handle", US, ""),
    lmbench("select 100 files", "us", "{bin}/lat_select -P 1 -n 100 file", Take::After(": "), "os.select{on=file,fds=100}", US, ""),
    lmbench("select 100 TCP", "us", "{bin}/lat_select -P 1 -n 100 tcp", Take::After(": "), "os.select{on=tcp,fds=100}", US, ""),
    lmbench("fork", "us", "{bin}/lat_proc -P 1 fork", Take::After(": "), "proc.fork{image=dynamic}", US, "lmbench forks through the libc from a process with 400 KiB of heap and runs exit handlers; a bare fork in C takes what ours does"),
    lmbench("exec", "us", "{bin}/lat_proc -P 1 exec", Take::After(": "), "proc.exec{image=dynamic}", US, "as for fork"),
    lmbench("sh", "us", "{bin}/lat_proc -P 1 shell", Take::After(": "), "proc.shell", US, "as for fork"),
    lmbench("2p/0K", "us", "{bin}/lat_ctx -P 1 -s 0 2", Take::LastOfLastLine, "ctx.ring{procs=2,size=0,cpus=same-cpu}", US, ""),
    lmbench("2p/16K", "us", "{bin}/lat_ctx -P 1 -s 16 2", Take::LastOfLastLine, "ctx.ring{procs=2,size=16KiB,cpus=same-cpu}", US, ""),
    lmbench("8p/16K", "us", "{bin}/lat_ctx -P 1 -s 16 8", Take::LastOfLastLine, "ctx.ring{procs=8,size=16KiB,cpus=same-cpu}", US, ""),
    lmbench("16p/64K", "us", "{bin}/lat_ctx -P 1 -s 64 16", Take::LastOfLastLine, "ctx.ring{procs=16,size=64KiB,cpus=same-cpu}", US, ""),
    lmbench("pipe", "us", "{bin}/lat_pipe -P 1 -N 1", Take::After(": "), "ipc.pipe{cpus=same-cpu}", US, ""),
    lmbench("AF_UNIX", "us", "{bin}/lat_unix -P 1 -N 1", Take::After(": "), "net.latency{over=unix,cpus=same-cpu}", US, ""),
    lmbench("fcntl lock", "us", "{bin}/lat_fcntl -P 1", Take::After(": "), "ipc.fcntl_lock{cpus=same-cpu}", US, ""),
    lmbench("page fault", "us", "{bin}/lat_pagefault -P 1 {file}", Take::After(": "), "vm.page_fault{of=file,order=random,step=page}", US, ""),
    lmbench("mmap 16M", "us", "{bin}/lat_mmap -P 1 16m {file}", Take::LastOfLastLine, "vm.mmap{size=16MiB}", US, ""),
    lmbench("pipe bandwidth", "MB/s", "{bin}/bw_pipe -P 1 -N 1", Take::After(": "), "ipc.bandwidth{over=pipe,cpus=same-cpu}", MB, ""),
    lmbench("AF_UNIX bandwidth", "MB/s", "{bin}/bw_unix -P 1 -N 1", Take::After(": "), "ipc.bandwidth{over=unix,cpus=same-cpu}", MB, ""),
    lmbench("file reread 16M", "MB/s", "{bin}/bw_file_rd -P 1 16m io_only {file}", Take::LastOfLastLine, "file.read{how=read,size=16MiB}", MB, "lmbench sums each word after reading, which takes longer than reading"),
    lmbench("bcopy libc 8M", "MB/s", "{bin}/bw_mem -P 1 8m bcopy", Take::LastOfLastLine, "mem.libc{op=memcpy,size=16MiB}", ONCE, ""),
    lmbench("integer bit latency", "ns", "{bin}/lat_ops", Take::After("integer bit: "), "cpu.op{op=bit,type=int}", NS, ""),
    lmbench("integer mul latency", "ns", "{bin}/lat_ops", Take::After("integer mul: "), "cpu.op{op=mul,type=int}", NS, ""),
    lmbench("integer div latency", "ns", "{bin}/lat_ops", Take::After("integer div: "), "cpu.op{op=div,type=int}", NS, ""),
    lmbench("integer mod latency", "ns", "{bin}/lat_ops", Take::After("integer mod: "), "cpu.op{op=mod,type=int}", NS, ""),
    lmbench("int64 mul latency", "ns", "{bin}/lat_ops", Take::After("int64 mul: "), "cpu.op{op=mul,type=int64}", NS, ""),
    lmbench("float add latency", "ns", "{bin}/lat_ops", Take::After("float add: "), "cpu.op{op=add,type=float}", NS, ""),
    lmbench("float mul latency", "ns", "{bin}/lat_ops", Take::After("float mul: "), "cpu.op{op=mul,type=float}", NS, ""),
    lmbench("float div latency", "ns", "{bin}/lat_ops", Take::After("float div: "), "cpu.op{op=div,type=float}", NS, ""),
    lmbench("double add latency", "ns", "{bin}/lat_ops", Take::After("double add: "), "cpu.op{op=add,type=double}", NS, ""),
    lmbench("double mul latency", "ns", "{bin}/lat_ops", Take::After("double mul: "), "cpu.op{op=mul,type=double}", NS, ""),
    lmbench("double div latency", "ns", "{bin}/lat_ops", Take::After("double div: "), "cpu.op{op=div,type=double}", NS, ""),
    byte("Dhrystone 2", "{bin}/dhry2reg 3", 3.0, "cpu.dhrystone", AsTheirs::Over(1e9), "another compiler: the row says which"),
    byte("arithmetic, register", "{bin}/register 3", 3.0, "cpu.arith{type=register}", AsTheirs::Over(1e9), "the compiler removes the arithmetic of UnixBench's row and leaves an empty loop (by disassembly); its source made to compute agrees"),
    byte("arithmetic, double", "{bin}/double 3", 3.0, "cpu.arith{type=double}", AsTheirs::Over(1e9), "the compiler removes the arithmetic of UnixBench's row and leaves an empty loop (by disassembly); its source made to compute agrees"),
    byte("system call mix", "{bin}/syscall 3 mix", 3.0, "os.call_mix", AsTheirs::Over(0.2e9), ""),
    byte("pipe throughput", "{bin}/pipe 3", 3.0, "ipc.pipe_self", AsTheirs::Over(1e9), ""),
    byte("process creation", "{bin}/spawn 3", 3.0, "proc.fork{image=dynamic}", AsTheirs::Over(1e9), "as for lmbench: a bare fork against the libc's"),
    byte("Tower of Hanoi", "{bin}/hanoi 3", 3.0, "cpu.hanoi{disks=10}", AsTheirs::Over(1e9), ""),
];
