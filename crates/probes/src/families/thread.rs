//! Threads: creating and joining one, and waking a sleeping one.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::io;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::clock::Moment;
use crate::pin;
use crate::placed::{CPUS, NEEDS, USUAL, label_pair, ways};
use crate::probe::{Bounds, CpuChoice, Names, Offer, PointPlan, Probe, Stop};
use crate::shared::{sleep, wake};

/// 100 cycles: less than the system calls.
const BOUNDS: Bounds = Bounds { fastest: 100.0 };

/// This family's probes.
pub const PROBES: &[Probe] = &[
    Probe {
        id: "thread.create_join",
        title: "create and join a thread",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "Starting a thread that does nothing, and waiting for its end.",
        how: "pthread_create() with default attributes and pthread_join() in a loop, by the C library that this program was built with (noted), which may cache stacks for later threads.",
        needs: &[],
        params: &[(
            "cpus",
            "same-cpu (the thread stays on its creator's CPU) or free: unpinned",
        )],
        names: Names::NONE,
        roles: Roles::All(Role::Fork),
        bounds: BOUNDS,
        usual_marks: USUAL,
        points: |ctx| {
            let two = |name: &str| name == "same-cpu" || name == "free";
            let ways = ways(ctx).into_iter().filter(|(name, _)| two(name));
            ways.map(|way| plan("thread.create_join", way, 2e6))
                .collect()
        },
        measure: create_join,
    },
    Probe {
        id: "thread.wakeup",
        title: "wake a thread",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "Wake-up latency: from the call that wakes a sleeping thread until that thread runs. Every contended lock, queue or timer adds it.",
        how: "The waker reads the clock and wakes a futex on which the thread has slept for at least 50 us; the thread reads the clock first when it runs. Wake-ups of a thread not yet asleep are not counted. On one CPU the time includes the waker's going to sleep.",
        needs: &[NEEDS, "clocks that agree between CPUs"],
        params: &[CPUS],
        names: Names::NONE,
        roles: Roles::ByParams(
            &[(&[("cpus", "same-cpu")], Role::SwitchSameCpu)],
            Role::SwitchAnyCpu,
        ),
        bounds: BOUNDS,
        usual_marks: USUAL,
        points: |ctx| {
            // The sum of the latencies in a batch; the sleeps in between take some thirty times as
            // long.
            ways(ctx)
                .into_iter()
                .map(|way| plan("thread.wakeup", way, 3e5))
                .collect()
        },
        measure: wakeup,
    },
];

fn plan(id: &str, (name, cpus): (String, CpuChoice), batch_ns: f64) -> Offer {
    Offer::Point(PointPlan {
        cpus,
        draws: 1,
        batch_ns,
        extra: true,
        ..PointPlan::new(Point::new(id).with("cpus", name))
    })
}

extern "C" fn nothing(_: *mut c_void) -> *mut c_void {
    null_mut()
}

fn create_join(bench: &mut Bench) -> Result<(), Stop> {
    let library = if cfg!(target_env = "musl") {
        "musl"
    } else {
        "glibc"
    };
    bench.note(format!("threads by {library}"));
    let succeeded = |what, code| match code {
        0 => Ok(()),
        code => Err(Stop::unavailable(what, io::Error::from_raw_os_error(code))),
    };
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", 1.0, |n| {
            for _ in 0..n {
                let mut thread = std::mem::MaybeUninit::<libc::pthread_t>::uninit();
                // SAFETY: a place for the thread id, and a start routine without arguments.
                let made = unsafe {
                    libc::pthread_create(thread.as_mut_ptr(), null(), nothing, null_mut())
                };
                succeeded("starting a thread", made)?;
                // SAFETY: the thread just created, which nothing else joins.
                let ended = unsafe { libc::pthread_join(thread.assume_init(), null_mut()) };
                succeeded("waiting for a thread", ended)?;
            }
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}

/// Sleep time before a wake-up: long enough for the CPU to go idle, as is usual for sleeping threads.
const ASLEEP: Duration = Duration::from_micros(50);

/// Consecutive wake-ups of an awake thread before giving up: the thread then needs more than
/// [`ASLEEP`] to fall asleep.
const PATIENCE: u32 = 10_000;

