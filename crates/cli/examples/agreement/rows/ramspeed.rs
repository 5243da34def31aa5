//! RAMspeed/SMP: MB/s of 10^6 bytes, blocks of growing size and big arrays.

use super::{AsTheirs, Block, Row, Suite, Take, row};

const MB: AsTheirs = AsTheirs::Times(1e3);

const fn block(command: &'static str, rows: &'static [Row]) -> Block {
    Block {
        suite: Suite::Ramspeed,
        command,
        rows,
    }
}

const fn mb(name: &'static str, take: Take, point: &'static str) -> Row {
    row(name, "MB/s", take, point, MB, "")
}

/// A row that differs, and why.
const fn mb_but(name: &'static str, take: Take, point: &'static str, why: &'static str) -> Row {
    row(name, "MB/s", take, point, MB, why)
}

const STORES: &str = "RAMspeed stores zeros, which this host's memory takes faster: mem.bandwidth with content=zeros, stores around the caches, gives what RAMspeed does";

const TOUCH: &str = "RAMspeed's time includes the first touch of every page: with -g 16, which goes over them sixteen times as often, it agrees";

const PREFETCHED: &str = "RAMspeed prefetches around the caches, and its MMX stores have 8 bytes: a triad in C, interleaved, gives 52 to 59 GB/s with 16-byte stores, 35 to 41 with that prefetch, and 35 to 38 with 8-byte stores, with or without it";

const ZEROS: &str = "RAMspeed writes the first 128 bytes only: the rest of what it reads is the kernel's one page of zeros, which stays in the first-level cache";

