//! Counters around a batch: external disturbances.
#![allow(unsafe_code)]

use rustix::time::{ClockId, clock_gettime};
use whyslow_host::{BatchCounters, Counters, HostRoot};
use whyslow_model::record::MarkKind;

use crate::clock::Moment;

/// Least run-queue delay that is marked, ns: it is under 1 % of the shortest batch, and scheduler
/// accounting alone occasionally shows a few microseconds.
const DELAY_NS: u64 = 10_000;

/// Least share of stolen time that is marked: kernels that account for interrupts deduct a few microseconds per
/// tick, and the scheduler's clock may differ from ours by some 100 ppm.
const STOLEN_SHARE: f64 = 0.005;

/// Reads the counters of the calling thread.
#[derive(Debug)]
pub struct Watch {
    counters: BatchCounters,
    /// True if the thread's CPU time has fine enough steps to detect stolen time.
    fine: bool,
}

/// Counter readings at one time.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    at: Moment,
    /// CPU time of the thread, where its resolution suffices.
    ran: Option<Moment>,
    usage: Usage,
    counters: Counters,
}

/// Kernel counters of a thread.
#[derive(Debug, Clone, Copy, Default)]
struct Usage {
    /// Voluntary context switches.
    sleeps: u64,
    /// Involuntary context switches.
    switches: u64,
    faults: u64,
}

impl Watch {
    /// Opens the counters of the calling thread, with reasons for those unavailable.
    pub fn open() -> (Watch, Vec<String>) {
        let (counters, mut reasons) = BatchCounters::open(&HostRoot::live());
        let fine = fine(ran);
        if !fine {
            reasons
                .push("stolen time: the kernel counts a thread's CPU time in large steps".into());
        }
        (Watch { counters, fine }, reasons)
    }

    /// Reads them. Costs a few microseconds, outside of any timed part.
    pub fn read(&mut self) -> Reading {
        let counters = self.counters.read();
        let usage = thread_usage();
        Reading {
            at: Moment::now(),
            ran: self.fine.then(ran),
            usage,
            counters,
        }
    }
}

/// Events during a batch: kinds with a count above zero.
pub type Happened = Vec<(MarkKind, u64)>;

/// Events between two readings.
pub fn between(before: &Reading, after: &Reading) -> Happened {
    let grown = after.counters.since(&before.counters);
    let delay = grown.run_delay_ns.unwrap_or(0);
    let used = |of: fn(&Usage) -> u64| of(&after.usage).saturating_sub(of(&before.usage));
    let moved = grown.moved.unwrap_or(false);
    [
        (MarkKind::Switches, used(|u| u.switches)),
        (MarkKind::Migrations, u64::from(moved)),
        (MarkKind::Faults, used(|u| u.faults)),
        (
            MarkKind::RunDelayNs,
            if delay >= DELAY_NS { delay } else { 0 },
        ),
        (MarkKind::StealTicks, grown.steal_ticks.unwrap_or(0)),
        (
            MarkKind::StolenNs,
            stolen(before, after, grown.run_delay_ns).unwrap_or(0),
        ),
    ]
    .into_iter()
    .filter(|&(_, count)| count > 0)
    .collect()
}

/// Time in which the thread was scheduled but did not run (stolen by the hypervisor), ns. Zero if below the
/// threshold; none if the thread slept or its run-queue delay is unknown. With `CONFIG_PARAVIRT_TIME_ACCOUNTING` the
/// kernel deducts steal time from the thread's CPU time to the nanosecond, while the ticks of `/proc/stat` are 10
/// ms.
fn stolen(before: &Reading, after: &Reading, waited: Option<u64>) -> Option<u64> {
    let slept = after.usage.sleeps != before.usage.sleeps;
    let waited = match waited {
        Some(waited) => waited as f64,
        None if after.usage.switches == before.usage.switches => 0.0,
        None => return None,
    };
    if slept {
        return None;
    }
    let wall = after.at.since(before.at);
    let missing = wall - after.ran?.since(before.ran?) - waited;
    let worth = missing >= DELAY_NS as f64 && missing >= STOLEN_SHARE * wall;
    Some(if worth { missing as u64 } else { 0 })
}

/// CPU time of the thread between two readings, ns. None if it slept, or if its CPU time has large steps.
pub fn on_cpu(before: &Reading, after: &Reading) -> Option<f64> {
    let slept = after.usage.sleeps != before.usage.sleeps;
    let ran = after.ran?.since(before.ran?);
    (!slept).then_some(ran)
}

/// CPU time of the calling thread.
fn ran() -> Moment {
    Moment::from(clock_gettime(ClockId::ThreadCPUTime))
}

