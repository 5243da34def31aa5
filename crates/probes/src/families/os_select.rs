//! Asking which of many open files are ready: select, poll and epoll.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::{self, Write};
use std::mem::MaybeUninit;
use std::net::TcpStream;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::ptr::null_mut;

use rustix::event::{EventfdFlags, eventfd};
use whyslow_model::id;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::probe::{Bounds, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::scratch::OwnFile;
use crate::wire::{no_loopback, tcp_pair};

/// lmbench's numbers of files; its summary shows 100.
const COUNTS: [usize; 4] = [10, 100, 250, 500];

const FDS: (&str, &str) = ("fds", "files in the set");
const ON: (&str, &str) = (
    "on",
    "file (a file in the temporary directory) or tcp (a connection to this host); one, opened once and duplicated",
);

/// A probe of this family; the probes differ only in their texts and call.
const fn ask(
    id: &'static str,
    params: &'static [(&'static str, &'static str)],
    what: &'static str,
    how: &'static str,
    lmbench: &'static [&'static str],
    points: fn(&PlanContext) -> Vec<Offer>,
    measure: fn(&mut Bench) -> Result<(), Stop>,
) -> Probe {
    Probe {
        id,
        title: "ask which files are ready",
        unit: Unit::Ns,
        better: Better::Lower,
        what,
        how,
        needs: &["as many open files"],
        params,
        names: Names {
            lmbench,
            ..Names::NONE
        },
        roles: Roles::All(Role::Descriptors),
        // 20 cycles: less than any way into the kernel.
        bounds: Bounds { fastest: 20.0 },
        usual_marks: &[],
        points,
        measure,
    }
}

/// This family's probes.
pub const PROBES: &[Probe] = &[
    ask(
        id::OS_SELECT,
        &[ON, FDS],
        "select() on N open files for writability, without waiting.",
        "All are writable, and the result must say so. lmbench passes the count as the highest descriptor, and so omits as many files as it had open before, some eight: half of the figure at 10, negligible at 500.",
        &["lat_select", "slct TCP", "100fd selct"],
        |_| files(id::OS_SELECT, &["lmbench"]),
        |bench| each(bench, select),
    ),
    ask(
        "os.poll",
        &[ON, FDS],
        "poll() on N open files for writability, without waiting.",
        "The same files as in os.select; all are writable, and the result must say so.",
        &[],
        |_| files("os.poll", &[]),
        |bench| each(bench, poll),
    ),
    ask(
        "os.epoll",
        &[FDS],
        "epoll_wait() with one of N open files ready.",
        "N eventfds, one of them above zero, level-triggered: the event stays, and the result must be that one.",
        &[],
        |_| {
            COUNTS
                .map(|n| plan(Point::new("os.epoll").with("fds", n), &[], false))
                .into()
        },
        epoll,
    ),
];

fn files(id: &str, suites: &'static [&'static str]) -> Vec<Offer> {
    let each = |on: &'static str| {
        COUNTS.map(|n| {
            plan(
                Point::new(id).with("on", on).with("fds", n),
                suites,
                on == "file",
            )
        })
    };
    ["file", "tcp"].into_iter().flat_map(each).collect()
}

fn plan(point: Point, suites: &'static [&'static str], scratch: bool) -> Offer {
    Offer::Point(PointPlan {
        draws: 1,
        extra: true,
        suites,
        scratch,
        ..PointPlan::new(point)
    })
}

/// The number of files of the point.
fn count(bench: &Bench) -> Result<usize, Stop> {
    // More would exceed the open-file limit of most hosts.
    const MOST: usize = 1000;
    let count = bench.param("fds")?.parse().ok();
    count
        .filter(|n| (1..=MOST).contains(n))
        .ok_or_else(|| Stop::Unavailable(format!("fds must be from 1 to {MOST}")))
}

/// Writable open files, with what keeps them writable.
struct Ready {
    files: Vec<OwnedFd>,
    /// The other end of the connection.
    _peer: Option<TcpStream>,
}

impl Ready {
    fn new(bench: &Bench) -> Result<Ready, Stop> {
        let (first, peer): (OwnedFd, _) = match bench.param("on")? {
            "file" => {
                let file = OwnFile::new(bench, "select")?;
                let mut open = File::create(file.path()).map_err(|e| file.failed(e))?;
                open.write_all(b"whyslow").map_err(|e| file.failed(e))?;
                (open.into(), None)
            }
            "tcp" => {
                let (near, far) = tcp_pair().map_err(|e| no_loopback("a connection", e))?;
                (near.into(), Some(far))
            }
            other => {
                return Err(Stop::Unavailable(format!(
                    "on={other} is not known; file or tcp"
                )));
            }
        };
        let mut files = Vec::new();
        for _ in 1..count(bench)? {
            files.push(first.try_clone().map_err(too_many)?);
        }
        files.push(first);
        Ok(Ready { files, _peer: peer })
    }

