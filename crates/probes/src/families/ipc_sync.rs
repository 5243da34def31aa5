//! Synchronization between two processes: semaphore, named pipe, eventfd, futex.
#![allow(unsafe_code)]

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::event::{EventfdFlags, eventfd};
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::between_runs;
use crate::peer::Peer;
use crate::placed::{CPUS, NEEDS, USUAL, label_pair, ways};
use crate::probe::{Bounds, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::scratch::OwnFile;
use crate::semaphores::Semaphores;
use crate::shared::{SharedCell, sleep, wake};

/// A probe of this family; the probes differ only in their texts and mechanism.
const fn between(
    id: &'static str,
    title: &'static str,
    what: &'static str,
    how: &'static str,
    lmbench: &'static [&'static str],
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
        needs: &[NEEDS],
        params: &[CPUS],
        names: Names {
            lmbench,
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
    }
}

/// This family's probes.
pub const PROBES: &[Probe] = &[
    between(
        "ipc.sysv_sem",
        "semaphore wake-up",
        "One switch to another process through System V semaphores: half of a round trip.",
        "Two semaphores; each process decrements one and increments the other with a single call, as in lmbench.",
        &["lat_sem"],
        |ctx| placed(ctx, "ipc.sysv_sem", &["lmbench"]),
        sysv_sem,
    ),
    between(
        "ipc.fifo",
        "named pipe round trip",
        "One byte through a named pipe to another process and one byte back.",
        "As ipc.pipe, with two FIFOs in the temporary directory.",
        &["lat_fifo"],
        |ctx| placed(ctx, "ipc.fifo", &["lmbench"]),
        fifo,
    ),
    between(
        "ipc.eventfd",
        "event counter round trip",
        "Signaling another process through an eventfd, and its answer through a second one.",
        "Two counters; each process writes one and reads the other.",
        &[],
        |ctx| placed(ctx, "ipc.eventfd", &[]),
        eventfds,
    ),
    between(
        "ipc.futex",
        "futex round trip",
        "Waking another process that sleeps on a word of shared memory, and being woken in turn: the basis of mutexes and condition variables.",
        "Two words; each process sets and wakes one and sleeps on the other, without spinning before it sleeps.",
        &[],
        |ctx| placed(ctx, "ipc.futex", &[]),
        futex,
    ),
];

/// One point for each placement of two processes.
fn placed(ctx: &PlanContext, id: &str, suites: &'static [&'static str]) -> Vec<Offer> {
    let plan = |(name, cpus)| {
        Offer::Point(PointPlan {
            cpus,
            draws: 1,
            // A wake-up on another CPU takes up to 50 us: a shorter batch would hold too few.
            batch_ns: 2e6,
            between_runs: between_runs::SWITCHES,
            scratch: id == "ipc.fifo",
            extra: true,
            suites,
            ..PointPlan::new(Point::new(id).with("cpus", name))
        })
    };
    ways(ctx).into_iter().map(plan).collect()
}

/// The CPU of the other process.
fn other_cpu(bench: &Bench) -> Option<u32> {
    bench.job.randomization.cpus.get(1).copied()
}

/// Measures `trip`, of which one is `work` operations.
fn trips(
    bench: &mut Bench,
    work: f64,
    mut trip: impl FnMut() -> io::Result<()>,
) -> Result<(), Stop> {
    label_pair(bench)?;
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", work, |n| {
            for _ in 0..n {
                trip().map_err(|e| Stop::unavailable("the other process", e))?;
            }
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}

fn sysv_sem(bench: &mut Bench) -> Result<(), Stop> {
    /// The semaphore that each side decrements.
    const HERE: u16 = 0;
    const THERE: u16 = 1;
    let both = Semaphores::pair().map_err(|e| Stop::unavailable("System V semaphores", e))?;
    let id = both.id();
    let _peer = Peer::start(other_cpu(bench), move || {
        while id.take_and_give(THERE, HERE).is_ok() {}
    })?;
    // The other process waits; from here on each call switches to it and returns when it is our
    // turn.
    id.give(THERE).map_err(|e| Stop::unavailable("semop", e))?;
    trips(bench, 2.0, || id.take_and_give(HERE, THERE))
}

fn fifo(bench: &mut Bench) -> Result<(), Stop> {
    let make = |name| -> Result<OwnFile, Stop> {
        let file = OwnFile::new(bench, name)?;
        let path = file.path().as_os_str().as_bytes();
        let path = std::ffi::CString::new(path).map_err(|e| file.failed(e.into()))?;
        // SAFETY: a path that ends in zero.
        match unsafe { libc::mkfifo(path.as_ptr(), 0o600) } {
            0 => Ok(file),
            _ => Err(file.failed(io::Error::last_os_error())),
        }
    };
    let (there, back) = (make("there")?, make("back")?);
    // Opened for reading and writing, so open does not wait for the other end.
    let open = |file: &OwnFile| {
        let opened = OpenOptions::new().read(true).write(true).open(file.path());
        opened.map_err(|e| file.failed(e))
    };
    echo(bench, open(&there)?, open(&back)?, [0u8; 1])
}

fn eventfds(bench: &mut Bench) -> Result<(), Stop> {
    let make = || {
        let made = eventfd(0, EventfdFlags::CLOEXEC);
        made.map_err(|e| Stop::unavailable("eventfd", e))
    };
    let (there, back): (OwnedFd, OwnedFd) = (make()?, make()?);
    echo(bench, there.into(), back.into(), 1u64.to_ne_bytes())
}

/// Measures sending `token` to another process and back.
fn echo<const N: usize>(
    bench: &mut Bench,
    there: File,
    back: File,
    token: [u8; N],
) -> Result<(), Stop> {
    let copy = |file: &File| file.try_clone().map_err(|e| Stop::unavailable("dup", e));
    let (mut from, mut to) = (copy(&there)?, copy(&back)?);
    let _peer = Peer::start(other_cpu(bench), move || {
        let mut token = [0u8; N];
        while from.read_exact(&mut token).is_ok() && to.write_all(&token).is_ok() {}
    })?;
    let (mut there, mut back) = (there, back);
    let mut answer = [0u8; N];
    trips(bench, 1.0, || {
        there.write_all(&token)?;
        back.read_exact(&mut answer)
    })
}

fn futex(bench: &mut Bench) -> Result<(), Stop> {
    /// Two lines each, because many cores prefetch the adjacent line.
    #[repr(C, align(128))]
    struct Word(AtomicU32);
    let failed = |e| Stop::unavailable("shared memory", e);
    let (there, back) = (
        SharedCell::new(Word(AtomicU32::new(0))).map_err(failed)?,
        SharedCell::new(Word(AtomicU32::new(0))).map_err(failed)?,
    );
    /// Waits until `word` is set, and clears it.
    fn wait(word: &AtomicU32) -> io::Result<()> {
        while word.swap(0, Ordering::Acquire) == 0 {
            sleep(word, 0)?;
        }
        Ok(())
    }
    fn raise(word: &AtomicU32) -> io::Result<()> {
        word.store(1, Ordering::Release);
        wake(word).map(|_| ())
    }
    let _peer = Peer::start(other_cpu(bench), || {
        while wait(&there.0).is_ok() && raise(&back.0).is_ok() {}
    })?;
    trips(bench, 1.0, || {
        raise(&there.0)?;
        wait(&back.0)
    })
}
