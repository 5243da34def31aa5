//! Time: the actual length of a short sleep, and the cost of reading a clock.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::hint::black_box;
use std::io;
use std::mem::{MaybeUninit, zeroed};
use std::ptr::{null, null_mut};

use whyslow_model::record::MarkKind;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::probe::{Bounds, Names, Offer, PointPlan, Probe, Stop};
use crate::timed::Part;

/// This family's probes.
pub const PROBES: &[Probe] = &[
    Probe {
        id: "os.sleep",
        title: "short sleep",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "The actual length of a sleep of the given microseconds, including the requested time.",
        how: "Consecutive sleeps; a mean below the requested time is refused. The kernel may delay a timer by the timer slack, which is noted, and wake-up latency is added.",
        needs: &[],
        params: &[
            (
                "method",
                "usleep, nanosleep, select, pselect, or itimer (a one-shot setitimer and its signal)",
            ),
            ("us", "requested microseconds"),
        ],
        names: Names {
            lmbench: &["lat_usleep"],
            ..Names::NONE
        },
        roles: Roles::All(Role::Sleep),
        // 1,000 cycles: no way to sleep.
        bounds: Bounds { fastest: 1_000.0 },
        // Sleeping is being switched away and coming back, perhaps elsewhere.
        usual_marks: &[
            MarkKind::Switches,
            MarkKind::Migrations,
            MarkKind::RunDelayNs,
        ],
        points: |_| {
            let suite = METHODS.map(|(method, _)| sleep_point(method, 100, &["lmbench"]));
            let more = [1, 10, 1_000].map(|us| sleep_point("nanosleep", us, &[]));
            suite.into_iter().chain(more).collect()
        },
        measure: sleep,
    },
    Probe {
        id: "os.clock",
        title: "read a clock",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "clock_gettime() of one clock: the cost of reading the time.",
        how: "way=vdso is the C library's call, which reads the time without entering the kernel if the clock source (noted) allows it, and is a system call otherwise; way=syscall always enters the kernel.",
        needs: &[],
        params: &[
            (
                "clock",
                "monotonic, realtime, their _coarse and _raw kinds, boottime, tai, process_cpu, thread_cpu",
            ),
            ("way", "vdso or syscall"),
        ],
        names: Names::NONE,
        roles: Roles::All(Role::ReadClock),
        // 5 cycles: not even a call and a return.
        bounds: Bounds { fastest: 5.0 },
        usual_marks: &[],
        points: |_| CLOCKS.iter().flat_map(clock_points).collect(),
        measure: clock,
    },
];

fn sleep_point(method: &str, us: u32, suites: &'static [&'static str]) -> Offer {
    Offer::Point(PointPlan {
        draws: 1,
        // Some thirty sleeps.
        batch_ns: 5e6,
        extra: true,
        suites,
        ..PointPlan::new(Point::new("os.sleep").with("method", method).with("us", us))
    })
}

/// Sleeps for some microseconds.
type Sleep = fn(u32) -> io::Result<()>;

const METHODS: [(&str, Sleep); 5] = [
    ("usleep", usleep),
    ("nanosleep", nanosleep),
    ("select", select),
    ("pselect", pselect),
    ("itimer", itimer),
];

fn succeeded(done: c_int) -> io::Result<()> {
    if done == 0 {
        return Ok(());
    }
    Err(io::Error::last_os_error())
}

fn usleep(us: u32) -> io::Result<()> {
    // SAFETY: takes a number.
    succeeded(unsafe { libc::usleep(us) })
}

fn timespec(us: u32) -> libc::timespec {
    // SAFETY: all zero is a valid time; some targets have padding that cannot be named.
    let mut time: libc::timespec = unsafe { zeroed() };
    time.tv_sec = (us / 1_000_000).into();
    time.tv_nsec = (us % 1_000_000 * 1_000).into();
    time
}

fn timeval(us: u32) -> libc::timeval {
    libc::timeval {
        tv_sec: (us / 1_000_000).into(),
        tv_usec: (us % 1_000_000).into(),
    }
}

fn nanosleep(us: u32) -> io::Result<()> {
    let time = timespec(us);
    // SAFETY: a time that lives through the call.
    succeeded(unsafe { libc::nanosleep(&raw const time, null_mut()) })
}

fn select(us: u32) -> io::Result<()> {
    let mut time = timeval(us);
    // SAFETY: no files, and a time that lives through the call.
    succeeded(unsafe { libc::select(0, null_mut(), null_mut(), null_mut(), &raw mut time) })
}

fn pselect(us: u32) -> io::Result<()> {
    let time = timespec(us);
    // SAFETY: no files and no mask, and a time that lives through the call.
    succeeded(unsafe {
        libc::pselect(
            0,
            null_mut(),
            null_mut(),
            null_mut(),
            &raw const time,
            null(),
        )
    })
}

/// Sets a timer and waits for its signal, which is blocked except during the wait, so that an early
/// one is not lost.
fn itimer(us: u32) -> io::Result<()> {
    let timer = libc::itimerval {
        it_interval: timeval(0),
        it_value: timeval(us),
    };
    // SAFETY: a timer and a mask that live through the calls; sigsuspend always returns -1.
    unsafe {
        let mut mask = MaybeUninit::<libc::sigset_t>::uninit();
        succeeded(libc::sigprocmask(
            libc::SIG_BLOCK,
            null(),
            mask.as_mut_ptr(),
        ))?;
        libc::sigdelset(mask.as_mut_ptr(), libc::SIGALRM);
        succeeded(libc::setitimer(
            libc::ITIMER_REAL,
            &raw const timer,
            null_mut(),
        ))?;
        libc::sigsuspend(mask.as_ptr());
    }
    Ok(())
}

