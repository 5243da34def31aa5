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
        what: "Bytes a second that one process gets from a file in the page cache and adds up. It is the cache that is measured, never the disk.",
        how: "A file written just before in the temporary folder, every page of it checked to be in memory: read in pieces of 64 KiB, or mapped; each byte is added up with the widest loads and counted once. With open_ the file is opened (and mapped, with its page faults) and closed for each pass. lmbench adds up word by word (8 bytes), so that its own loop may be the limit where this one's is not.",
        needs: &["a temporary folder with room for the file"],
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
        // A mapping that is made anew is faulted in anew.
        usual_marks: &[MarkKind::Faults],
        points: |_| read_points(),
        measure: reread,
    },
    Probe {
        id: "file.write",
        title: "file write",
        unit: Unit::GbPerS,
        better: Better::Higher,
        what: "Bytes a second written to a new file: sync=no into the page cache (memory, not the disk), sync=fsync until the system says that they are on the disk, sync=direct past the page cache.",
        how: "A new file in the temporary folder for each pass; made, and the one before removed, outside of the timed part; written in pieces of 64 KiB (direct: 1 MiB), one after the other. A disk's own cache may still take what fsync and direct write.",
        needs: &[
            "a temporary folder with room for the file",
            "sync=fsync, direct: a file system with a disk behind it",
            "sync=direct: a file system with direct I/O",
        ],
        params: &[
            ("size", "bytes of the file"),
            (
                "sync",
                "no: into the page cache; fsync: and from there to the disk; direct: to the disk past the page cache",
            ),
        ],
        names: Names {
            lmbench: &["lmdd", "File write bandwidth"],
            ..Names::NONE
        },
        roles: Roles::All(Role::FileDevice),
        bounds: BOUNDS,
        // Waiting for a disk is the work.
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

/// Bytes given to one call: what lmbench uses.
const PIECE: usize = 64 << 10;

/// Bytes given to one direct call: a disk is not busy with much less at a time.
const DIRECT_PIECE: usize = 1 << 20;

/// Files in a cache of the core's own, in a large one, and in memory, as lmbench's table has it.
const READ_SIZES: [u64; 3] = [512 << 10, 8 << 20, 64 << 20];

/// A size that a slow disk (10 MB/s) still writes in a second, and one that is past small effects.
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
    let offset = bench.job.luck.buffer_offset as usize;
    let place = OwnFile::new(bench, "read")?;
    let mut piece = Buffer::new(PIECE, Pages::Small, offset)?;
    let expected = fill(&place, bytes, &mut piece, sum)?;
    let file = place.open()?;
    let map = Mapped::of(&file, bytes).map_err(|e| place.failed(e))?;
    guard::resident(map.start, bytes)?;
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

/// Makes the file, no two pieces of it alike; what its bytes add up to.
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

/// Reads the file from its start to its end and adds up what came.
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
        // SAFETY: a new mapping at an address of the kernel's choice touches nothing of ours.
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
        // SAFETY: mapped by `of` until `drop`; the file is this process's own, as long as the
        // mapping, and not written any more.
        unsafe { sum.of_mapped(self.start, self.bytes) }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: our own mapping, which nothing borrows from. Failing to unmap leaks it until the
        // worker exits.
        let _ = unsafe { munmap(self.start.cast(), self.bytes) };
    }
}

/// How far the bytes must have come.
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
            "the temporary folder is on {lies_on}, which has no disk behind it; set TMPDIR to a folder on a disk"
        )));
    }
    bench.note(match sync {
        Sync::No => format!("into the page cache of {lies_on}, not to a disk"),
        Sync::Fsync => format!("to what {lies_on} lies on, through the page cache"),
        Sync::Direct => format!("to what {lies_on} lies on, past the page cache"),
    });
    let length = if sync == Sync::Direct {
        DIRECT_PIECE
    } else {
        PIECE
    };
    // At the start of a page, which direct I/O needs.
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

/// A new file in place of the one before. Not one cut to nothing: file systems write what follows
/// such a cut to the disk at once, as it is how careless programs replace a file.
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

/// Says what a file system without direct I/O means by "invalid argument".
fn refused(place: &OwnFile, sync: Sync, error: io::Error) -> Stop {
    if sync == Sync::Direct && Errno::from_io_error(&error) == Some(Errno::INVAL) {
        return Stop::Unavailable(format!(
            "{} has no direct I/O; set TMPDIR to a folder on another file system",
            lies_on(place)
        ));
    }
    place.failed(error)
}