/// True if the steps of `clock`, a thread CPU clock, are below the marking threshold. Best of several, because
/// one step may include an interruption.
fn fine(clock: impl Fn() -> Moment) -> bool {
    (0..5).any(|_| {
        let (from, at) = (clock(), Moment::now());
        let grown = |now: Moment| now.since(from) > 0.0;
        while !grown(clock()) && Moment::now().since(at) < DELAY_NS as f64 {}
        let step = clock().since(from);
        step > 0.0 && step < DELAY_NS as f64
    })
}

/// Kernel counters of the calling thread so far.
fn thread_usage() -> Usage {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` is a valid place for one rusage, and zeroed is a valid rusage if the call fails.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
        usage.assume_init()
    };
    Usage {
        sleeps: usage.ru_nvcsw.max(0) as u64,
        switches: usage.ru_nivcsw.max(0) as u64,
        faults: (usage.ru_minflt.max(0) + usage.ru_majflt.max(0)) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reading `wall` and `ran` microseconds after the first.
    fn reading(wall: i64, ran: Option<i64>, usage: Usage) -> Reading {
        let after = |us: i64| {
            Moment::from(rustix::time::Timespec {
                tv_sec: us / 1_000_000,
                tv_nsec: us % 1_000_000 * 1000,
            })
        };
        Reading {
            at: after(wall),
            ran: ran.map(after),
            usage,
            counters: Counters::default(),
        }
    }

    #[test]
    fn time_on_the_cpu_is_known_of_what_never_slept() {
        let never = Usage::default();
        let start = reading(0, Some(0), never);
        let slept = Usage { sleeps: 1, ..never };
        assert_eq!(
            on_cpu(&start, &reading(69_000, Some(1000), never)),
            Some(1e6)
        );
        assert_eq!(on_cpu(&start, &reading(69_000, Some(1000), slept)), None);
        assert_eq!(on_cpu(&start, &reading(69_000, None, never)), None);
    }

    #[test]
    fn stolen_is_what_nothing_else_explains() {
        let never = Usage::default();
        let start = reading(0, Some(0), never);
        let end = |ran, usage| reading(1_100_000, Some(ran), usage);
        let us = |waited: u64, end: &Reading| {
            stolen(&start, end, Some(waited * 1000)).map(|ns| ns / 1000)
        };
        assert_eq!(us(0, &end(1_000_000, never)), Some(100_000));
        assert_eq!(us(60_000, &end(1_000_000, never)), Some(40_000));
        // A small share, clock drift, and a small absolute time.
        assert_eq!(us(0, &end(1_096_000, never)), Some(0));
        assert_eq!(us(0, &end(1_100_200, never)), Some(0));
        assert_eq!(us(0, &reading(100, Some(92), never)), Some(0));
        assert_eq!(us(0, &reading(100, Some(85), never)), Some(15));
        // A thread that slept was not running voluntarily.
        assert_eq!(us(0, &end(1_000_000, Usage { sleeps: 1, ..never })), None);
        // Switched out for an unknown time.
        let switched = end(
            1_000_000,
            Usage {
                switches: 1,
                ..never
            },
        );
        assert_eq!(stolen(&start, &switched, None), None);
        assert_eq!(
            stolen(&start, &end(1_000_000, never), None),
            Some(100_000_000)
        );
        assert_eq!(
            stolen(&start, &reading(1_100_000, None, never), Some(0)),
            None
        );
    }

    #[test]
    fn a_clock_of_large_steps_is_not_fine() {
        assert!(fine(Moment::now));
        let ticks = || {
            let now = Moment::now().since(Moment::from(rustix::time::Timespec {
                tv_sec: 0,
                tv_nsec: 0,
            })) as i64
                / 10_000_000
                * 10_000_000;
            Moment::from(rustix::time::Timespec {
                tv_sec: now / 1_000_000_000,
                tv_nsec: now % 1_000_000_000,
            })
        };
        assert!(!fine(ticks));
    }

    #[test]
    fn what_ran_all_the_time_missed_nothing_else() {
        let (mut watch, _) = Watch::open();
        if !watch.fine {
            return;
        }
        let before = watch.read();
        while Moment::now().since(before.at) < 1e6 {}
        let after = watch.read();
        let (wall, ran) = (
            after.at.since(before.at),
            after.ran.unwrap().since(before.ran.unwrap()),
        );
        assert!(
            ran > 0.0 && ran < 1.01 * wall + DELAY_NS as f64,
            "{ran} of {wall} ns"
        );
    }
}