extern "C" fn awake(_: c_int) {}

/// Installs a handler for the timer's signal, and blocks it except during waits. It stays so until
/// this process exits, after one point.
fn block_alarm() -> io::Result<()> {
    // SAFETY: all zero is a sigaction without flags; the mask is filled in before use.
    unsafe {
        let mut action: libc::sigaction = zeroed();
        action.sa_sigaction = awake as *const () as usize;
        succeeded(libc::sigaction(
            libc::SIGALRM,
            &raw const action,
            null_mut(),
        ))?;
        let mut mask = MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigemptyset(mask.as_mut_ptr());
        libc::sigaddset(mask.as_mut_ptr(), libc::SIGALRM);
        succeeded(libc::sigprocmask(
            libc::SIG_BLOCK,
            mask.as_ptr(),
            null_mut(),
        ))
    }
}

fn sleep(bench: &mut Bench) -> Result<(), Stop> {
    /// Allowed difference between our clock and the timer clock, as a share of the requested time: NTP
    /// slews the latter by 0.05 % at most.
    const SLEW: f64 = 0.999;
    let name = bench.param("method")?;
    let method = METHODS.iter().find(|(known, _)| *known == name);
    let (_, method) =
        method.ok_or_else(|| Stop::Unavailable(format!("method={name} is not known")))?;
    // Half a minute: longer than any worker may take.
    let us = bench
        .param("us")?
        .parse::<u32>()
        .ok()
        .filter(|us| (1..=30_000_000).contains(us));
    let us = us.ok_or_else(|| Stop::Unavailable("us must be from 1 to 30000000".into()))?;
    if name == "itimer" {
        block_alarm().map_err(|e| Stop::unavailable("SIGALRM", e))?;
    }
    // SAFETY: asks for a number.
    let slack = unsafe { libc::prctl(libc::PR_GET_TIMERSLACK) };
    bench.note(format!("timer slack {slack} ns"));
    let mut part = Part::new();
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", 1.0, |n| {
            let timed = part.time(|| {
                for _ in 0..n {
                    method(us).map_err(|e| Stop::unavailable(name, e))?;
                }
                Ok(())
            })?;
            match timed {
                Timed::Inside { ns, .. } if ns < n as f64 * f64::from(us) * 1e3 * SLEW => {
                    Err(Stop::Refused(format!(
                        "{n} sleeps of {us} us took only {:.1} us",
                        ns / 1e3
                    )))
                }
                timed => Ok(timed),
            }
        })])?;
    }
    Ok(())
}

/// A clock: its name, its id, and whether it can be read without entering the kernel.
type Clock = (&'static str, libc::clockid_t, bool);

const CLOCKS: [Clock; 9] = [
    ("monotonic", libc::CLOCK_MONOTONIC, true),
    ("realtime", libc::CLOCK_REALTIME, true),
    ("monotonic_raw", libc::CLOCK_MONOTONIC_RAW, true),
    ("monotonic_coarse", libc::CLOCK_MONOTONIC_COARSE, true),
    ("realtime_coarse", libc::CLOCK_REALTIME_COARSE, true),
    ("boottime", libc::CLOCK_BOOTTIME, true),
    ("tai", libc::CLOCK_TAI, true),
    ("process_cpu", libc::CLOCK_PROCESS_CPUTIME_ID, false),
    ("thread_cpu", libc::CLOCK_THREAD_CPUTIME_ID, false),
];

fn clock_points(&(clock, _, vdso): &Clock) -> impl Iterator<Item = Offer> {
    let ways = ["vdso", "syscall"]
        .into_iter()
        .filter(move |way| vdso || *way == "syscall");
    ways.map(move |way| {
        Offer::Point(PointPlan {
            draws: 1,
            extra: true,
            ..PointPlan::new(Point::new("os.clock").with("clock", clock).with("way", way))
        })
    })
}

fn clock(bench: &mut Bench) -> Result<(), Stop> {
    let name = bench.param("clock")?;
    let known = CLOCKS.iter().find(|(known, ..)| *known == name);
    let &(_, id, _) =
        known.ok_or_else(|| Stop::Unavailable(format!("clock={name} is not known")))?;
    let mut time = timespec(0);
    let place = &raw mut time;
    let read: &mut dyn FnMut() -> libc::c_long = match bench.param("way")? {
        "vdso" => &mut || {
            // SAFETY: a timespec that outlives the call.
            unsafe { libc::clock_gettime(black_box(id), place) }.into()
        },
        _ => &mut || {
            // SAFETY: as above.
            unsafe { libc::syscall(libc::SYS_clock_gettime, black_box(id), place) }
        },
    };
    let source = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    if let Ok(source) = std::fs::read_to_string(source) {
        bench.note(format!("clock source {}", source.trim()));
    }
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", 1.0, |n| {
            for _ in 0..n {
                if read() != 0 {
                    return Err(Stop::unavailable(name, io::Error::last_os_error()));
                }
            }
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}
