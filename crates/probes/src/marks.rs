//! Counters around a batch: what happened to it that is not its own doing.
#![allow(unsafe_code)]

use rustix::time::{ClockId, clock_gettime};
use whyslow_host::{BatchCounters, Counters, HostRoot};
use whyslow_model::record::MarkKind;

use crate::clock::Moment;

/// A run delay below this is not worth a mark, ns: it is under 1 % of the shortest batch, and the
/// scheduler's own bookkeeping leaves a few microseconds now and then.
const DELAY_NS: u64 = 10_000;

/// A smaller share of the time than this is not worth a mark as stolen: kernels that account for interrupts take a
/// few microseconds at every tick, and the scheduler's clock may run otherwise than ours by some 100 ppm.
const STOLEN_SHARE: f64 = 0.005;

/// Reads the counters of the calling thread.
#[derive(Debug)]
pub struct Watch {
    counters: BatchCounters,
    /// Does the thread's CPU time grow in steps that are small against what is worth a mark?
    fine: bool,
}

/// Readings at one moment.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    at: Moment,
    /// CPU time of the thread, where it is fine enough to tell.
    ran: Option<Moment>,
    usage: Usage,
    counters: Counters,
}

/// What the kernel counted of a thread.
#[derive(Debug, Clone, Copy, Default)]
struct Usage {
    /// Times it gave its CPU up to wait for something.
    sleeps: u64,
    /// Times it was made to.
    switches: u64,
    faults: u64,
}

impl Watch {
    /// Opens the counters of the calling thread, with the reasons for those that cannot be had.
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

/// What happened to a batch: kinds with a count above zero.
pub type Happened = Vec<(MarkKind, u64)>;

/// What happened between two readings.
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

/// Time in which the thread had its CPU by the scheduler's account and did not run, ns; zero where it is too little
/// to tell, none where the thread slept or what it waited is not known. A kernel that is told by its hypervisor what
/// that took (`CONFIG_PARAVIRT_TIME_ACCOUNTING`) leaves it out of the thread's CPU time to the nanosecond, where the
/// ticks of `/proc/stat` are of 10 ms.
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

/// CPU time of the calling thread.
fn ran() -> Moment {
    Moment::from(clock_gettime(ClockId::ThreadCPUTime))
}

/// Does `clock`, which stands still while the thread does, grow in steps below what is worth a mark? The best of
/// several, because one may fall on an interruption.
fn fine(clock: impl Fn() -> Moment) -> bool {
    (0..5).any(|_| {
        let (from, at) = (clock(), Moment::now());
        let grown = |now: Moment| now.since(from) > 0.0;
        while !grown(clock()) && Moment::now().since(at) < DELAY_NS as f64 {}
        let step = clock().since(from);
        step > 0.0 && step < DELAY_NS as f64
    })
}

/// What the kernel counted of the calling thread so far.
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
    fn stolen_is_what_nothing_else_explains() {
        let never = Usage::default();
        let start = reading(0, Some(0), never);
        let end = |ran, usage| reading(1_100_000, Some(ran), usage);
        let us = |waited: u64, end: &Reading| {
            stolen(&start, end, Some(waited * 1000)).map(|ns| ns / 1000)
        };
        assert_eq!(us(0, &end(1_000_000, never)), Some(100_000));
        assert_eq!(us(60_000, &end(1_000_000, never)), Some(40_000));
        // Little for so long a time, clocks that run apart, and little at all.
        assert_eq!(us(0, &end(1_096_000, never)), Some(0));
        assert_eq!(us(0, &end(1_100_200, never)), Some(0));
        assert_eq!(us(0, &reading(100, Some(92), never)), Some(0));
        assert_eq!(us(0, &reading(100, Some(85), never)), Some(15));
        // Who slept did not run for reasons of its own.
        assert_eq!(us(0, &end(1_000_000, Usage { sleeps: 1, ..never })), None);
        // Switched out for nobody knows how long.
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
