//! Signals: installing a handler, handling a signal, and handling a write fault.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::io;
use std::mem::{MaybeUninit, zeroed};
use std::ptr::{null_mut, write_volatile};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use whyslow_model::id;
use whyslow_model::record::ValueRule;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::probe::{Bounds, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::timed::Part;

/// A probe of this family; the probes differ only in their texts and work.
const fn signal(
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
        needs: &[],
        params: &[],
        names: Names {
            lmbench,
            ..Names::NONE
        },
        roles: Roles::All(Role::Signal),
        // 20 cycles: less than any way into the kernel.
        bounds: Bounds { fastest: 20.0 },
        usual_marks: &[],
        points,
        measure,
    }
}

/// This family's probes.
pub const PROBES: &[Probe] = &[
    signal(
        id::OS_SIGNAL_INSTALL,
        "install a signal handler",
        "sigaction() with a handler that is already installed.",
        "The C library's call in a loop, as in programs; the old handler is also requested.",
        &["lat_sig install", "sig inst"],
        |_| point(id::OS_SIGNAL_INSTALL, ValueRule::Single),
        install,
    ),
    signal(
        id::OS_SIGNAL_HANDLE,
        "handle a signal",
        "Delivering a signal to a handler and returning from it, without the call that sends it.",
        "kill() of the own process with a counting handler, less kill() with signal 0, which checks and sends nothing, interleaved in one process. lmbench measures the two in succession and reports a negative difference as 0. Every call of the handler is counted and verified.",
        &["lat_sig catch", "sig hndl"],
        |_| point(id::OS_SIGNAL_HANDLE, less(CAUGHT, SENT)),
        handle,
    ),
    signal(
        "os.signal_prot",
        "handle a write fault",
        "A write to a read-only page, from the fault to the handler and back to the instruction: the cost per page for garbage collectors and checkpointers.",
        "The handler lets the write fault again until the batch is done and then makes the page writable; the handler is included. lmbench's figure, without the handler, is vm.prot_fault.",
        &[],
        |_| point("os.signal_prot", ValueRule::Single),
        prot_whole,
    ),
    signal(
        id::VM_PROT_FAULT,
        "protection fault",
        "A write to a read-only page, without the handler: the cost of the protection fault alone.",
        "As os.signal_prot, less the handler's cost as in os.signal_handle, interleaved in one process. A small difference of two large figures: in lmbench it varies by a quarter from run to run.",
        &["lat_sig prot", "Prot Fault"],
        |_| point(id::VM_PROT_FAULT, less(FAULT, HANDLER)),
        prot,
    ),
];

const CAUGHT: &str = "caught";
const SENT: &str = "sent to nobody";
const FAULT: &str = "fault and handler";
const HANDLER: &str = "handler";

fn less(from: &str, less: &str) -> ValueRule {
    ValueRule::Less {
        from: from.into(),
        less: less.into(),
    }
}

fn point(id: &str, value: ValueRule) -> Vec<Offer> {
    vec![Offer::Point(PointPlan {
        draws: 2,
        extra: true,
        // os.signal_prot too: lmbench measures it on the way to vm.prot_fault.
        suites: &["lmbench"],
        value,
        ..PointPlan::new(Point::new(id))
    })]
}

/// Calls of the counting handler.
static CALLS: AtomicU64 = AtomicU64::new(0);