    fn numbers(&self) -> impl Iterator<Item = RawFd> {
        self.files.iter().map(AsRawFd::as_raw_fd)
    }
}

fn too_many(error: io::Error) -> Stop {
    Stop::unavailable("opening that many files (see `ulimit -n`)", error)
}

/// Measures the call that `ask` builds for the open files.
fn each<F>(bench: &mut Bench, ask: impl FnOnce(&Ready) -> Result<F, Stop>) -> Result<(), Stop>
where
    F: FnMut() -> i32,
{
    let ready = Ready::new(bench)?;
    let mut call = ask(&ready)?;
    repeat(bench, ready.files.len() as i32, &mut call)
}

/// Makes the call in a loop; each must find `expected` files.
fn repeat(bench: &mut Bench, expected: i32, call: &mut impl FnMut() -> i32) -> Result<(), Stop> {
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", 1.0, |n| {
            for _ in 0..n {
                match call() {
                    found if found == expected => {}
                    -1 => {
                        return Err(Stop::unavailable(
                            "the call failed",
                            io::Error::last_os_error(),
                        ));
                    }
                    found => {
                        return Err(Stop::Refused(format!(
                            "{found} files are ready, not {expected}"
                        )));
                    }
                }
            }
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}

fn select(ready: &Ready) -> Result<impl FnMut() -> i32 + use<>, Stop> {
    // SAFETY: all zero is an empty set.
    let mut all: libc::fd_set = unsafe { MaybeUninit::zeroed().assume_init() };
    let mut highest = 0;
    for number in ready.numbers() {
        if number as usize >= libc::FD_SETSIZE {
            return Err(Stop::Unavailable(format!(
                "file number {number} is beyond what select() can take ({})",
                libc::FD_SETSIZE
            )));
        }
        // SAFETY: below the size of the set, as just checked.
        unsafe { libc::FD_SET(number, &raw mut all) };
        highest = highest.max(number);
    }
    Ok(move || {
        // The call overwrites both.
        let mut asked = all;
        let mut at_once = libc::timeval {
            tv_sec: 0,
            tv_usec: 0,
        };
        // SAFETY: a set and a timeout that live through the call.
        unsafe {
            libc::select(
                highest + 1,
                null_mut(),
                &raw mut asked,
                null_mut(),
                &raw mut at_once,
            )
        }
    })
}

fn poll(ready: &Ready) -> Result<impl FnMut() -> i32 + use<>, Stop> {
    let asked = |fd| libc::pollfd {
        fd,
        events: libc::POLLOUT,
        revents: 0,
    };
    let mut asked: Vec<_> = ready.numbers().map(asked).collect();
    // SAFETY: the length matches the array.
    Ok(move || unsafe { libc::poll(asked.as_mut_ptr(), asked.len() as libc::nfds_t, 0) })
}

fn epoll(bench: &mut Bench) -> Result<(), Stop> {
    let failed = |e: rustix::io::Errno| too_many(e.into());
    let watch =
        rustix::event::epoll::create(rustix::event::epoll::CreateFlags::CLOEXEC).map_err(failed)?;
    let mut files = Vec::new();
    let count = count(bench)?;
    for i in 0..count {
        // The middle one is ready.
        let file = eventfd(u32::from(i == count / 2), EventfdFlags::CLOEXEC).map_err(failed)?;
        let event = rustix::event::epoll::EventFlags::IN;
        let data = rustix::event::epoll::EventData::new_u64(i as u64);
        rustix::event::epoll::add(&watch, &file, data, event).map_err(failed)?;
        files.push(file);
    }
    let number = watch.as_raw_fd();
    let mut events = [libc::epoll_event { events: 0, u64: 0 }; 8];
    // SAFETY: the length matches the array.
    let mut call =
        || unsafe { libc::epoll_wait(number, events.as_mut_ptr(), events.len() as i32, 0) };
    repeat(bench, 1, &mut call)?;
    let at = events[0].u64;
    if at == count as u64 / 2 {
        Ok(())
    } else {
        Err(Stop::Refused(format!("file {at} is not the ready one")))
    }
}
