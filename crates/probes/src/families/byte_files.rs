//! The file rows of BYTE and UnixBench: reading, writing and copying through the page cache.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};

use whyslow_model::id;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::probe::{Bounds, Names, Offer, PointPlan, Probe, Stop};
use crate::scratch::OwnFile;

/// Buffers in bytes, each with the file size in KiB that UnixBench pairs with it.
const BUFFERS: [(usize, usize); 3] = [(256, 500), (1024, 2000), (4096, 8000)];

/// This family's probes.
pub const PROBES: &[Probe] = &[Probe {
    id: id::FILE_BYTE,
    title: "file through a buffer",
    unit: Unit::GbPerS,
    better: Better::Higher,
    what: "Bytes a second that one process reads, writes or copies through a small buffer, in a file of 500, 2000 or 8000 KiB: the page cache and the calls, never a disk.",
    how: "Whole passes over a file in the temporary directory that is written once before, without disk I/O. Bytes are counted once, also for a copy, as in UnixBench; its KBps are 1e9 / 1024 times the value.",
    needs: &["a temporary directory with 16 MB free"],
    params: &[
        ("op", "read, write (overwrite), or copy to a second file"),
        (
            "buffer",
            "bytes a call; the file is of 500 KiB with 256, 2000 KiB with 1024, 8000 KiB with 4096",
        ),
    ],
    names: Names {
        byte: &[
            "File Read 256 bufsize 500 maxblocks",
            "File Read 1024 bufsize 2000 maxblocks",
            "File Read 4096 bufsize 8000 maxblocks",
            "File Write 256 bufsize 500 maxblocks",
            "File Write 1024 bufsize 2000 maxblocks",
            "File Write 4096 bufsize 8000 maxblocks",
            "File Copy 256 bufsize 500 maxblocks",
            "File Copy 1024 bufsize 2000 maxblocks",
            "File Copy 4096 bufsize 8000 maxblocks",
        ],
        ..Names::NONE
    },
    roles: Roles::ByParams(&[(&[("op", "read")], Role::FileCached)], Role::FileDevice),
    // 1 TB/s: no core moves that much.
    bounds: Bounds { fastest: 1e3 },
    usual_marks: &[],
    points: |_| {
        let each = |op| BUFFERS.map(|(buffer, _)| point(op, buffer));
        ["read", "write", "copy"]
            .into_iter()
            .flat_map(each)
            .collect()
    },
    measure,
}];

fn point(op: &str, buffer: usize) -> Offer {
    Offer::Point(PointPlan {
        draws: 1,
        scratch: true,
        extra: true,
        suites: &["byte"],
        // A pass takes 0.5 to 3 ms: a batch has several.
        batch_ns: 1e7,
        ..PointPlan::new(
            Point::new(id::FILE_BYTE)
                .with("op", op)
                .with("buffer", buffer),
        )
    })
}

fn measure(bench: &mut Bench) -> Result<(), Stop> {
    let op = bench.param("op")?;
    let buffer = bench.param("buffer")?;
    let (size, kib) = BUFFERS
        .into_iter()
        .find(|(size, _)| size.to_string() == buffer)
        .ok_or_else(|| Stop::Unavailable(format!("buffer={buffer} is not 256, 1024 or 4096")))?;
    let mut from = Blocks::new(OwnFile::new(bench, "byte-from-")?)?;
    let mut to = Blocks::new(OwnFile::new(bench, "byte-to-")?)?;
    let blocks = kib * 1024 / size;
    // Not zeros: some hosts and file systems treat them specially.
    let mut block: Vec<u8> = (0..size).map(|i| (i % 251) as u8 + 1).collect();
    from.write(&block, blocks)?;
    to.write(&block, blocks)?;
    let bytes = (blocks * size) as f64;
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", bytes, |passes| {
            for _ in 0..passes {
                match op {
                    "write" => from.write(&block, blocks)?,
                    "read" => from.read(&mut block, blocks, |_| Ok(()))?,
                    "copy" => {
                        to.rewind()?;
                        from.read(&mut block, blocks, |block| to.append(block))?;
                    }
                    other => return Err(Stop::Unavailable(format!("op={other} is not known"))),
                }
            }
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}

/// A file accessed block by block.
struct Blocks {
    file: File,
    own: OwnFile,
}

impl Blocks {
    fn new(own: OwnFile) -> Result<Blocks, Stop> {
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(own.path())
            .map_err(|e| own.failed(e))?;
        Ok(Blocks { file, own })
    }

    fn rewind(&mut self) -> Result<(), Stop> {
        let done = self.file.seek(SeekFrom::Start(0));
        done.map(drop).map_err(|e| self.own.failed(e))
    }

    /// Writes the block the given number of times, from the file's start.
    fn write(&mut self, block: &[u8], blocks: usize) -> Result<(), Stop> {
        self.rewind()?;
        for _ in 0..blocks {
            self.append(block)?;
        }
        Ok(())
    }

    fn append(&mut self, block: &[u8]) -> Result<(), Stop> {
        self.file.write_all(block).map_err(|e| self.own.failed(e))
    }

    /// Reads the given number of blocks from the file's start, and passes each on.
    fn read(
        &mut self,
        block: &mut [u8],
        blocks: usize,
        mut on: impl FnMut(&[u8]) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        self.rewind()?;
        for _ in 0..blocks {
            let done = self.file.read_exact(block);
            done.map_err(|e| self.own.failed(e))?;
            on(block)?;
        }
        Ok(())
    }
}
