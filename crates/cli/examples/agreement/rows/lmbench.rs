//! lmbench 3: its programs, each for one interval a round rather than its eleven.

use super::{AsTheirs, Block, Row, Suite, Take, row};

const NS: AsTheirs = AsTheirs::Times(1.0);
const US: AsTheirs = AsTheirs::Times(1e-3);

/// GB/s to the MB/s that lmbench prints.
const MB: AsTheirs = AsTheirs::Times(1e3);

/// Half of a copy: lmbench counts copied bytes once, whyslow as read and as written.
const ONCE: AsTheirs = AsTheirs::Times(500.0);

/// Files a second.
const FILES: AsTheirs = AsTheirs::Over(1e9);

const FORK: &str = "lmbench forks through the libc from a process with 400 KiB of heap and runs exit handlers; a bare fork in C takes what ours does";
const FEWER: &str = "lmbench gives select() the count as the highest number, which leaves out as many files as it had open before, some eight; their cost is the difference at 10, 100 and 500 alike";
const FOLDED: &str =
    "lmbench's chain is compiled: of three operations one is dropped (by disassembly)";

const REREAD: &str = "how the file lies in the page cache: in C, interleaved, one written 8 KiB a call, as by lmbench's lmdd, is read at 9 GB/s and one written 64 KiB a call, as ours, at 18; adding up by words costs 12 to 25 % of that against the widest loads";
const MAPPED: &str =
    "lmbench adds up by words, ours with the widest loads: in C, interleaved, 30 and 43 GB/s";
const REMAPPED: &str = "how the file lies in the page cache and the width of loads: in C, interleaved, a file written 8 KiB a call, as by lmbench's lmdd, gives 8 GB/s by words, one written 64 KiB a call, as ours, 14 with the widest loads";
const READ4: &str = "lmbench loads 4 bytes at a time: in C, interleaved, every word is read at 27 GB/s, every fourth at 35 and 64 bytes at a time at 36";
const WRITE4: &str = "ordinary stores against ours around the caches: in C, interleaved, every fourth word upwards gives 28 GB/s, 64 bytes at a time also 28, and 38 around the caches";
const KEPT: &str = "the compiler folds lmbench's chains; in the same program with each operation kept from that, 4.3 to 4.9 are under way at once in all four rows, as in ours";
const SEARCHED: &str = "in every other run each load of lmbench's one chain takes 95 to 120 ns, as from memory, and the speed-up is then above 90; in the rest it takes 10 and the speed-up is 8 to 14";
const ALL_LINES: &str = "lmbench's chain takes every line of a page, and staying in a page then gains from lines that are fetched along: in C, staying saves 20 to 85 ns with all 64 lines of a page in the chain and 0 to 2 with one of each 256 bytes, as ours has";
const REPEATING: &str = "lmbench's timer repeats, and is set again each time: in C, interleaved, 141 to 146 us, and 129 to 132 with one that does not repeat, as ours";
const FROM_FILE: &str = "lmbench's server opens and maps its file for each request: in C, interleaved, that gives 777 to 828 MB/s, and 930 to 1060 with the document in memory, as ours; lmbench's own gave 744 to 789 beside it";
const DOWNWARDS: &str = "lmbench stores downwards within each 512 bytes (by disassembly): in C, interleaved, words downwards give 7 GB/s, words upwards 27, and 38 around the caches, which is ours' best";
const WORDS_COPIED: &str = "ordinary stores against the best way: in C, interleaved, copying by words or by every fourth of them gives 16 to 18 GB/s, around the caches 19 to 21, and by the string instruction 22 to 24, which is what ours takes";

const fn block(command: &'static str, rows: &'static [Row]) -> Block {
    Block {
        suite: Suite::Lmbench,
        command,
        rows,
    }
}

/// A row in us whose program prints "...: n microseconds".
const fn us(name: &'static str, point: &'static str, why: &'static str) -> Row {
    row(name, "us", Take::After(": "), point, US, why)
}

const fn ops(
    name: &'static str,
    label: &'static str,
    point: &'static str,
    why: &'static str,
) -> Row {
    row(name, "ns", Take::After(label), point, NS, why)
}

