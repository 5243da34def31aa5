//! UnixBench: loops a second, as its programs count them.

use super::{AsTheirs, Block, Row, Suite, Take, row};

/// A loop of ours takes the value in ns.
const LOOPS: AsTheirs = AsTheirs::Over(1e9);

/// Loops a minute.
const A_MINUTE: AsTheirs = AsTheirs::Over(60e9);

/// KB a second from GB/s.
const KBPS: AsTheirs = AsTheirs::Times(1e9 / 1024.0);

const EMPTY: &str = "the compiler removes the arithmetic of UnixBench's row and leaves an empty loop (by disassembly); the same source kept from that agrees";

const fn block(command: &'static str, rows: &'static [Row]) -> Block {
    Block {
        suite: Suite::Byte,
        command,
        rows,
    }
}

const fn loops(name: &'static str, point: &'static str, why: &'static str) -> Row {
    row(name, "loops/s", Take::Count(0), point, LOOPS, why)
}

const fn scripts(name: &'static str, point: &'static str) -> Row {
    row(name, "loops/min", Take::Count(0), point, A_MINUTE, "")
}

/// A tool that is started again and again by looper.
const fn tool(name: &'static str, point: &'static str, why: &'static str) -> Row {
    row(name, "loops/min", Take::Count(0), point, A_MINUTE, why)
}

const fn file(name: &'static str, nth: usize, point: &'static str) -> Row {
    row(name, "KB/s", Take::Count(nth), point, KBPS, "")
}

/// Every row that needs no file of UnixBench's own.
// A table: one row a line.
#[rustfmt::skip]
pub(super) const BLOCKS: &[Block] = &[
    block("{bin}/dhry2reg 2", &[loops("Dhrystone 2", "cpu.dhrystone", "another compiler: the probe's text says which choices of it matter")]),
    block("{bin}/dhry2 2", &[loops("Dhrystone 2 without register", "cpu.dhrystone", "another compiler: the probe's text says which choices of it matter")]),
    block("{bin}/whetstone-double", &[row("Whetstone", "MWIPS", Take::Count(0), "cpu.whetstone{section=all}", AsTheirs::Over(1e3), "another compiler: the probe's text says which choices of it matter")]),
    block("{bin}/arithoh 1", &[loops("arithmetic, overhead", "cpu.arith{type=overhead}", EMPTY)]),
    block("{bin}/register 1", &[loops("arithmetic, register", "cpu.arith{type=int}", EMPTY)]),
    block("{bin}/short 1", &[loops("arithmetic, short", "cpu.arith{type=short}", EMPTY)]),
    block("{bin}/int 1", &[loops("arithmetic, int", "cpu.arith{type=int}", EMPTY)]),
    block("{bin}/long 1", &[loops("arithmetic, long", "cpu.arith{type=long}", EMPTY)]),
    block("{bin}/float 1", &[loops("arithmetic, float", "cpu.arith{type=float}", EMPTY)]),
    block("{bin}/double 1", &[loops("arithmetic, double", "cpu.arith{type=double}", EMPTY)]),
    block("{bin}/hanoi 1", &[loops("Tower of Hanoi", "cpu.hanoi{disks=10}", "the compiler inlines UnixBench's recursion into itself several calls deep; the same source built with -fno-inline agrees")]),
    // It counts five calls as one.
    block("{bin}/syscall 1 mix", &[row("system call mix", "loops/s", Take::Count(0), "os.call_mix", AsTheirs::Over(0.2e9), "")]),
    block("{bin}/pipe 1", &[loops("pipe throughput", "ipc.pipe_self", "")]),
    block("{bin}/context1 1", &[loops("pipe-based context switching", "ipc.pipe{cpus=same-cpu}", "")]),
    block("{bin}/spawn 2", &[loops("process creation", "proc.fork{image=dynamic}", "the libc's fork() against a bare one; the same loop in C with a bare clone takes what ours does")]),
    block("cd {bin} && UB_BINDIR={bin} {bin}/execl 2", &[loops("execl throughput", "proc.execl{image=dynamic}", "UnixBench's program carries more code and prints and reads numbers through the libc between executions: in C the same loop takes what it does with them, and without them a third of the way to ours, whose image is smaller still")]),
    block("cd {bin}/../testdir && {bin}/looper 2 {bin}/multi.sh 1", &[scripts("shell scripts (1 concurrent)", "proc.shell_scripts{concurrent=1}")]),
    block("cd {bin}/../testdir && {bin}/looper 2 {bin}/multi.sh 2", &[scripts("shell scripts (2 concurrent)", "proc.shell_scripts{concurrent=2}")]),
    block("cd {bin}/../testdir && {bin}/looper 2 {bin}/multi.sh 4", &[scripts("shell scripts (4 concurrent)", "proc.shell_scripts{concurrent=4}")]),
    block("cd {bin}/../testdir && {bin}/looper 3 {bin}/multi.sh 8", &[scripts("shell scripts (8 concurrent)", "proc.shell_scripts{concurrent=8}")]),
    block("cd {bin}/../testdir && {bin}/looper 4 {bin}/multi.sh 16", &[scripts("shell scripts (16 concurrent)", "proc.shell_scripts{concurrent=16}")]),
    block("{bin}/syscall 1 exec", &[loops("exec system call overhead", "proc.exec{image=dynamic}", "UnixBench's parent is larger: in C the same loop takes 590 us from a program with the libc mapped and 555 from a static one, against 530 of ours; what its child executes is 1 %, and a fourth of the difference is not explained")]),
    block("cd {dir} && {bin}/looper 2 gcc {bin}/../testdir/cctest.c", &[tool("C compiler", "proc.compile_one", "ours compiles a file of its own: whyslow load over the same command, with UnixBench's file, gives 1,512 to 1,838 a minute where UnixBench counts 1,680 to 1,830")]),
    block("cd {dir} && {bin}/looper 1 grep -c gimp {bin}/../testdir/large.txt", &[tool("grep a large file", "proc.grep", "")]),
    block("cd {dir} && {bin}/fstime -c -t 1 -d {dir} -b 256 -m 500", &[
        file("file write 256", 0, "file.byte{op=write,buffer=256}"),
        file("file read 256", 1, "file.byte{op=read,buffer=256}"),
        file("file copy 256", 2, "file.byte{op=copy,buffer=256}"),
    ]),
    block("cd {dir} && {bin}/fstime -c -t 1 -d {dir} -b 1024 -m 2000", &[
        file("file write 1024", 0, "file.byte{op=write,buffer=1024}"),
        file("file read 1024", 1, "file.byte{op=read,buffer=1024}"),
        file("file copy 1024", 2, "file.byte{op=copy,buffer=1024}"),
    ]),
    block("cd {dir} && {bin}/fstime -c -t 1 -d {dir} -b 4096 -m 8000", &[
        file("file write 4096", 0, "file.byte{op=write,buffer=4096}"),
        file("file read 4096", 1, "file.byte{op=read,buffer=4096}"),
        file("file copy 4096", 2, "file.byte{op=copy,buffer=4096}"),
    ]),
];
