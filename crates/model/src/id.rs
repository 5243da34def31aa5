//! Ids of the probes that crates other than `probes` refer to, and of the figures of a load.
//!
//! A test checks that each is declared: a misspelled id does not compile, a removed one fails.

/// `cpu.arith`.
pub const CPU_ARITH: &str = "cpu.arith";
/// `cpu.clock`.
pub const CPU_CLOCK: &str = "cpu.clock";
/// `cpu.core_to_core`.
pub const CPU_CORE_TO_CORE: &str = "cpu.core_to_core";
/// `cpu.dhrystone`.
pub const CPU_DHRYSTONE: &str = "cpu.dhrystone";
/// `cpu.hanoi`.
pub const CPU_HANOI: &str = "cpu.hanoi";
/// `cpu.op`.
pub const CPU_OP: &str = "cpu.op";
/// `cpu.select`.
pub const CPU_SELECT: &str = "cpu.select";
/// `cpu.whetstone`.
pub const CPU_WHETSTONE: &str = "cpu.whetstone";
/// `ctx.ring`.
pub const CTX_RING: &str = "ctx.ring";
/// `file.byte`.
pub const FILE_BYTE: &str = "file.byte";
/// `file.read`.
pub const FILE_READ: &str = "file.read";
/// `fs.create`.
pub const FS_CREATE: &str = "fs.create";
/// `fs.delete`.
pub const FS_DELETE: &str = "fs.delete";
/// `ipc.bandwidth`.
pub const IPC_BANDWIDTH: &str = "ipc.bandwidth";
/// `ipc.pipe`.
pub const IPC_PIPE: &str = "ipc.pipe";
/// `ipc.pipe_self`.
pub const IPC_PIPE_SELF: &str = "ipc.pipe_self";
/// `load.cpu`.
pub const LOAD_CPU: &str = "load.cpu";
/// `load.involuntary_switches`.
pub const LOAD_INVOLUNTARY_SWITCHES: &str = "load.involuntary_switches";
/// `load.major_faults`.
pub const LOAD_MAJOR_FAULTS: &str = "load.major_faults";
/// `load.max_rss`.
pub const LOAD_MAX_RSS: &str = "load.max_rss";
/// `load.minor_faults`.
pub const LOAD_MINOR_FAULTS: &str = "load.minor_faults";
/// `load.real`.
pub const LOAD_REAL: &str = "load.real";
/// `load.shell`.
pub const LOAD_SHELL: &str = "load.shell";
/// `load.system`.
pub const LOAD_SYSTEM: &str = "load.system";
/// `load.user`.
pub const LOAD_USER: &str = "load.user";
/// `load.voluntary_switches`.
pub const LOAD_VOLUNTARY_SWITCHES: &str = "load.voluntary_switches";
/// `mem.bandwidth`.
pub const MEM_BANDWIDTH: &str = "mem.bandwidth";
/// `mem.latency`.
pub const MEM_LATENCY: &str = "mem.latency";
/// `mem.libc`.
pub const MEM_LIBC: &str = "mem.libc";
/// `mem.line`.
pub const MEM_LINE: &str = "mem.line";
/// `mem.parallelism`.
pub const MEM_PARALLELISM: &str = "mem.parallelism";
/// `mem.stream`.
pub const MEM_STREAM: &str = "mem.stream";
/// `mem.tlb`.
pub const MEM_TLB: &str = "mem.tlb";
/// `net.connect`.
pub const NET_CONNECT: &str = "net.connect";
/// `net.latency`.
pub const NET_LATENCY: &str = "net.latency";
/// `net.rpc`.
pub const NET_RPC: &str = "net.rpc";
/// `os.call_mix`.
pub const OS_CALL_MIX: &str = "os.call_mix";
/// `os.null_call`.
pub const OS_NULL_CALL: &str = "os.null_call";
/// `os.open_close`.
pub const OS_OPEN_CLOSE: &str = "os.open_close";
/// `os.read`.
pub const OS_READ: &str = "os.read";
/// `os.select`.
pub const OS_SELECT: &str = "os.select";
/// `os.signal_handle`.
pub const OS_SIGNAL_HANDLE: &str = "os.signal_handle";
/// `os.signal_install`.
pub const OS_SIGNAL_INSTALL: &str = "os.signal_install";
/// `os.stat`.
pub const OS_STAT: &str = "os.stat";
/// `os.write`.
pub const OS_WRITE: &str = "os.write";
/// `proc.compile_one`.
pub const PROC_COMPILE_ONE: &str = "proc.compile_one";
/// `proc.dc`.
pub const PROC_DC: &str = "proc.dc";
/// `proc.exec`.
pub const PROC_EXEC: &str = "proc.exec";
/// `proc.execl`.
pub const PROC_EXECL: &str = "proc.execl";
/// `proc.fork`.
pub const PROC_FORK: &str = "proc.fork";
/// `proc.grep`.
pub const PROC_GREP: &str = "proc.grep";
/// `proc.shell`.
pub const PROC_SHELL: &str = "proc.shell";
/// `proc.shell_scripts`.
pub const PROC_SHELL_SCRIPTS: &str = "proc.shell_scripts";
/// `smp.chase`.
pub const SMP_CHASE: &str = "smp.chase";
/// `smp.mandelbrot`.
pub const SMP_MANDELBROT: &str = "smp.mandelbrot";
/// `smp.sieve`.
pub const SMP_SIEVE: &str = "smp.sieve";
/// `smp.stream`.
pub const SMP_STREAM: &str = "smp.stream";
/// `vm.mmap`.
pub const VM_MMAP: &str = "vm.mmap";
/// `vm.page_fault`.
pub const VM_PAGE_FAULT: &str = "vm.page_fault";
/// `vm.prot_fault`.
pub const VM_PROT_FAULT: &str = "vm.prot_fault";

