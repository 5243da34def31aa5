//! Memory mappings: first touches of pages, and mapping and unmapping.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::{self, Write};
use std::ptr::null_mut;

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, mmap_anonymous, munmap};
use whyslow_model::id;
use whyslow_model::record::MarkKind;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant, shuffle};
use crate::probe::{Bounds, Names, Offer, PointPlan, Probe, Stop};
use crate::scratch::OwnFile;
use crate::timed::Part;

/// Faults are part of the work, not a disturbance.
const USUAL: &[MarkKind] = &[MarkKind::Faults];

/// This family's probes.
pub const PROBES: &[Probe] = &[
    Probe {
        id: id::VM_PAGE_FAULT,
        title: "page fault",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "First touches of pages of a new mapping, per page touched, including freeing them: new memory, which the kernel clears, or a file that is already in memory. No disk I/O.",
        how: "Map 64 MiB, touch in the given order, unmap. The map and unmap calls are not subtracted: they are under 0.3 % of it. With of=file,step=page, as in lmbench, most touches do not fault: the kernel maps up to 16 neighboring pages with each fault (fault-around), so a fault costs several times this; step=64KiB touches one page in each such window and faults at every touch. Faults are counted and noted. A file written in larger pieces uses larger page-cache folios and is mapped at less than half the cost; lmbench's lmdd writes 8 KiB per call, and its figure depends as much on how its file was written.",
        needs: &["of=file: a temporary directory with 64 MB free"],
        params: &[
            (
                "of",
                "anon (new memory, written) or file (a cached file, read)",
            ),
            ("order", "sequential, or random by page"),
            (
                "step",
                "page: every page is touched; 64KiB: one page in each 64 KiB",
            ),
            (
                "written",
                "bytes per call with which the file was written, which determines its folio size in the page cache",
            ),
        ],
        names: Names {
            lmbench: &["lat_pagefault", "Page Fault"],
            ..Names::NONE
        },
        roles: Roles::All(Role::Fault),
        // 20 cycles: less than a touch of memory that was never seen.
        bounds: Bounds { fastest: 20.0 },
        usual_marks: USUAL,
        points: |_| {
            let [small, large] = PIECES.map(|(name, _)| Some(name));
            [
                ("file", "random", PAGE, small),
                ("file", "random", WINDOW, small),
                ("file", "random", PAGE, large),
                ("file", "sequential", PAGE, small),
                ("anon", "random", PAGE, None),
                ("anon", "sequential", PAGE, None),
            ]
            .map(touches)
            .into()
        },
        measure: page_fault,
    },
    Probe {
        id: id::VM_MMAP,
        title: "map and unmap",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "Mapping a cached file for writing, writing one byte every 16 KiB of its first tenth, and unmapping it; the file is in memory, without disk I/O.",
        how: "As in lmbench; a mapping and its unmapping are one operation. Page faults dominate; the file is written in pieces of 8 KiB, as in lmbench, because one written in larger pieces faults at less than half the cost.",
        needs: &["a temporary directory with 8 MB free"],
        params: &[("size", "bytes mapped")],
        names: Names {
            lmbench: &["lat_mmap", "Mmap Latency"],
            ..Names::NONE
        },
        roles: Roles::All(Role::Fault),
        // 1,000 cycles: two system calls and some faults.
        bounds: Bounds { fastest: 1000.0 },
        usual_marks: USUAL,
        points: |_| MAPPED.map(mapping).into(),
        measure: map,
    },
];

/// Bytes per call of lmbench's lmdd, and of most copy programs.
const PIECES: [(&str, usize); 2] = [("8KiB", 8 << 10), ("64KiB", 64 << 10)];

const PAGE: &str = "page";
const WINDOW: &str = "64KiB";

/// The kernel's default fault-around size, bytes.
const WINDOW_BYTES: usize = 64 << 10;

/// Bytes touched, of the file or memory: lmbench's usual file size.
const TOUCHED_BYTES: usize = 64 << 20;

/// Mapping sizes in MiB. lmbench's summary shows the largest requested.
const MAPPED: [u64; 4] = [1, 4, 16, 64];

fn touches((of, order, step, written): (&str, &str, &str, Option<&str>)) -> Offer {
    let mut point = Point::new(id::VM_PAGE_FAULT)
        .with("of", of)
        .with("order", order)
        .with("step", step);
    if let Some(written) = written {
        point = point.with("written", written);
    }
    Offer::Point(PointPlan {
        draws: 2,
        extra: true,
        suites: if of == "file" && order == "random" {
            &["lmbench"]
        } else {
            &[]
        },
        scratch: of == "file",
        ..PointPlan::new(point)
    })
}

fn mapping(mib: u64) -> Offer {
    Offer::Point(PointPlan {
        draws: 1,
        extra: true,
        suites: &["lmbench"],
        scratch: true,
        size_bytes: Some(mib << 20),
        ..PointPlan::new(Point::new(id::VM_MMAP).with("size", format!("{mib}MiB")))
    })
}

/// What is mapped.
enum Source {
    Memory,
    /// A file mapped for reading or for writing.
    File(File, ProtFlags),
}

/// A mapping, removed when dropped.
struct Mapping {
    start: *mut u8,
    bytes: usize,
}