/// The register sets at a size of each level, and the four operations.
// A table: one row a line.
#[rustfmt::skip]
pub(super) const BLOCKS: &[Block] = &[
    block("{bin}/ramsmp -b 1 -g 1 -m 8 -p 1", &[
        mb("INTEGER & WRITING 16 KB", Take::After(" 16 Kb block:"), "mem.block{op=write,unit=int,size=16KiB,cpus=1}"),
        mb("INTEGER & WRITING 512 KB", Take::After(" 512 Kb block:"), "mem.block{op=write,unit=int,size=512KiB,cpus=1}"),
        mb_but("INTEGER & WRITING 8192 KB", Take::After(" 8192 Kb block:"), "mem.block{op=write,unit=int,size=8MiB,cpus=1}", TOUCH),
    ]),
    block("{bin}/ramsmp -b 2 -g 1 -m 8 -p 1", &[
        mb("INTEGER & READING 16 KB", Take::After(" 16 Kb block:"), "mem.block{op=read,unit=int,size=16KiB,cpus=1}"),
        mb("INTEGER & READING 512 KB", Take::After(" 512 Kb block:"), "mem.block{op=read,unit=int,size=512KiB,cpus=1}"),
        mb("INTEGER & READING 8192 KB", Take::After(" 8192 Kb block:"), "mem.block{op=read,unit=int,size=8MiB,cpus=1}"),
    ]),
    block("{bin}/ramsmp -b 4 -g 1 -m 8 -p 1", &[
        mb("FL-POINT & WRITING 16 KB", Take::After(" 16 Kb block:"), "mem.block{op=write,unit=float,size=16KiB,cpus=1}"),
        mb("FL-POINT & WRITING 512 KB", Take::After(" 512 Kb block:"), "mem.block{op=write,unit=float,size=512KiB,cpus=1}"),
        mb("FL-POINT & WRITING 8192 KB", Take::After(" 8192 Kb block:"), "mem.block{op=write,unit=float,size=8MiB,cpus=1}"),
    ]),
    block("{bin}/ramsmp -b 5 -g 1 -m 8 -p 1", &[
        mb("FL-POINT & READING 16 KB", Take::After(" 16 Kb block:"), "mem.block{op=read,unit=float,size=16KiB,cpus=1}"),
        mb("FL-POINT & READING 512 KB", Take::After(" 512 Kb block:"), "mem.block{op=read,unit=float,size=512KiB,cpus=1}"),
        mb("FL-POINT & READING 8192 KB", Take::After(" 8192 Kb block:"), "mem.block{op=read,unit=float,size=8MiB,cpus=1}"),
    ]),
    block("{bin}/ramsmp -b 7 -g 1 -m 8 -p 1", &[
        mb("MMX & WRITING 16 KB", Take::After(" 16 Kb block:"), "mem.block{op=write,unit=mmx,size=16KiB,cpus=1}"),
        mb("MMX & WRITING 512 KB", Take::After(" 512 Kb block:"), "mem.block{op=write,unit=mmx,size=512KiB,cpus=1}"),
        mb_but("MMX & WRITING 8192 KB", Take::After(" 8192 Kb block:"), "mem.block{op=write,unit=mmx,size=8MiB,cpus=1}", TOUCH),
    ]),
    block("{bin}/ramsmp -b 8 -g 1 -m 8 -p 1", &[
        mb("MMX & READING 16 KB", Take::After(" 16 Kb block:"), "mem.block{op=read,unit=mmx,size=16KiB,cpus=1}"),
        mb_but("MMX & READING 512 KB", Take::After(" 512 Kb block:"), "mem.block{op=read,unit=mmx,size=512KiB,cpus=1}", ZEROS),
        mb_but("MMX & READING 8192 KB", Take::After(" 8192 Kb block:"), "mem.block{op=read,unit=mmx,size=8MiB,cpus=1}", ZEROS),
    ]),
    block("{bin}/ramsmp -b 10 -g 1 -m 8 -p 1", &[
        mb("SSE & WRITING 16 KB", Take::After(" 16 Kb block:"), "mem.block{op=write,unit=sse,size=16KiB,cpus=1}"),
        mb("SSE & WRITING 512 KB", Take::After(" 512 Kb block:"), "mem.block{op=write,unit=sse,size=512KiB,cpus=1}"),
        mb_but("SSE & WRITING 8192 KB", Take::After(" 8192 Kb block:"), "mem.block{op=write,unit=sse,size=8MiB,cpus=1}", TOUCH),
    ]),
    block("{bin}/ramsmp -b 11 -g 1 -m 8 -p 1", &[
        mb("SSE & READING 16 KB", Take::After(" 16 Kb block:"), "mem.block{op=read,unit=sse,size=16KiB,cpus=1}"),
        mb_but("SSE & READING 512 KB", Take::After(" 512 Kb block:"), "mem.block{op=read,unit=sse,size=512KiB,cpus=1}", ZEROS),
        mb_but("SSE & READING 8192 KB", Take::After(" 8192 Kb block:"), "mem.block{op=read,unit=sse,size=8MiB,cpus=1}", ZEROS),
    ]),
    block("{bin}/ramsmp -b 13 -g 1 -m 8 -p 1", &[
        mb_but("MMX (nt) & WRITING 512 KB", Take::After(" 512 Kb block:"), "mem.block{op=write,unit=mmx,nt=yes,size=512KiB,cpus=1}", STORES),
        mb_but("MMX (nt) & WRITING 8192 KB", Take::After(" 8192 Kb block:"), "mem.block{op=write,unit=mmx,nt=yes,size=8MiB,cpus=1}", STORES),
    ]),
    block("{bin}/ramsmp -b 14 -g 1 -m 8 -p 1", &[
        mb("MMX (nt) & READING 16 KB", Take::After(" 16 Kb block:"), "mem.block{op=read,unit=mmx,nt=yes,size=16KiB,cpus=1}"),
        mb_but("MMX (nt) & READING 512 KB", Take::After(" 512 Kb block:"), "mem.block{op=read,unit=mmx,nt=yes,size=512KiB,cpus=1}", ZEROS),
        mb_but("MMX (nt) & READING 8192 KB", Take::After(" 8192 Kb block:"), "mem.block{op=read,unit=mmx,nt=yes,size=8MiB,cpus=1}", ZEROS),
    ]),
    block("{bin}/ramsmp -b 16 -g 1 -m 8 -p 1", &[
        mb_but("SSE (nt) & WRITING 512 KB", Take::After(" 512 Kb block:"), "mem.block{op=write,unit=sse,nt=yes,size=512KiB,cpus=1}", STORES),
        mb_but("SSE (nt) & WRITING 8192 KB", Take::After(" 8192 Kb block:"), "mem.block{op=write,unit=sse,nt=yes,size=8MiB,cpus=1}", STORES),
    ]),
    block("{bin}/ramsmp -b 17 -g 1 -m 8 -p 1", &[
        mb("SSE (nt) & READING 16 KB", Take::After(" 16 Kb block:"), "mem.block{op=read,unit=sse,nt=yes,size=16KiB,cpus=1}"),
        mb_but("SSE (nt) & READING 512 KB", Take::After(" 512 Kb block:"), "mem.block{op=read,unit=sse,nt=yes,size=512KiB,cpus=1}", ZEROS),
        mb_but("SSE (nt) & READING 8192 KB", Take::After(" 8192 Kb block:"), "mem.block{op=read,unit=sse,nt=yes,size=8MiB,cpus=1}", ZEROS),
    ]),
    block("{bin}/ramsmp -b 3 -g 4 -m 32 -p 1; {bin}/ramsmp -b 6 -g 4 -m 32 -p 1; {bin}/ramsmp -b 12 -g 4 -m 32 -p 1", &[
        mb("INTmem Copy", Take::Word("INTEGER   Copy:", 3), "mem.stream{op=copy,level=DRAM,cpus=1,type=int,width=64}"),
        mb("INTmem Scale", Take::Word("INTEGER   Scale:", 3), "mem.stream{op=scale,level=DRAM,cpus=1,type=int,width=64}"),
        mb("INTmem Add", Take::Word("INTEGER   Add:", 3), "mem.stream{op=add,level=DRAM,cpus=1,type=int,width=64}"),
        mb("INTmem Triad", Take::Word("INTEGER   Triad:", 3), "mem.stream{op=triad,level=DRAM,cpus=1,type=int,width=64}"),
        mb("FLOATmem Copy", Take::Word("FL-POINT  Copy:", 3), "mem.stream{op=copy,level=DRAM,cpus=1,type=double,width=64}"),
        mb("FLOATmem Scale", Take::Word("FL-POINT  Scale:", 3), "mem.stream{op=scale,level=DRAM,cpus=1,type=double,width=64}"),
        mb("FLOATmem Add", Take::Word("FL-POINT  Add:", 3), "mem.stream{op=add,level=DRAM,cpus=1,type=double,width=64}"),
        mb("FLOATmem Triad", Take::Word("FL-POINT  Triad:", 3), "mem.stream{op=triad,level=DRAM,cpus=1,type=double,width=64}"),
        mb("SSEmem Copy", Take::Word("SSE       Copy:", 3), "mem.stream{op=copy,level=DRAM,cpus=1,type=double,width=128}"),
        mb("SSEmem Scale", Take::Word("SSE       Scale:", 3), "mem.stream{op=scale,level=DRAM,cpus=1,type=double,width=128}"),
        mb("SSEmem Add", Take::Word("SSE       Add:", 3), "mem.stream{op=add,level=DRAM,cpus=1,type=double,width=128}"),
        mb("SSEmem Triad", Take::Word("SSE       Triad:", 3), "mem.stream{op=triad,level=DRAM,cpus=1,type=double,width=128}"),
    ]),
    block("{bin}/ramsmp -b 9 -g 4 -m 32 -p 1", &[
        mb("MMXmem Copy", Take::Word("MMX       Copy:", 3), "mem.stream{op=copy,level=DRAM,cpus=1,type=int,width=64}"),
        mb("MMXmem Scale", Take::Word("MMX       Scale:", 3), "mem.stream{op=scale,level=DRAM,cpus=1,type=int,width=64}"),
        mb("MMXmem Add", Take::Word("MMX       Add:", 3), "mem.stream{op=add,level=DRAM,cpus=1,type=int,width=64}"),
        mb("MMXmem Triad", Take::Word("MMX       Triad:", 3), "mem.stream{op=triad,level=DRAM,cpus=1,type=int,width=64}"),
    ]),
    block("{bin}/ramsmp -b 15 -g 4 -m 32 -p 1", &[
        mb_but("MMXmem (nt) Copy", Take::Word("MMX (nt)  Copy:", 4), "mem.stream{op=copy,level=DRAM,cpus=1,type=double,width=128,nt=yes}", PREFETCHED),
        mb_but("MMXmem (nt) Scale", Take::Word("MMX (nt)  Scale:", 4), "mem.stream{op=scale,level=DRAM,cpus=1,type=double,width=128,nt=yes}", PREFETCHED),
        mb_but("MMXmem (nt) Add", Take::Word("MMX (nt)  Add:", 4), "mem.stream{op=add,level=DRAM,cpus=1,type=double,width=128,nt=yes}", PREFETCHED),
        mb_but("MMXmem (nt) Triad", Take::Word("MMX (nt)  Triad:", 4), "mem.stream{op=triad,level=DRAM,cpus=1,type=double,width=128,nt=yes}", PREFETCHED),
    ]),
    block("{bin}/ramsmp -b 18 -g 4 -m 32 -p 1", &[
        mb_but("SSEmem (nt) Copy", Take::Word("SSE (nt)  Copy:", 4), "mem.stream{op=copy,level=DRAM,cpus=1,type=double,width=128,nt=yes}", PREFETCHED),
        mb_but("SSEmem (nt) Scale", Take::Word("SSE (nt)  Scale:", 4), "mem.stream{op=scale,level=DRAM,cpus=1,type=double,width=128,nt=yes}", PREFETCHED),
        mb_but("SSEmem (nt) Add", Take::Word("SSE (nt)  Add:", 4), "mem.stream{op=add,level=DRAM,cpus=1,type=double,width=128,nt=yes}", PREFETCHED),
        mb_but("SSEmem (nt) Triad", Take::Word("SSE (nt)  Triad:", 4), "mem.stream{op=triad,level=DRAM,cpus=1,type=double,width=128,nt=yes}", PREFETCHED),
    ]),
];
