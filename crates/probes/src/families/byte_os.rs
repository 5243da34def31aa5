//! The system-call rows of BYTE and UnixBench: a mix of calls, and a pipe within one process.
#![allow(unsafe_code)]

use std::io::Error;

use rustix::io::{read, write};
use rustix::pipe::{PipeFlags, pipe_with};
use whyslow_model::id;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::probe::{Bounds, Names, Offer, PointPlan, Probe, Stop};

/// Bytes per pipe transfer, as in UnixBench.
const BYTES: usize = 512;

/// Calls per iteration of the mix: dup, close, getpid, getuid, umask.
const CALLS: f64 = 5.0;

/// This family's probes.
pub const PROBES: &[Probe] = &[
    Probe {
        id: id::OS_CALL_MIX,
        title: "five system calls",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "A system call, averaged over dup, close, getpid, getuid and umask.",
        how: "The five calls in turn, by number, bypassing the C library; time per call. UnixBench counts the five as one: its loops per second are 2e8 over the value.",
        needs: &[],
        params: &[],
        names: Names {
            byte: &["System Call Overhead"],
            ..Names::NONE
        },
        roles: Roles::All(Role::SystemCall),
        // 20 cycles: the cheapest ring crossing known takes more.
        bounds: Bounds { fastest: 20.0 },
        usual_marks: &[],
        points: |_| vec![point(id::OS_CALL_MIX)],
        measure: mix,
    },
    Probe {
        id: id::IPC_PIPE_SELF,
        title: "pipe within one process",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "512 bytes written to a pipe and read back by the same process: two system calls and two copies, no context switch.",
        how: "write and read in a loop; both must move all bytes.",
        needs: &[],
        params: &[],
        names: Names {
            byte: &["Pipe Throughput"],
            ..Names::NONE
        },
        roles: Roles::All(Role::SystemCall),
        // 100 cycles: two ring crossings take more.
        bounds: Bounds { fastest: 100.0 },
        usual_marks: &[],
        points: |_| vec![point(id::IPC_PIPE_SELF)],
        measure: pipe,
    },
];

fn point(id: &str) -> Offer {
    Offer::Point(PointPlan {
        draws: 1,
        extra: true,
        suites: &["byte"],
        ..PointPlan::new(Point::new(id))
    })
}

/// A call that must not fail.
fn checked(what: &str, result: libc::c_long) -> Result<libc::c_long, Stop> {
    if result < 0 {
        return Err(Stop::unavailable(what, Error::last_os_error()));
    }
    Ok(result)
}

fn mix(bench: &mut Bench) -> Result<(), Stop> {
    // Our own descriptor to duplicate: standard input may be closed.
    let (from, _to) = pipe_with(PipeFlags::CLOEXEC).map_err(|e| Stop::unavailable("a pipe", e))?;
    let fd = std::os::fd::AsRawFd::as_raw_fd(&from);
    repeat(bench, CALLS, |n| {
        for _ in 0..n {
            // SAFETY: `fd` is open; the copy is closed before anything else uses it; the umask is
            // no longer needed, as this process creates no more files.
            unsafe {
                let copy = checked("dup", libc::syscall(libc::SYS_dup, fd))?;
                checked("close", libc::syscall(libc::SYS_close, copy))?;
                checked("getpid", libc::syscall(libc::SYS_getpid))?;
                checked("getuid", libc::syscall(libc::SYS_getuid))?;
                checked("umask", libc::syscall(libc::SYS_umask, 0o022))?;
            }
        }
        Ok(())
    })
}

fn pipe(bench: &mut Bench) -> Result<(), Stop> {
    let (from, to) = pipe_with(PipeFlags::CLOEXEC).map_err(|e| Stop::unavailable("a pipe", e))?;
    // Not zeros: some hosts move those faster.
    let mut bytes = [0xa5u8; BYTES];
    repeat(bench, 1.0, |n| {
        for _ in 0..n {
            let written = write(&to, &bytes).map_err(|e| Stop::unavailable("the pipe", e))?;
            let back = read(&from, &mut bytes).map_err(|e| Stop::unavailable("the pipe", e))?;
            if (written, back) != (BYTES, BYTES) {
                return Err(Stop::Unavailable(format!(
                    "the pipe moved {written} and {back} of {BYTES} bytes"
                )));
            }
        }
        Ok(())
    })
}

fn repeat(
    bench: &mut Bench,
    work: f64,
    mut run: impl FnMut(u64) -> Result<(), Stop>,
) -> Result<(), Stop> {
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", work, |n| {
            run(n)?;
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}