extern "C" fn count(_: c_int) {
    CALLS.store(CALLS.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

/// Remaining faults of the batch, and their page.
static LEFT: AtomicU64 = AtomicU64::new(0);
static PAGE: AtomicPtr<libc::c_void> = AtomicPtr::new(null_mut());

/// Lets the write fault again, and the last time succeed.
extern "C" fn again(signal: c_int) {
    let left = LEFT.load(Ordering::Relaxed).wrapping_sub(1);
    LEFT.store(left, Ordering::Relaxed);
    if left == 0 {
        let read_write = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: PAGE is the mapping of the read-only page as long as this handler is installed.
        let done =
            unsafe { libc::mprotect(PAGE.load(Ordering::Relaxed), page_bytes(), read_write) };
        if done != 0 {
            give_up(signal);
        }
    } else if left == u64::MAX {
        // A fault outside the batch is a defect that must not be swallowed.
        give_up(signal);
    }
}

/// Restores the default action, which kills the process at the next fault.
fn give_up(signal: c_int) {
    // SAFETY: `signal` may be called in a handler.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}

fn page_bytes() -> usize {
    rustix::param::page_size()
}

/// A handler that is installed; dropping it puts back the one before.
struct Installed {
    signal: c_int,
    before: libc::sigaction,
}

impl Installed {
    fn new(signal: c_int, handler: extern "C" fn(c_int)) -> Result<Installed, Stop> {
        let new = action(handler);
        let mut before = MaybeUninit::zeroed();
        // SAFETY: both point to one sigaction, and the handlers in this file are async-signal-safe.
        let done = unsafe { libc::sigaction(signal, &raw const new, before.as_mut_ptr()) };
        succeeded("sigaction", done)?;
        // SAFETY: written by the call above, and zeroed before.
        let before = unsafe { before.assume_init() };
        Ok(Installed { signal, before })
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        // SAFETY: the action that the system returned before.
        unsafe { libc::sigaction(self.signal, &raw const self.before, null_mut()) };
    }
}

fn action(handler: extern "C" fn(c_int)) -> libc::sigaction {
    // SAFETY: all zero is a sigaction without flags and with an empty mask.
    let mut action: libc::sigaction = unsafe { zeroed() };
    action.sa_sigaction = handler as *const () as usize;
    action
}

fn succeeded(what: &str, done: c_int) -> Result<(), Stop> {
    if done == 0 {
        return Ok(());
    }
    Err(Stop::unavailable(what, io::Error::last_os_error()))
}

fn install(bench: &mut Bench) -> Result<(), Stop> {
    let _handler = Installed::new(libc::SIGUSR1, count)?;
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", 1.0, |n| {
            let new = action(count);
            let mut old = MaybeUninit::<libc::sigaction>::zeroed();
            for _ in 0..n {
                // SAFETY: both point to one sigaction; the handler may be called any time.
                let done =
                    unsafe { libc::sigaction(libc::SIGUSR1, &raw const new, old.as_mut_ptr()) };
                succeeded("sigaction", done)?;
            }
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}

/// Sends `signal` to this process `n` times.
fn send(signal: c_int, n: u64) -> Result<(), Stop> {
    // SAFETY: takes no argument.
    let me = unsafe { libc::getpid() };
    for _ in 0..n {
        // SAFETY: a signal to this process, which has a handler for it or is 0.
        succeeded("kill", unsafe { libc::kill(me, signal) })?;
    }
    Ok(())
}

/// Sends a signal to the counting handler `n` times; each must have arrived.
fn caught(n: u64) -> Result<(), Stop> {
    let before = CALLS.load(Ordering::Relaxed);
    send(libc::SIGUSR1, n)?;
    let calls = CALLS.load(Ordering::Relaxed) - before;
    if calls == n {
        return Ok(());
    }
    Err(Stop::Refused(format!(
        "{n} signals were sent and {calls} handled"
    )))
}

fn handle(bench: &mut Bench) -> Result<(), Stop> {
    let _handler = Installed::new(libc::SIGUSR1, count)?;
    for _ in 0..bench.job.draws {
        bench.draw(&mut [
            Variant::new(CAUGHT, 1.0, |n| caught(n).map(|()| Timed::Outside)),
            Variant::new(SENT, 1.0, |n| send(0, n).map(|()| Timed::Outside)),
        ])?;
    }
    Ok(())
}

/// A read-only page, with the handler of writes to it.
struct ReadOnly {
    _handler: Installed,
    part: Part,
}

impl ReadOnly {
    fn new() -> Result<ReadOnly, Stop> {
        // SAFETY: a new mapping at an address chosen by the kernel.
        let page =
            unsafe { mmap_anonymous(null_mut(), page_bytes(), ProtFlags::READ, MapFlags::PRIVATE) }
                .map_err(|e| Stop::unavailable("mmap", e))?;
        PAGE.store(page, Ordering::Relaxed);
        let _handler = Installed::new(libc::SIGSEGV, again)?;
        Ok(ReadOnly {
            _handler,
            part: Part::new(),
        })
    }

    /// Faults `n` times.
    fn faults(&mut self, n: u64) -> Result<Timed, Stop> {
        let page = PAGE.load(Ordering::Relaxed);
        // SAFETY: our page.
        succeeded("mprotect", unsafe {
            libc::mprotect(page, page_bytes(), libc::PROT_READ)
        })?;
        LEFT.store(n, Ordering::Relaxed);
        let timed = self.part.time(|| {
            // SAFETY: the page is ours; the handler makes it writable after `n` faults.
            unsafe { write_volatile(page.cast::<u8>(), 1) };
            Ok(())
        })?;
        match LEFT.load(Ordering::Relaxed) {
            0 => Ok(timed),
            left => Err(Stop::Refused(format!(
                "{left} of {n} writes to a read-only page did not fault"
            ))),
        }
    }
}

impl Drop for ReadOnly {
    fn drop(&mut self) {
        // SAFETY: our page, which nothing refers to anymore: the handler is removed with it.
        let _ = unsafe { munmap(PAGE.load(Ordering::Relaxed), page_bytes()) };
    }
}

fn prot_whole(bench: &mut Bench) -> Result<(), Stop> {
    let mut page = ReadOnly::new()?;
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", 1.0, |n| page.faults(n))])?;
    }
    Ok(())
}

fn prot(bench: &mut Bench) -> Result<(), Stop> {
    let mut page = ReadOnly::new()?;
    let _handler = Installed::new(libc::SIGUSR1, count)?;
    let mut part = Part::new();
    for _ in 0..bench.job.draws {
        bench.draw(&mut [
            Variant::new(FAULT, 1.0, |n| page.faults(n)),
            Variant::new(HANDLER, 1.0, |n| handler_alone(&mut part, n)),
        ])?;
    }
    Ok(())
}

/// What a handler adds to a signal: caught ones less kill() with signal 0.
fn handler_alone(part: &mut Part, n: u64) -> Result<Timed, Stop> {
    let timed = |timed| match timed {
        Timed::Inside { ns, marks } => (ns, marks),
        Timed::ByTeam(worked) => (worked.ns, worked.marks),
        Timed::Outside => (0.0, Vec::new()),
    };
    let (with, mut marks) = timed(part.time(|| caught(n))?);
    let (without, more) = timed(part.time(|| send(0, n))?);
    marks.extend(more);
    Ok(Timed::Inside {
        ns: with - without,
        marks,
    })
}