impl Mapping {
    fn new(source: &Source, bytes: usize) -> Result<Mapping, Stop> {
        // SAFETY: new mappings at an address chosen by the kernel.
        let start = unsafe {
            match source {
                Source::Memory => mmap_anonymous(
                    null_mut(),
                    bytes,
                    ProtFlags::READ | ProtFlags::WRITE,
                    MapFlags::PRIVATE,
                ),
                Source::File(file, rights) => {
                    mmap(null_mut(), bytes, *rights, MapFlags::SHARED, file, 0)
                }
            }
        };
        let failed = |e| Stop::unavailable("mmap", e);
        let start = start.map_err(failed)?;
        let mapping = Mapping {
            start: start.cast(),
            bytes,
        };
        if matches!(source, Source::Memory) {
            // SAFETY: the mapping just made. Huge pages would make one fault of 512.
            match unsafe { madvise(start, bytes, Advice::LinuxNoHugepage) } {
                // A kernel without huge pages rejects the advice.
                Ok(()) | Err(rustix::io::Errno::INVAL) => {}
                Err(e) => return Err(Stop::unavailable("madvise", e)),
            }
        }
        Ok(mapping)
    }

    /// Reads a byte at each of `places`.
    fn read(&self, places: &[usize]) {
        for &place in places {
            debug_assert!(place < self.bytes);
            // SAFETY: inside the mapping, which may be read and is not shorter than its file.
            unsafe { self.start.add(place).read_volatile() };
        }
    }

    /// Writes a byte at each of `places`.
    fn write(&self, places: &[usize]) {
        for &place in places {
            debug_assert!(place < self.bytes);
            // SAFETY: inside the mapping, which is writable and not shared.
            unsafe { self.start.add(place).write_volatile(1) };
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: our mapping; nothing refers to it anymore.
        let _ = unsafe { munmap(self.start.cast(), self.bytes) };
    }
}

/// A file of `bytes` bytes, of which the first `there` are written and in memory, in pieces of
/// `piece` bytes: larger pieces give larger page-cache folios.
fn cached_file(bench: &mut Bench, bytes: usize, there: usize, piece: usize) -> Result<File, Stop> {
    let own = OwnFile::new(bench, "mapped")?;
    let fill = || -> io::Result<File> {
        let mut file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(own.path())?;
        let content = vec![0x5a; piece];
        for at in (0..there).step_by(piece) {
            file.write_all(&content[..piece.min(there - at)])?;
        }
        file.set_len(bytes as u64)?;
        Ok(file)
    };
    let file = fill().map_err(|e| own.failed(e))?;
    if let Some(fs) = own.file_system() {
        bench.note(format!(
            "the file is on {fs}, in the page cache, without disk I/O"
        ));
    }
    Ok(file)
}

fn page_fault(bench: &mut Bench) -> Result<(), Stop> {
    let page = rustix::param::page_size();
    let step = match bench.param("step")? {
        PAGE => page,
        WINDOW => WINDOW_BYTES.max(page),
        other => {
            return Err(Stop::Unavailable(format!(
                "step={other} is not known; page or 64KiB"
            )));
        }
    };
    let of_file = bench.param("of")? == "file";
    let source = if of_file {
        let written = bench.param("written")?;
        let piece = PIECES.iter().find(|(name, _)| *name == written);
        let (_, piece) =
            piece.ok_or_else(|| Stop::Unavailable(format!("written={written} is not known")))?;
        let file = cached_file(bench, TOUCHED_BYTES, TOUCHED_BYTES, *piece)?;
        Source::File(file, ProtFlags::READ)
    } else {
        Source::Memory
    };
    let mut places: Vec<usize> = (0..TOUCHED_BYTES).step_by(step).collect();
    if bench.param("order")? == "random" {
        shuffle(&mut places, &mut bench.rng);
    }
    // Every page faults, unless the kernel also maps its neighbors.
    let rate = faults_a_touch(&source, &places)?;
    if step > page || !of_file {
        // One touch in a hundred may find its page mapped by chance: a file's pages may be in larger
        // folios.
        if rate < 0.99 {
            return Err(Stop::Unavailable(format!(
                "only {rate:.2} faults per touch: this kernel maps more than 64 KiB per fault (see fault_around_bytes in debugfs)"
            )));
        }
    } else {
        bench.note(format!(
            "{rate:.2} faults per touch: the kernel also maps neighboring pages"
        ));
    }
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", places.len() as f64, |n| {
            for _ in 0..n {
                touch(&Mapping::new(&source, TOUCHED_BYTES)?, &source, &places);
            }
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}

fn touch(mapping: &Mapping, source: &Source, places: &[usize]) {
    match source {
        Source::Memory => mapping.write(places),
        Source::File(..) => mapping.read(places),
    }
}

/// Faults during the touches, as counted by the kernel.
fn faults_a_touch(source: &Source, places: &[usize]) -> Result<f64, Stop> {
    let mapping = Mapping::new(source, TOUCHED_BYTES)?;
    let timed = Part::new().time(|| {
        touch(&mapping, source, places);
        Ok(())
    })?;
    let Timed::Inside { marks, .. } = timed else {
        return Ok(0.0);
    };
    let faults: u64 = marks
        .iter()
        .filter(|(kind, _)| *kind == MarkKind::Faults)
        .map(|(_, count)| count)
        .sum();
    Ok(faults as f64 / places.len() as f64)
}

fn map(bench: &mut Bench) -> Result<(), Stop> {
    /// lmbench's write pattern: stride and share of the mapping.
    const APART: usize = 16 << 10;
    const TENTH: usize = 10;
    let bytes = bench.size()?;
    let part = bytes / TENTH;
    let file = cached_file(bench, bytes, part.next_multiple_of(APART), PIECES[0].1)?;
    let source = Source::File(file, ProtFlags::READ | ProtFlags::WRITE);
    let places: Vec<usize> = (0..part).step_by(APART).collect();
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", 1.0, |n| {
            for _ in 0..n {
                Mapping::new(&source, bytes)?.write(&places);
            }
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}