const fn mb(name: &'static str, take: Take, point: &'static str, why: &'static str) -> Row {
    row(name, "MB/s", take, point, MB, why)
}

/// How many operations or misses are under way at once.
const fn at_once(name: &'static str, take: Take, point: &'static str, why: &'static str) -> Row {
    row(name, "times", take, point, AsTheirs::AtOnce, why)
}

const fn ring(name: &'static str, point: &'static str) -> Row {
    row(name, "us", Take::LastOfLastLine, point, US, "")
}

// A table: one row a line.
#[rustfmt::skip]
pub(super) const BLOCKS: &[Block] = &[
    block("{bin}/lat_syscall -P 1 null", &[us("null call", "os.null_call{via=libc}", "")]),
    block("{bin}/lat_syscall -P 1 read", &[us("read", "os.read{via=libc}", "")]),
    block("{bin}/lat_syscall -P 1 write", &[us("write", "os.write{via=libc}", "")]),
    block("{bin}/lat_syscall -P 1 stat {file}", &[us("stat", "os.stat{via=libc}", "")]),
    block("{bin}/lat_syscall -P 1 fstat {file}", &[us("fstat", "os.fstat{via=libc}", "")]),
    block("{bin}/lat_syscall -P 1 open {file}", &[us("open/close", "os.open_close{via=libc}", "")]),
    block("{bin}/lat_sig -P 1 install", &[us("signal install", "os.signal_install", "")]),
    block("{bin}/lat_sig -P 1 catch", &[us("signal handle", "os.signal_handle", "")]),
    block("{bin}/lat_sig -P 1 prot {bin}/lat_sig", &[us("protection fault", "vm.prot_fault", "")]),
    block("{bin}/lat_select -P 1 -n 10 file", &[us("select 10 files", "os.select{on=file,fds=10}", FEWER)]),
    block("{bin}/lat_select -P 1 -n 100 file", &[us("select 100 files", "os.select{on=file,fds=100}", "")]),
    block("{bin}/lat_select -P 1 -n 500 file", &[us("select 500 files", "os.select{on=file,fds=500}", "")]),
    block("{bin}/lat_select -P 1 -n 100 tcp", &[us("select 100 TCP", "os.select{on=tcp,fds=100}", FEWER)]),
    block("{bin}/lat_proc -P 1 fork", &[us("fork", "proc.fork{image=dynamic}", FORK)]),
    block("{bin}/lat_proc -P 1 exec", &[us("exec", "proc.exec{image=dynamic}", "as for fork")]),
    block("{bin}/lat_proc -P 1 shell", &[us("sh", "proc.shell", "as for fork")]),
    block("{bin}/lat_ctx -P 1 -N 3 -s 0 2", &[ring("2p/0K", "ctx.ring{procs=2,size=0,cpus=same-cpu}")]),
    block("{bin}/lat_ctx -P 1 -N 3 -s 16 2", &[ring("2p/16K", "ctx.ring{procs=2,size=16KiB,cpus=same-cpu}")]),
    block("{bin}/lat_ctx -P 1 -N 3 -s 64 2", &[ring("2p/64K", "ctx.ring{procs=2,size=64KiB,cpus=same-cpu}")]),
    block("{bin}/lat_ctx -P 1 -N 3 -s 16 8", &[ring("8p/16K", "ctx.ring{procs=8,size=16KiB,cpus=same-cpu}")]),
    block("{bin}/lat_ctx -P 1 -N 3 -s 64 8", &[ring("8p/64K", "ctx.ring{procs=8,size=64KiB,cpus=same-cpu}")]),
    block("{bin}/lat_ctx -P 1 -N 3 -s 16 16", &[ring("16p/16K", "ctx.ring{procs=16,size=16KiB,cpus=same-cpu}")]),
    block("{bin}/lat_ctx -P 1 -N 3 -s 64 16", &[ring("16p/64K", "ctx.ring{procs=16,size=64KiB,cpus=same-cpu}")]),
    block("{bin}/lat_pipe -P 1 -N 1", &[us("pipe", "ipc.pipe{cpus=same-cpu,via=libc}", "")]),
    block("{bin}/lat_unix -P 1 -N 1", &[us("AF_UNIX", "net.latency{over=unix,cpus=same-cpu}", "")]),
    block("{bin}/lat_udp -s; sleep 0.1; {bin}/lat_udp -P 1 -N 1 localhost; {bin}/lat_udp -S localhost", &[us("UDP", "net.latency{over=udp,cpus=same-cpu}", "")]),
    block("{bin}/lat_tcp -s; sleep 0.1; {bin}/lat_tcp -P 1 -N 1 localhost; {bin}/lat_tcp -S localhost", &[us("TCP", "net.latency{over=tcp,cpus=same-cpu}", "")]),
    block("{bin}/lat_rpc -s; sleep 0.2; {bin}/lat_rpc -P 1 -N 1 -p udp localhost; {bin}/lat_rpc -S localhost", &[us("RPC/UDP", "net.rpc{over=udp,cpus=same-cpu}", "lmbench's goes through the RPC library, which passes address options with each message; ours speaks the protocol alone")]),
    block("{bin}/lat_rpc -s; sleep 0.2; {bin}/lat_rpc -P 1 -N 1 -p tcp localhost; {bin}/lat_rpc -S localhost", &[us("RPC/TCP", "net.rpc{over=tcp,cpus=same-cpu}", "lmbench's goes through the RPC library, which polls once more a message; ours speaks the protocol alone")]),
    block("{bin}/lat_connect -s; sleep 0.1; {bin}/lat_connect -N 3 localhost; {bin}/lat_connect -S localhost", &[us("TCP connect", "net.connect{over=tcp,cpus=same-cpu}", "lmbench's server has a listen queue that overflows when it is not run in between (the kernel's ListenOverflows counts it), and the client then waits a second")]),
    block("{bin}/lat_fcntl -P 1", &[us("fcntl lock", "ipc.fcntl_lock{cpus=same-cpu}", "lmbench counts lock transfers that never were: its second process makes 43 calls where the first makes 100 (by tracing)")]),
    block("{bin}/lat_sem -P 1 -N 1", &[us("semaphore", "ipc.sysv_sem{cpus=same-cpu}", "")]),
    block("{bin}/lat_pagefault -P 1 {file}", &[us("page fault", "vm.page_fault{of=file,order=random,step=page,written=8KiB}", "")]),
    block("{bin}/lat_mmap -P 1 16m {file}", &[row("mmap 16M", "us", Take::LastOfLastLine, "vm.mmap{size=16MiB}", US, "")]),
    block("rm -rf {dir}/fs; mkdir {dir}/fs; {bin}/lat_fs -P 1 -N 1 {dir}/fs", &[
        row("0K create", "files/s", Take::Word("0k", 3), "fs.create{size=0,after=deletes}", FILES, "after how many deletes lmbench's files come depends on its earlier runs (ext4 looks past inodes deleted in the last minutes); ours say which"),
        row("0K delete", "files/s", Take::Word("0k", 4), "fs.delete{size=0}", FILES, ""),
        row("10K create", "files/s", Take::Word("10k", 3), "fs.create{size=10KiB,after=deletes}", FILES, "as for 0K create"),
        row("10K delete", "files/s", Take::Word("10k", 4), "fs.delete{size=10KiB}", FILES, ""),
    ]),
    block("{bin}/lat_usleep -u usleep 100", &[us("usleep 100 us", "os.sleep{method=usleep,us=100}", "")]),
    block("{bin}/lat_usleep -u select 100", &[us("select 100 us", "os.sleep{method=select,us=100}", "")]),
    block("{bin}/lat_usleep -u itimer 100", &[us("itimer 100 us", "os.sleep{method=itimer,us=100}", REPEATING)]),
    block("{bin}/lat_usleep -u nanosleep 100", &[us("nanosleep 100 us", "os.sleep{method=nanosleep,us=100}", "")]),
    block("{bin}/bw_pipe -P 1 -N 1", &[mb("pipe bandwidth", Take::After(": "), "ipc.bandwidth{over=pipe,cpus=same-cpu}", "")]),
    block("{bin}/bw_unix -P 1 -N 1", &[mb("AF_UNIX bandwidth", Take::After(": "), "ipc.bandwidth{over=unix,cpus=same-cpu}", "")]),
    block("{bin}/bw_tcp -s; sleep 0.1; {bin}/bw_tcp -W 100000 -N 1 -m 65536 localhost; {bin}/bw_tcp -S localhost", &[mb("TCP bandwidth", Take::After(" "), "ipc.bandwidth{over=tcp,cpus=same-cpu}", "")]),
    block("{bin}/bw_file_rd -P 1 -N 3 64m io_only {file}", &[mb("file reread 64M", Take::LastOfLastLine, "file.read{how=read,size=64MiB}", REREAD)]),
    block("{bin}/bw_file_rd -P 1 -N 3 64m open2close {file}", &[mb("file open, read, close 64M", Take::LastOfLastLine, "file.read{how=open_read,size=64MiB}", "as for file reread")]),
    block("{bin}/bw_mmap_rd -P 1 -N 3 64m mmap_only {file}", &[mb("mmap reread 64M", Take::LastOfLastLine, "file.read{how=mmap,size=64MiB}", MAPPED)]),
    block("{bin}/bw_mmap_rd -P 1 -N 3 64m open2close {file}", &[mb("open, mmap, read, close 64M", Take::LastOfLastLine, "file.read{how=open_mmap,size=64MiB}", REMAPPED)]),
    block("rm -f {dir}/w; {bin}/lmdd if=internal of={dir}/w bs=64k move=64m; rm -f {dir}/w", &[mb("file write 64M", Take::After("secs, "), "file.write{size=64MiB,sync=no}", "")]),
    block("{bin}/bw_mem -P 1 -N 5 8m bcopy", &[row("bcopy libc 8M", "MB/s", Take::LastOfLastLine, "mem.libc{op=memcpy,size=16MiB}", ONCE, "")]),
    block("{bin}/bw_mem -P 1 -N 5 16m bzero", &[mb("bzero 16M", Take::LastOfLastLine, "mem.libc{op=memset,size=16MiB}", "")]),
    block("head -c 65536 {file} > {dir}/page; cd {dir}; {bin}/lmhttp 8173 & sleep 0.3; yes page | head -n 300 | {bin}/lat_http localhost 8173; {bin}/lat_http -S localhost 8173; rm -f {dir}/page", &[
        row("HTTP fetch 64K", "MB/s", Take::LastOfLastLine, "net.http{size=64KiB,cpus=same-cpu}", AsTheirs::Over(65_536e3), FROM_FILE),
    ]),
    block("{bin}/lat_ops", &[
        ops("integer bit", "integer bit: ", "cpu.op{op=bit,type=int}", FOLDED),
        ops("integer add", "integer add: ", "cpu.op{op=add,type=int}", "lmbench's chain of additions is folded by the compiler into three instructions; it prints 0.00"),
        ops("integer mul", "integer mul: ", "cpu.op{op=mul,type=int}", ""),
        ops("integer div", "integer div: ", "cpu.op{op=div,type=int}", ""),
        ops("integer mod", "integer mod: ", "cpu.op{op=mod,type=int}", ""),
        ops("int64 bit", "int64 bit: ", "cpu.op{op=bit,type=int64}", FOLDED),
        ops("int64 add", "int64 add: ", "cpu.op{op=add,type=int64}", "as for integer add"),
        ops("int64 mul", "int64 mul: ", "cpu.op{op=mul,type=int64}", ""),
        ops("int64 div", "int64 div: ", "cpu.op{op=div,type=int64}", ""),
        ops("int64 mod", "int64 mod: ", "cpu.op{op=mod,type=int64}", ""),
        ops("float add", "float add: ", "cpu.op{op=add,type=float}", ""),
        ops("float mul", "float mul: ", "cpu.op{op=mul,type=float}", ""),
        ops("float div", "float div: ", "cpu.op{op=div,type=float}", ""),
        ops("double add", "double add: ", "cpu.op{op=add,type=double}", ""),
        ops("double mul", "double mul: ", "cpu.op{op=mul,type=double}", ""),
        ops("double div", "double div: ", "cpu.op{op=div,type=double}", ""),
        ops("float bogomflops", "float bogomflops: ", "cpu.op{op=bogomflops,type=float}", ""),
        ops("double bogomflops", "double bogomflops: ", "cpu.op{op=bogomflops,type=double}", ""),
    ]),
    block("{bin}/stream -v 1 -M 126M", &[
        mb("STREAM copy", Take::After("copy bandwidth: "), "mem.stream{op=copy,level=DRAM,cpus=1,type=double,width=64}", ""),
        mb("STREAM scale", Take::After("scale bandwidth: "), "mem.stream{op=scale,level=DRAM,cpus=1,type=double,width=64}", ""),
        mb("STREAM add", Take::After("add bandwidth: "), "mem.stream{op=add,level=DRAM,cpus=1,type=double,width=64}", "lmbench's row add runs its sum and counts three times the bytes: three times the row sum is what it prints"),
        mb("STREAM triad", Take::After("triad bandwidth: "), "mem.stream{op=triad,level=DRAM,cpus=1,type=double,width=64}", ""),
    ]),
    block("{bin}/stream -v 2 -M 126M", &[
        mb("STREAM2 fill", Take::After("fill bandwidth: "), "mem.stream{op=fill,level=DRAM,cpus=1,type=double,width=64}", "lmbench's loop stores one number a turn: in C, interleaved, eight a turn are 13 % faster than one"),
        mb("STREAM2 copy", Take::After("copy bandwidth: "), "mem.stream{op=copy,level=DRAM,cpus=1,type=double,width=64}", ""),
        mb("STREAM2 daxpy", Take::After("daxpy bandwidth: "), "mem.stream{op=daxpy,level=DRAM,cpus=1,type=double,width=64}", ""),
        mb("STREAM2 sum", Take::After("sum bandwidth: "), "mem.stream{op=sum,level=DRAM,cpus=1,type=double,width=64}", "lmbench adds to one sum, so that each 8 bytes take the latency of an addition (see double add): 17 GB/s at most; ours adds to several"),
    ]),
    block("{bin}/lat_mem_rd -P 1 -N 1 1 64", &[
        row("chase, stride 64, 16 KB", "ns", Take::Word("0.01562", 2), "mem.latency{size=16KiB,order=stride,stride=64,pages=4k}", NS, ""),
        row("chase, stride 64, 512 KB", "ns", Take::Word("0.50000", 2), "mem.latency{size=512KiB,order=stride,stride=64,pages=4k}", NS, "lmbench has 100 loads in its loop, so that each sees a stride of 6,400 bytes and the prefetcher that goes by instruction is of no use; the same chase in C takes 1.0 ns with 1 or 10 loads in the loop and 3.0 with 100"),
    ]),
    block("{bin}/par_ops -N 3", &[
        at_once("integer bit parallelism", Take::After("integer bit parallelism: "), "cpu.op_parallel{op=bit,type=int}", KEPT),
        at_once("integer add parallelism", Take::After("integer add parallelism: "), "cpu.op_parallel{op=add,type=int}", KEPT),
        at_once("integer mul parallelism", Take::After("integer mul parallelism: "), "cpu.op_parallel{op=mul,type=int}", ""),
        at_once("integer div parallelism", Take::After("integer div parallelism: "), "cpu.op_parallel{op=div,type=int}", ""),
        at_once("integer mod parallelism", Take::After("integer mod parallelism: "), "cpu.op_parallel{op=mod,type=int}", ""),
        at_once("int64 bit parallelism", Take::After("int64 bit parallelism: "), "cpu.op_parallel{op=bit,type=int64}", KEPT),
        at_once("int64 add parallelism", Take::After("int64 add parallelism: "), "cpu.op_parallel{op=add,type=int64}", KEPT),
        at_once("int64 mul parallelism", Take::After("int64 mul parallelism: "), "cpu.op_parallel{op=mul,type=int64}", ""),
        at_once("int64 div parallelism", Take::After("int64 div parallelism: "), "cpu.op_parallel{op=div,type=int64}", ""),
        at_once("int64 mod parallelism", Take::After("int64 mod parallelism: "), "cpu.op_parallel{op=mod,type=int64}", ""),
        at_once("float add parallelism", Take::After("float add parallelism: "), "cpu.op_parallel{op=add,type=float}", ""),
        at_once("float mul parallelism", Take::After("float mul parallelism: "), "cpu.op_parallel{op=mul,type=float}", ""),
        at_once("float div parallelism", Take::After("float div parallelism: "), "cpu.op_parallel{op=div,type=float}", ""),
        at_once("double add parallelism", Take::After("double add parallelism: "), "cpu.op_parallel{op=add,type=double}", ""),
        at_once("double mul parallelism", Take::After("double mul parallelism: "), "cpu.op_parallel{op=mul,type=double}", ""),
        at_once("double div parallelism", Take::After("double div parallelism: "), "cpu.op_parallel{op=div,type=double}", ""),
    ]),
    // It prints -1 where it finds the machine too busy.
    block("{bin}/mhz | grep MHz", &[row("clock", "MHz", Take::Word("", 1), "cpu.clock", AsTheirs::Times(1e3), "")]),
    block("{bin}/line -v", &[row("cache line", "bytes", Take::After(": "), "mem.line{level=L2}", AsTheirs::FirstJump, "")]),
    block("{bin}/tlb -c -L 64 -M 64M", &[
        row("TLB", "pages", Take::Word("tlb:", 2), "mem.tlb{count=*,pages=4k}", AsTheirs::LastCheap, ""),
    ]),
    block("{bin}/par_mem -L 64 -M 4M", &[
        at_once("misses at once, 512 KB", Take::Word("0.524288", 2), "mem.parallelism{level=L2}", ""),
        at_once("misses at once, 4 MB", Take::Word("4.194304", 2), "mem.parallelism{level=L3}", SEARCHED),
    ]),
    block("{bin}/lat_dram_page -N 1 -L 64 -M 128m", &[row("DRAM page", "ns", Take::LastOfLastLine, "mem.dram_page{pages=4k}", NS, ALL_LINES)]),
    block("rm -f /tmp/af_unix; {bin}/lat_unix_connect -s; sleep 0.2; {bin}/lat_unix_connect -P 1 -N 3; {bin}/lat_unix_connect -S", &[us("unix connect", "net.connect{over=unix,cpus=same-cpu}", "")]),
    block("{bin}/lat_fifo -P 1 -N 1", &[us("fifo", "ipc.fifo{cpus=same-cpu}", "")]),
    block("for of in frd rd fwr wr; do echo $of $({bin}/bw_mem -P 1 -N 3 256m $of 2>&1); done; for of in fcp cp; do echo $of $({bin}/bw_mem -P 1 -N 3 128m $of 2>&1); done", &[
        mb("memory read 256M", Take::Word("frd ", 3), "mem.bandwidth{op=read,size=256MiB,cpus=1}", READ4),
        mb("partial read 256M", Take::Word("rd ", 3), "mem.bandwidth{op=read,size=256MiB,cpus=1}", READ4),
        mb("memory write 256M", Take::Word("fwr ", 3), "mem.bandwidth{op=write,size=256MiB,cpus=1}", DOWNWARDS),
        mb("partial write 256M", Take::Word("wr ", 3), "mem.bandwidth{op=write,size=256MiB,cpus=1}", WRITE4),
        row("bcopy by hand 128M", "MB/s", Take::Word("fcp ", 3), "mem.bandwidth{op=copy,size=256MiB,cpus=1}", ONCE, WORDS_COPIED),
        row("partial copy 128M", "MB/s", Take::Word("cp ", 3), "mem.bandwidth{op=copy,size=256MiB,cpus=1}", ONCE, WORDS_COPIED),
    ]),
    block("{bin}/lat_mem_rd -t -P 1 -N 1 1 64", &[
        row("chase, random, 16 KB", "ns", Take::Word("0.01562", 2), "mem.latency{size=16KiB,order=random,pages=4k}", NS, ""),
        row("chase, random, 256 KB", "ns", Take::Word("0.25000", 2), "mem.latency{size=256KiB,order=random,pages=4k}", NS, ""),
    ]),
];
