//! Reading files that are in the page cache, and writing files to the cache and to the disk.
#![allow(unsafe_code)]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};

use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use whyslow_model::id;
use whyslow_model::record::MarkKind;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit, size};

use crate::bench::{Bench, Timed, Variant};
use crate::buffer::{Buffer, Pages};
use crate::clock::Moment;
use crate::guard;
use crate::marks::{Watch, between};
use crate::probe::{Bounds, Names, Offer, PointPlan, Probe, Stop};
use crate::scratch::OwnFile;
use crate::sum::Sum;

/// 500 GB/s: faster than any core reads its second-level cache.
const BOUNDS: Bounds = Bounds { fastest: 500.0 };

/// This family's probes.
pub const PROBES: &[Probe] = &[
    Probe {
        id: id::FILE_READ,
        title: "cached file read",
        unit: Unit::GbPerS,
        better: Better::Higher,
        what: "Bytes a second that one process reads from a file in the page cache and sums. This measures the page cache, never the disk.",
        how: "A file just written in the temporary directory, with every page verified to be in memory: read in pieces of 64 KiB, or mapped; each byte is summed with the widest loads and counted once. With open_ the file is opened (and mapped, with its page faults) and closed for each pass. lmbench sums word by word (8 bytes), so its own loop may be the limit.",
        needs: &["a temporary directory with room for the file"],
        params: &[
            (
                "how",
                "read; open_read: opened and closed each time; mmap: mapped once; open_mmap: opened, mapped, unmapped and closed each time",
            ),
            ("size", "bytes of the file"),
        ],
        names: Names {
            lmbench: &[
                "bw_file_rd io_only",
                "bw_file_rd open2close",
                "bw_mmap_rd mmap_only",
                "bw_mmap_rd open2close",
                "File reread",
                "Mmap reread",
            ],
            ..Names::NONE
        },
        roles: Roles::ByParams(
            &[
                (&[("how", "mmap")], Role::FileMapped),
                (&[("how", "open_mmap")], Role::FileMapped),
            ],
            Role::FileCached,
        ),
        bounds: BOUNDS,
        // Each new mapping takes its page faults again.
        usual_marks: &[MarkKind::Faults],
        points: |_| read_points(),
        measure: reread,
    },
    Probe {
        id: "file.write",
        title: "file write",
        unit: Unit::GbPerS,
        better: Better::Higher,
        what: "Bytes a second written to a new file: sync=no into the page cache (memory, not the disk), sync=fsync until the system reports them on disk, sync=direct bypassing the page cache.",
        how: "A new file in the temporary directory for each pass; it is created, and the previous one removed, outside the timed part; written sequentially in pieces of 64 KiB (direct: 1 MiB). With fsync and direct, the data may still be in the disk's own cache.",
        needs: &[
            "a temporary directory with room for the file",
            "sync=fsync, direct: a file system with a disk behind it",
            "sync=direct: a file system with direct I/O",
        ],
        params: &[
            ("size", "bytes of the file"),
            (
                "sync",
                "no: into the page cache; fsync: and from there to the disk; direct: to the disk, bypassing the page cache",
            ),
        ],
        names: Names {
            lmbench: &["lmdd", "File write bandwidth"],
            ..Names::NONE
        },
        roles: Roles::All(Role::FileDevice),
        bounds: BOUNDS,
        // Waiting for the disk is part of the work.
        usual_marks: &[
            MarkKind::Switches,
            MarkKind::Migrations,
            MarkKind::RunDelayNs,
            MarkKind::Faults,
        ],
        points: |_| write_points(),
        measure: write,
    },
];

/// Bytes per call, as in lmbench.
const PIECE: usize = 64 << 10;

/// Bytes per direct call: much less does not keep a disk busy.
const DIRECT_PIECE: usize = 1 << 20;

/// Files in a private cache, in a large cache, and in memory, as in lmbench's table.
const READ_SIZES: [u64; 3] = [512 << 10, 8 << 20, 64 << 20];

/// A size that a slow disk (10 MB/s) writes within seconds, and one large enough to amortize fixed
/// costs.
const WRITE_SIZES: [u64; 2] = [8 << 20, 64 << 20];