/// All of them.
pub const ALL: &[&str] = &[
    CPU_ARITH,
    CPU_CLOCK,
    CPU_CORE_TO_CORE,
    CPU_DHRYSTONE,
    CPU_HANOI,
    CPU_OP,
    CPU_WHETSTONE,
    CTX_RING,
    FILE_BYTE,
    FILE_READ,
    FS_CREATE,
    FS_DELETE,
    IPC_BANDWIDTH,
    IPC_PIPE,
    IPC_PIPE_SELF,
    LOAD_CPU,
    LOAD_INVOLUNTARY_SWITCHES,
    LOAD_MAJOR_FAULTS,
    LOAD_MAX_RSS,
    LOAD_MINOR_FAULTS,
    LOAD_REAL,
    LOAD_SHELL,
    LOAD_SYSTEM,
    LOAD_USER,
    LOAD_VOLUNTARY_SWITCHES,
    MEM_BANDWIDTH,
    MEM_LATENCY,
    MEM_LIBC,
    MEM_LINE,
    MEM_PARALLELISM,
    MEM_STREAM,
    MEM_TLB,
    NET_CONNECT,
    NET_LATENCY,
    NET_RPC,
    OS_CALL_MIX,
    OS_NULL_CALL,
    OS_OPEN_CLOSE,
    OS_READ,
    OS_SELECT,
    OS_SIGNAL_HANDLE,
    OS_SIGNAL_INSTALL,
    OS_STAT,
    OS_WRITE,
    PROC_COMPILE_ONE,
    PROC_DC,
    PROC_EXEC,
    PROC_EXECL,
    PROC_FORK,
    PROC_GREP,
    PROC_SHELL,
    PROC_SHELL_SCRIPTS,
    SMP_CHASE,
    SMP_MANDELBROT,
    SMP_SIEVE,
    SMP_STREAM,
    VM_MMAP,
    VM_PAGE_FAULT,
    VM_PROT_FAULT,
];
