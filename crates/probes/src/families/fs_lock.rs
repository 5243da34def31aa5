//! Handing a record lock from one process to another.
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
use crate::shared::Shared;

/// This family's probes.
pub const PROBES: &[Probe] = &[Probe {
    id: "ipc.fcntl_lock",
    title: "record lock hand-over",
    unit: Unit::Ns,
    better: Better::Lower,
    what: "One hand-over from process to process by record locks on a file (fcntl): one lock released that the other waits for, one waited for.",
    how: "Three locks in a circle, so that whoever releases one must then wait, and nobody can take it again first; the hand-overs are counted and must all have happened. lmbench uses two locks, one of which a process can often take back before the other has woken up, so that over half of the hand-overs it counts never were (its second process makes 43 calls where the first makes 100).",
    needs: &[NEEDS, "a temporary folder"],
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

/// Locks in the circle. With three, the one that runs holds two and the other one the third.
const LOCKS: u8 = 3;

/// One end's view of the circle: bytes of a file, each with a lock. It borrows the file, because a
/// process that closes any copy of a file loses all its locks on it.
struct Circle<'f> {
    file: &'f File,
    /// The lock that the other one waits for.
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

    /// Releases the lock that the other one waits for, and waits for the one that the other holds.
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
        Shared::new(AtomicU64::new(0)).map_err(|e| Stop::unavailable("shared memory", e))?;
    let (mut ready, begun) = io::pipe().map_err(|e| Stop::unavailable("a pipe", e))?;
    let refused = |e| Stop::unavailable("a record lock", e);
    here.take(0).and_then(|()| here.take(1)).map_err(refused)?;
    let cpu = bench.job.luck.cpus.get(1).copied();
    let count = &*counted;
    let _peer = Peer::start(cpu, move || other(file, begun, count))?;
    // Until it holds its lock, ours would be free to take.
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
                "{n} hand-overs were begun and {there} answered"
            )))
        })])?;
    }
    Ok(())
}

/// The other end's life: take the lock that makes the circle, then hand over for ever.
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