fn plan(point: Point, bytes: u64, suites: &'static [&'static str]) -> Offer {
    Offer::Point(PointPlan {
        size_bytes: Some(bytes),
        draws: 1,
        // 10 ms: one pass over the largest file or more.
        batch_ns: 1e7,
        scratch: true,
        extra: true,
        suites,
        ..PointPlan::new(point)
    })
}

fn read_points() -> Vec<Offer> {
    let mut offers = Vec::new();
    for how in ["read", "open_read", "mmap", "open_mmap"] {
        for bytes in READ_SIZES {
            let point = Point::new(id::FILE_READ)
                .with("how", how)
                .with("size", size::format(bytes));
            let suites: &[&str] = if bytes == READ_SIZES[2] {
                &["lmbench"]
            } else {
                &[]
            };
            offers.push(plan(point, bytes, suites));
        }
    }
    offers
}

fn write_points() -> Vec<Offer> {
    let mut offers = Vec::new();
    for sync in ["no", "fsync", "direct"] {
        for bytes in WRITE_SIZES {
            let point = Point::new("file.write")
                .with("size", size::format(bytes))
                .with("sync", sync);
            let suites: &[&str] = if bytes == WRITE_SIZES[0] {
                &["lmbench"]
            } else {
                &[]
            };
            offers.push(plan(point, bytes, suites));
        }
    }
    offers
}

fn reread(bench: &mut Bench) -> Result<(), Stop> {
    let how = bench.param("how")?;
    let bytes = bench.size()?;
    let sum = Sum::widest()?;
    let offset = bench.job.randomization.buffer_offset as usize;
    let place = OwnFile::new(bench, "read")?;
    let mut piece = Buffer::new(PIECE, Pages::Small, offset)?;
    let expected = fill(&place, bytes, &mut piece, sum)?;
    let file = place.open()?;
    let map = Mapped::of(&file, bytes).map_err(|e| place.failed(e))?;
    guard::resident(map.start.addr(), bytes)?;
    bench.note(format!("the page cache of {}", lies_on(&place)));
    let mut once = || match how {
        "read" => add_up(&file, bytes, &mut piece, sum),
        "open_read" => add_up(&File::open(place.path())?, bytes, &mut piece, sum),
        "mmap" => Ok(map.add_up(sum)),
        _ => Ok(Mapped::of(&File::open(place.path())?, bytes)?.add_up(sum)),
    };
    if !["read", "open_read", "mmap", "open_mmap"].contains(&how) {
        return Err(Stop::Unavailable(format!("how={how} is not known")));
    }
    if once().map_err(|e| place.failed(e))? != expected {
        return Err(Stop::Refused("not every byte of the file was read".into()));
    }
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", bytes as f64, |passes| {
            for _ in 0..passes {
                once().map_err(|e| place.failed(e))?;
            }
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}

fn lies_on(place: &OwnFile) -> String {
    let fs = place.file_system();
    fs.unwrap_or_else(|| "an unknown file system".into())
}

/// Creates the file, with no two pieces alike. Returns the sum of its bytes.
fn fill(place: &OwnFile, bytes: usize, piece: &mut Buffer, sum: Sum) -> Result<u64, Stop> {
    let mut file = File::create_new(place.path()).map_err(|e| place.failed(e))?;
    let mut total = 0u64;
    for (number, from) in (0..bytes).step_by(PIECE).enumerate() {
        let part = &mut piece.bytes()[..PIECE.min(bytes - from)];
        part[..8].copy_from_slice(&(number as u64 + 1).to_ne_bytes());
        total = total.wrapping_add(sum.expected(part));
        file.write_all(part).map_err(|e| place.failed(e))?;
    }
    Ok(total)
}

/// Reads the whole file and sums it.
fn add_up(file: &File, bytes: usize, piece: &mut Buffer, sum: Sum) -> io::Result<u64> {
    let mut total = 0u64;
    let mut at = 0;
    while at < bytes {
        let most = PIECE.min(bytes - at);
        file.read_exact_at(&mut piece.bytes()[..most], at as u64)?;
        total = total.wrapping_add(sum.of_first(piece, most));
        at += most;
    }
    Ok(total)
}

/// A file mapped for reading.
struct Mapped {
    start: *mut u8,
    bytes: usize,
}

