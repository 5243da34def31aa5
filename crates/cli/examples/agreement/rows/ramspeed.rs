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

/// A row that reads memory nobody wrote.
const fn unwritten(name: &'static str, take: Take, point: &'static str) -> Row {
    row(name, "MB/s", take, point, MB, ZEROS)
}

/// A row that stores zeros around the caches.
const fn of_zeros(name: &'static str, take: Take, point: &'static str) -> Row {
    row(name, "MB/s", take, point, MB, STORES)
}

const STORES: &str = "RAMspeed stores zeros, which this host's memory takes faster: mem.bandwidth with content=zeros, stores around the caches, gives what RAMspeed does";

/// A row that goes over a block so few times that its pages' first touch counts.
const fn first_touched(name: &'static str, take: Take, point: &'static str) -> Row {
    row(name, "MB/s", take, point, MB, TOUCH)
}

const TOUCH: &str = "RAMspeed's time includes the first touch of every page: with -g 16, which goes over them sixteen times as often, it agrees";

const ZEROS: &str = "RAMspeed writes the first 128 bytes only: the rest of what it reads is the kernel's one page of zeros, which stays in the first-level cache";

/// The register sets at a size of each level, and the four operations.
// A table: one row a line.
#[rustfmt::skip]
pub(super) const BLOCKS: &[Block] = &[
    block("{bin}/ramsmp -b 1 -g 1 -m 8 -p 1", &[
        mb("INTEGER & WRITING 16 KB", Take::After(" 16 Kb block:"), "mem.block{op=write,unit=int,size=16KiB,cpus=1}"),
        mb("INTEGER & WRITING 512 KB", Take::After(" 512 Kb block:"), "mem.block{op=write,unit=int,size=512KiB,cpus=1}"),
        first_touched("INTEGER & WRITING 8192 KB", Take::After(" 8192 Kb block:"), "mem.block{op=write,unit=int,size=8MiB,cpus=1}"),
    ]),
    block("{bin}/ramsmp -b 2 -g 1 -m 8 -p 1", &[
        mb("INTEGER & READING 16 KB", Take::After(" 16 Kb block:"), "mem.block{op=read,unit=int,size=16KiB,cpus=1}"),
        mb("INTEGER & READING 512 KB", Take::After(" 512 Kb block:"), "mem.block{op=read,unit=int,size=512KiB,cpus=1}"),
        mb("INTEGER & READING 8192 KB", Take::After(" 8192 Kb block:"), "mem.block{op=read,unit=int,size=8MiB,cpus=1}"),
    ]),
    block("{bin}/ramsmp -b 4 -g 1 -m 8 -p 1", &[
        mb("FL-POINT & WRITING 16 KB", Take::After(" 16 Kb block:"), "mem.block{op=write,unit=float,size=16KiB,cpus=1}"),
    ]),
    block("{bin}/ramsmp -b 5 -g 1 -m 8 -p 1", &[
        mb("FL-POINT & READING 16 KB", Take::After(" 16 Kb block:"), "mem.block{op=read,unit=float,size=16KiB,cpus=1}"),
    ]),
    block("{bin}/ramsmp -b 7 -g 1 -m 8 -p 1", &[
        mb("MMX & WRITING 16 KB", Take::After(" 16 Kb block:"), "mem.block{op=write,unit=mmx,size=16KiB,cpus=1}"),
    ]),
    block("{bin}/ramsmp -b 8 -g 1 -m 8 -p 1", &[
        mb("MMX & READING 16 KB", Take::After(" 16 Kb block:"), "mem.block{op=read,unit=mmx,size=16KiB,cpus=1}"),
    ]),
    block("{bin}/ramsmp -b 10 -g 1 -m 8 -p 1", &[
        mb("SSE & WRITING 16 KB", Take::After(" 16 Kb block:"), "mem.block{op=write,unit=sse,size=16KiB,cpus=1}"),
        mb("SSE & WRITING 512 KB", Take::After(" 512 Kb block:"), "mem.block{op=write,unit=sse,size=512KiB,cpus=1}"),
        first_touched("SSE & WRITING 8192 KB", Take::After(" 8192 Kb block:"), "mem.block{op=write,unit=sse,size=8MiB,cpus=1}"),
    ]),
    block("{bin}/ramsmp -b 11 -g 1 -m 8 -p 1", &[
        mb("SSE & READING 16 KB", Take::After(" 16 Kb block:"), "mem.block{op=read,unit=sse,size=16KiB,cpus=1}"),
        unwritten("SSE & READING 512 KB", Take::After(" 512 Kb block:"), "mem.block{op=read,unit=sse,size=512KiB,cpus=1}"),
        unwritten("SSE & READING 8192 KB", Take::After(" 8192 Kb block:"), "mem.block{op=read,unit=sse,size=8MiB,cpus=1}"),
    ]),
    block("{bin}/ramsmp -b 13 -g 1 -m 8 -p 1", &[
        of_zeros("MMX (nt) & WRITING 512 KB", Take::After(" 512 Kb block:"), "mem.block{op=write,unit=mmx,nt=yes,size=512KiB,cpus=1}"),
        of_zeros("MMX (nt) & WRITING 8192 KB", Take::After(" 8192 Kb block:"), "mem.block{op=write,unit=mmx,nt=yes,size=8MiB,cpus=1}"),
    ]),
    block("{bin}/ramsmp -b 14 -g 1 -m 8 -p 1", &[
        mb("MMX (nt) & READING 16 KB", Take::After(" 16 Kb block:"), "mem.block{op=read,unit=mmx,nt=yes,size=16KiB,cpus=1}"),
        unwritten("MMX (nt) & READING 512 KB", Take::After(" 512 Kb block:"), "mem.block{op=read,unit=mmx,nt=yes,size=512KiB,cpus=1}"),
    ]),
    block("{bin}/ramsmp -b 16 -g 1 -m 8 -p 1", &[
        of_zeros("SSE (nt) & WRITING 512 KB", Take::After(" 512 Kb block:"), "mem.block{op=write,unit=sse,nt=yes,size=512KiB,cpus=1}"),
        of_zeros("SSE (nt) & WRITING 8192 KB", Take::After(" 8192 Kb block:"), "mem.block{op=write,unit=sse,nt=yes,size=8MiB,cpus=1}"),
    ]),
    block("{bin}/ramsmp -b 17 -g 1 -m 8 -p 1", &[
        mb("SSE (nt) & READING 16 KB", Take::After(" 16 Kb block:"), "mem.block{op=read,unit=sse,nt=yes,size=16KiB,cpus=1}"),
        unwritten("SSE (nt) & READING 512 KB", Take::After(" 512 Kb block:"), "mem.block{op=read,unit=sse,nt=yes,size=512KiB,cpus=1}"),
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
];
