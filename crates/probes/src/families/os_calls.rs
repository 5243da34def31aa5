//! Single system calls.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::PathBuf;

use whyslow_kernels::syscalls::{self, via_libc};
use whyslow_model::id;
use whyslow_model::record::Estimator;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::between_runs;
use crate::probe::{Bounds, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::via::{self, Via};

/// A probe of this family; the probes differ only in their texts and call.
const fn call(
    id: &'static str,
    [title, what, how]: [&'static str; 3],
    names: Names,
    roles: Roles,
    points: fn(&PlanContext) -> Vec<Offer>,
    measure: fn(&mut Bench) -> Result<(), Stop>,
) -> Probe {
    Probe {
        id,
        title,
        unit: Unit::Ns,
        better: Better::Lower,
        what,
        how,
        needs: &[],
        params: &[via::PARAM],
        names,
        roles,
        // 20 cycles: the cheapest ring crossing known takes more.
        bounds: Bounds { fastest: 20.0 },
        usual_marks: &[],
        points,
        measure,
    }
}

/// Names in lmbench only.
const fn lmbench(names: &'static [&'static str]) -> Names {
    Names {
        lmbench: names,
        ..Names::NONE
    }
}

/// This family's probes.
pub const PROBES: &[Probe] = &[
    call(
        id::OS_NULL_CALL,
        [
            "null call",
            "The cheapest kernel entry and exit: getppid.",
            "The bare instruction in a loop, without the C library; with via=libc its getppid().",
        ],
        lmbench(&["lat_syscall null", "null call"]),
        Roles::All(Role::SystemCall),
        |_| plain(id::OS_NULL_CALL),
        |bench| repeat(bench, syscalls::null_call, via_libc::null_call),
    ),
    call(
        id::OS_READ,
        [
            "read",
            "read() of one byte from /dev/zero.",
            "The bare instruction in a loop on a file opened once; with via=libc the C library's read().",
        ],
        lmbench(&["lat_syscall read", "null I/O"]),
        Roles::All(Role::SystemCall),
        |_| plain(id::OS_READ),
        |bench| {
            let file = open("/dev/zero", false)?;
            repeat(
                bench,
                |n| syscalls::read_byte(file.as_raw_fd(), n),
                |n| via_libc::read_byte(file.as_raw_fd(), n),
            )
        },
    ),
    call(
        id::OS_WRITE,
        [
            "write",
            "write() of one byte to /dev/null.",
            "The bare instruction in a loop on a file opened once; with via=libc the C library's write().",
        ],
        lmbench(&["lat_syscall write", "null I/O"]),
        Roles::All(Role::SystemCall),
        |_| plain(id::OS_WRITE),
        |bench| {
            let file = open("/dev/null", true)?;
            repeat(
                bench,
                |n| syscalls::write_byte(file.as_raw_fd(), n),
                |n| via_libc::write_byte(file.as_raw_fd(), n),
            )
        },
    ),
    call(
        id::OS_STAT,
        [
            "stat",
            "stat() of a file in the temporary directory, with its path in the dentry cache.",
            "newfstatat with the full path, in a loop; with via=libc the C library's stat(), which is newfstatat in glibc from 2.33 on.",
        ],
        lmbench(&["lat_syscall stat", "stat"]),
        Roles::All(Role::FileMetadata),
        |_| with_file(id::OS_STAT),
        |bench| {
            let path = file(bench)?;
            repeat(
                bench,
                |n| syscalls::stat(&path, n),
                |n| via_libc::stat(&path, n),
            )
        },
    ),
    call(
        "os.fstat",
        [
            "fstat",
            "fstat() of an open file in the temporary directory.",
            "The bare instruction in a loop on a file opened once; with via=libc the C library's fstat(), which is newfstatat with an empty path in glibc from 2.33 on.",
        ],
        lmbench(&["lat_syscall fstat"]),
        Roles::All(Role::SystemCall),
        |_| with_file("os.fstat"),
        |bench| {
            let path = file(bench)?;
            let file = open(&path.to_string_lossy(), false)?;
            repeat(
                bench,
                |n| syscalls::fstat(file.as_raw_fd(), n),
                |n| via_libc::fstat(file.as_raw_fd(), n),
            )
        },
    ),
    call(
        id::OS_OPEN_CLOSE,
        [
            "open and close",
            "open() and close() of a file in the temporary directory, both calls together.",
            "openat with the full path and close, in a loop; with via=libc the C library's open() and close().",
        ],
        lmbench(&["lat_syscall open", "open clos"]),
        Roles::All(Role::FileMetadata),
        |_| with_file(id::OS_OPEN_CLOSE),
        |bench| {
            let path = file(bench)?;
            repeat(
                bench,
                |n| syscalls::open_close(&path, n),
                |n| via_libc::open_close(&path, n),
            )
        },
    ),
];

/// Batches per call: sibling load changes within milliseconds, and changes a call of 100 ns by 5 %; with
/// five batches processes differ twice as much as with these.
const SAMPLES: u32 = 25;

fn plain(id: &str) -> Vec<Offer> {
    offers(id, false)
}

fn with_file(id: &str) -> Vec<Offer> {
    offers(id, true)
}

/// The bare call, and the one through the C library.
fn offers(id: &str, scratch: bool) -> Vec<Offer> {
    let bare = PointPlan {
        draws: 1,
        samples: SAMPLES,
        // What a sibling or an interrupt adds is not the call.
        estimator: Estimator::Low,
        between_runs: match id {
            id::OS_NULL_CALL => between_runs::SWITCHES,
            _ => between_runs::CALLS,
        },
        scratch,
        ..PointPlan::new(Point::new(id))
    };
    let through = via::libc(&bare);
    vec![Offer::Point(bare), Offer::Point(through)]
}

/// Measures the way of the point: the call by itself, or through the C library.
fn repeat(
    bench: &mut Bench,
    bare: impl FnMut(u64) -> Result<(), i32>,
    through: impl FnMut(u64) -> Result<(), i32>,
) -> Result<(), Stop> {
    match Via::of(bench)? {
        Via::Bare => turns(bench, bare),
        Via::Libc => turns(bench, through),
    }
}

fn turns(bench: &mut Bench, mut call: impl FnMut(u64) -> Result<(), i32>) -> Result<(), Stop> {
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", 1.0, |n| {
            call(n).map_err(|code| {
                Stop::unavailable("the call failed", io::Error::from_raw_os_error(code))
            })?;
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}

fn open(path: &str, to_write: bool) -> Result<File, Stop> {
    File::options()
        .read(!to_write)
        .write(to_write)
        .open(path)
        .map_err(|e| Stop::unavailable(path, e))
}

/// A small file in the scratch directory.
fn file(bench: &Bench) -> Result<CString, Stop> {
    let folder = bench.job.scratch.as_ref().ok_or_else(|| {
        Stop::Unavailable("no temporary directory could be created; set TMPDIR".into())
    })?;
    let path = PathBuf::from(folder).join("file");
    std::fs::write(&path, b"whyslow")
        .map_err(|e| Stop::unavailable(&path.display().to_string(), e))?;
    CString::new(path.into_os_string().into_encoded_bytes())
        .map_err(|e| Stop::unavailable("the temporary directory", e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::context;
    use crate::{Intensity, registry};

    #[test]
    fn every_call_is_measured_bare_and_through_the_c_library() {
        let ctx = context(Intensity::Quick);
        for id in PROBES.iter().map(|p| p.id).chain([id::IPC_PIPE]) {
            let probe = registry().find(|p| p.id == id).unwrap();
            let offers = (probe.points)(&ctx);
            let plans: Vec<&PointPlan> = offers.iter().filter_map(Offer::plan).collect();
            assert!(plans.len() >= 2, "{id}");
            for pair in plans.chunks(2) {
                let through = pair[0].point.clone().with("via", "libc");
                assert_eq!(pair[1].point, through);
                assert!(pair.iter().all(|plan| !plan.extra), "{id}");
                assert!(
                    pair.iter().all(|plan| probe.in_suite(plan, "lmbench")),
                    "{id}"
                );
                assert!(!probe.in_suite(pair[1], "byte"), "{id}");
            }
        }
    }
}