impl Mapped {
    fn of(file: &File, bytes: usize) -> io::Result<Mapped> {
        // SAFETY: a new mapping at an address chosen by the kernel.
        let start = unsafe {
            mmap(
                std::ptr::null_mut(),
                bytes,
                ProtFlags::READ,
                MapFlags::SHARED,
                file,
                0,
            )
        }?;
        Ok(Mapped {
            start: start.cast(),
            bytes,
        })
    }

    fn add_up(&self, sum: Sum) -> u64 {
        // SAFETY: mapped by `of` until `drop`; the file is private to this process, as long as the
        // mapping, and no longer written.
        unsafe { sum.of_mapped(self.start, self.bytes) }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: our mapping, which nothing borrows. Failing to unmap leaks it until the worker
        // exits.
        let _ = unsafe { munmap(self.start.cast(), self.bytes) };
    }
}

/// How far the bytes must get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sync {
    No,
    Fsync,
    Direct,
}

/// File systems without a disk behind them.
const IN_MEMORY: [&str; 2] = ["tmpfs", "ramfs"];

fn write(bench: &mut Bench) -> Result<(), Stop> {
    let sync = match bench.param("sync")? {
        "no" => Sync::No,
        "fsync" => Sync::Fsync,
        "direct" => Sync::Direct,
        other => return Err(Stop::Unavailable(format!("sync={other} is not known"))),
    };
    let bytes = bench.size()?;
    let place = OwnFile::new(bench, "write")?;
    let lies_on = lies_on(&place);
    if sync != Sync::No && IN_MEMORY.contains(&lies_on.as_str()) {
        return Err(Stop::Unavailable(format!(
            "the temporary directory is on {lies_on}, which has no disk behind it; set TMPDIR to a directory on a disk"
        )));
    }
    bench.note(match sync {
        Sync::No => format!("into the page cache of {lies_on}, not to a disk"),
        Sync::Fsync => format!("to the device of {lies_on}, through the page cache"),
        Sync::Direct => format!("to the device of {lies_on}, bypassing the page cache"),
    });
    let length = if sync == Sync::Direct {
        DIRECT_PIECE
    } else {
        PIECE
    };
    // Page-aligned, as direct I/O requires.
    let mut piece = Buffer::new(length, Pages::Small, 0)?;
    let (mut watch, _) = Watch::open();
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", bytes as f64, |passes| {
            let before = watch.read();
            let mut ns = 0.0;
            for _ in 0..passes {
                let mut file = new_file(&place, sync)?;
                let start = Moment::now();
                write_through(&mut file, bytes, piece.bytes(), sync)
                    .map_err(|e| refused(&place, sync, e))?;
                ns += Moment::now().since(start);
            }
            let marks = between(&before, &watch.read());
            Ok(Timed::Inside { ns, marks })
        })])?;
    }
    Ok(())
}

/// A new file instead of the previous one. Not a truncated one: file systems flush writes after a
/// truncation at once, because careless programs replace files that way.
fn new_file(place: &OwnFile, sync: Sync) -> Result<File, Stop> {
    match fs::remove_file(place.path()) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(place.failed(e)),
        _ => {}
    }
    let flags = if sync == Sync::Direct {
        libc::O_DIRECT
    } else {
        0
    };
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .custom_flags(flags)
        .open(place.path())
        .map_err(|e| refused(place, sync, e))
}

fn write_through(file: &mut File, bytes: usize, piece: &[u8], sync: Sync) -> io::Result<()> {
    let mut left = bytes;
    while left > 0 {
        let most = left.min(piece.len());
        file.write_all(&piece[..most])?;
        left -= most;
    }
    match sync {
        Sync::Fsync => file.sync_all(),
        Sync::No | Sync::Direct => Ok(()),
    }
}

/// Explains "invalid argument" from a file system without direct I/O.
fn refused(place: &OwnFile, sync: Sync, error: io::Error) -> Stop {
    if sync == Sync::Direct && Errno::from_io_error(&error) == Some(Errno::INVAL) {
        return Stop::Unavailable(format!(
            "{} has no direct I/O; set TMPDIR to a directory on another file system",
            lies_on(place)
        ));
    }
    place.failed(error)
}