/// State shared by waker and sleeper, each word on its own lines.
#[repr(align(128))]
#[derive(Default)]
struct Word(AtomicU32);

#[derive(Default)]
struct Desk {
    /// Set by the waker, slept on by the sleeper.
    call: Word,
    /// Set by the sleeper after it ran, slept on by the waker.
    answer: Word,
    /// When the sleeper ran: ns after the origin.
    up: AtomicU64,
    origin: OnceLock<Moment>,
    end: AtomicBool,
    lost: AtomicBool,
}

impl Desk {
    /// Now, in ns after the origin.
    fn now(&self) -> u64 {
        let now = Moment::now();
        now.since(*self.origin.get_or_init(|| now)) as u64
    }
}

/// Waits until `word` is set, and clears it.
fn wait(word: &Word) -> io::Result<()> {
    while word.0.swap(0, Ordering::Acquire) == 0 {
        sleep(&word.0, 0)?;
    }
    Ok(())
}

/// Sets `word` and wakes a sleeper on it. True if there was one.
fn raise(word: &Word) -> io::Result<bool> {
    word.0.store(1, Ordering::Release);
    Ok(wake(&word.0)? > 0)
}

/// A thread that sleeps until it is woken; it ends when this is dropped.
struct Sleeper {
    desk: Arc<Desk>,
    thread: Option<JoinHandle<()>>,
}

impl Sleeper {
    fn on(cpu: Option<u32>) -> Result<Sleeper, Stop> {
        let desk = Arc::new(Desk::default());
        desk.now();
        let theirs = desk.clone();
        let thread = thread::Builder::new().spawn(move || {
            let pinned = cpu.is_none_or(|cpu| pin::to(cpu).is_ok());
            theirs.lost.store(!pinned, Ordering::Release);
            // The first answer reports that the thread has started.
            while raise(&theirs.answer).is_ok() && wait(&theirs.call).is_ok() {
                theirs.up.store(theirs.now(), Ordering::Release);
                if theirs.end.load(Ordering::Acquire) {
                    break;
                }
            }
        });
        let sleeper = Sleeper {
            desk,
            thread: Some(thread.map_err(|e| Stop::unavailable("starting a thread", e))?),
        };
        wait(&sleeper.desk.answer).map_err(|e| Stop::unavailable("futex", e))?;
        match sleeper.desk.lost.load(Ordering::Acquire) {
            false => Ok(sleeper),
            true => Err(Stop::Unavailable("the thread cannot be pinned".into())),
        }
    }

    /// Wakes it once. Returns the ns until it ran, or `None` if it was not asleep.
    fn wake(&self) -> io::Result<Option<f64>> {
        thread::sleep(ASLEEP);
        let called = self.desk.now();
        let slept = raise(&self.desk.call)?;
        wait(&self.desk.answer)?;
        let up = self.desk.up.load(Ordering::Acquire);
        Ok(slept.then_some(up as f64 - called as f64))
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        self.desk.end.store(true, Ordering::Release);
        if raise(&self.desk.call).is_ok()
            && let Some(thread) = self.thread.take()
        {
            // Its result is unit.
            let _ = thread.join();
        }
    }
}

fn wakeup(bench: &mut Bench) -> Result<(), Stop> {
    label_pair(bench)?;
    let sleeper = Sleeper::on(bench.job.randomization.cpus.get(1).copied())?;
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", 1.0, |n| {
            let mut ns = 0.0;
            for _ in 0..n {
                ns += once_asleep(&sleeper)?;
            }
            Ok(Timed::Inside {
                ns,
                marks: Vec::new(),
            })
        })])?;
    }
    Ok(())
}

fn once_asleep(sleeper: &Sleeper) -> Result<f64, Stop> {
    for _ in 0..PATIENCE {
        let woken = sleeper.wake().map_err(|e| Stop::unavailable("futex", e))?;
        if let Some(ns) = woken {
            return Ok(ns);
        }
    }
    Err(Stop::Unavailable(format!(
        "in {PATIENCE} attempts the thread was never asleep"
    )))
}
