//! Waking another process through a record lock.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU64, Ordering};

use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::peer::Peer;
use crate::placed::{CPUS, NEEDS, USUAL, label_pair, ways};
use crate::probe::{Bounds, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::scratch::OwnFile;
use crate::shared::SharedCell;

/// This family's probes.
pub const PROBES: &[Probe] = &[Probe {
    id: "ipc.fcntl_lock",
    title: "record lock wake-up",
    unit: Unit::Ns,
    better: Better::Lower,
    what: "One switch to another process through record locks on a file (fcntl): release the lock that the other waits for, then wait for another.",
    how: "Three locks in a cycle, so that the process that releases one must then wait and cannot reacquire it first; switches are counted and verified. lmbench uses two locks, and a process can often reacquire one before the other has woken up, so that over half of the switches it counts never happened (its second process makes 43 calls where the first makes 100).",
    needs: &[NEEDS, "a temporary directory"],
    params: &[CPUS],
    names: Names {
        lmbench: &["lat_fcntl"],
        ..Names::NONE
    },
    roles: Roles::ByParams(
        &[(&[("cpus", "same-cpu")], Role::SwitchSameCpu)],
        Role::SwitchAnyCpu,
    ),
    // 100 cycles: less than the system calls.
    bounds: Bounds { fastest: 100.0 },
    usual_marks: USUAL,
    points,
    measure,
}];

fn points(ctx: &PlanContext) -> Vec<Offer> {
    let plan = |(name, cpus)| {
        Offer::Point(PointPlan {
            cpus,
            draws: 1,
            // A wake-up on another CPU takes up to 50 us: a shorter batch would hold too few.
            batch_ns: 2e6,
            scratch: true,
            extra: true,
            suites: &["lmbench"],
            ..PointPlan::new(Point::new("ipc.fcntl_lock").with("cpus", name))
        })
    };
    ways(ctx).into_iter().map(plan).collect()
}

/// Locks in the cycle. With three, the running process holds two and the other holds the third.
const LOCKS: u8 = 3;

/// One end's view of the cycle: bytes of a file, each with a lock. It borrows the file, because a
/// process that closes any descriptor of a file loses all its locks on it.
struct Circle<'f> {
    file: &'f File,
    /// The lock that the other process waits for.
    next: u8,
}

impl Circle<'_> {
    fn set(&self, byte: u8, kind: libc::c_int, command: libc::c_int) -> io::Result<()> {
        // SAFETY: all zero is a lock of the whole file, which is then filled in.
        let mut lock: libc::flock = unsafe { std::mem::zeroed() };
        lock.l_type = kind as libc::c_short;
        lock.l_whence = libc::SEEK_SET as libc::c_short;
        lock.l_start = byte.into();
        lock.l_len = 1;
        // SAFETY: our file, and a lock that lives through the call.
        match unsafe { libc::fcntl(self.file.as_raw_fd(), command, &raw const lock) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    fn take(&self, byte: u8) -> io::Result<()> {
        self.set(byte, libc::F_WRLCK, libc::F_SETLKW)
    }

    /// Releases the lock that the other process waits for, and waits for the one that it holds.
    fn hand_over(&mut self) -> io::Result<()> {
        self.set(self.next, libc::F_UNLCK, libc::F_SETLK)?;
        self.take((self.next + LOCKS - 1) % LOCKS)?;
        self.next = (self.next + 1) % LOCKS;
        Ok(())
    }
}

fn measure(bench: &mut Bench) -> Result<(), Stop> {
    let own = OwnFile::new(bench, "lock")?;
    let made = File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .open(own.path());
    let file = &made.map_err(|e| own.failed(e))?;
    let mut here = Circle { file, next: 0 };
    let counted =
        SharedCell::new(AtomicU64::new(0)).map_err(|e| Stop::unavailable("shared memory", e))?;
    let (mut ready, begun) = io::pipe().map_err(|e| Stop::unavailable("a pipe", e))?;
    let refused = |e| Stop::unavailable("a record lock", e);
    here.take(0).and_then(|()| here.take(1)).map_err(refused)?;
    let cpu = bench.job.randomization.cpus.get(1).copied();
    let count = &*counted;
    let _peer = Peer::start(cpu, move || other(file, begun, count))?;
    // Before it holds its lock, it could not block us.
    ready.read_exact(&mut [0]).map_err(refused)?;
    label_pair(bench)?;
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", 2.0, |n| {
            let before = counted.load(Ordering::Acquire);
            for _ in 0..n {
                here.hand_over().map_err(refused)?;
            }
            let there = counted.load(Ordering::Acquire) - before;
            if there == n {
                return Ok(Timed::Outside);
            }
            Err(Stop::Refused(format!(
                "{n} switches were started and {there} answered"
            )))
        })])?;
    }
    Ok(())
}

/// Main loop of the other end: takes the lock that closes the cycle, then switches forever.
fn other(file: &File, mut begun: io::PipeWriter, count: &AtomicU64) -> io::Result<()> {
    let mut circle = Circle { file, next: 2 };
    circle.take(2)?;
    begun.write_all(&[0])?;
    circle.take(0)?;
    loop {
        count.fetch_add(1, Ordering::AcqRel);
        circle.hand_over()?;
    }
}
