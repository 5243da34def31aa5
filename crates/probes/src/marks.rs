//! Counters around a batch: what happened to it that is not its own doing.
#![allow(unsafe_code)]

use whyslow_host::{BatchCounters, Counters, HostRoot};
use whyslow_model::record::MarkKind;

/// A run delay below this is not worth a mark, ns: it is under 1 % of the shortest batch, and the
/// scheduler's own bookkeeping leaves a few microseconds now and then.
const DELAY_NS: u64 = 10_000;

/// Reads the counters of the calling thread.
#[derive(Debug)]
pub struct Watch {
    counters: BatchCounters,
}

/// Readings at one moment.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    switches: u64,
    faults: u64,
    counters: Counters,
}

impl Watch {
    /// Opens the counters of the calling thread, with the reasons for those that cannot be had.
    pub fn open() -> (Watch, Vec<String>) {
        let (counters, reasons) = BatchCounters::open(&HostRoot::live());
        (Watch { counters }, reasons)
    }

    /// Reads them. Costs a few microseconds, outside of any timed part.
    pub fn read(&mut self) -> Reading {
        let counters = self.counters.read();
        let (switches, faults) = thread_usage();
        Reading {
            switches,
            faults,
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
    let moved = grown.moved.unwrap_or(false);
    [
        (
            MarkKind::Switches,
            after.switches.saturating_sub(before.switches),
        ),
        (MarkKind::Migrations, u64::from(moved)),
        (MarkKind::Faults, after.faults.saturating_sub(before.faults)),
        (
            MarkKind::RunDelayNs,
            if delay >= DELAY_NS { delay } else { 0 },
        ),
        (MarkKind::StealTicks, grown.steal_ticks.unwrap_or(0)),
    ]
    .into_iter()
    .filter(|&(_, count)| count > 0)
    .collect()
}

/// Involuntary switches and page faults of the calling thread so far.
fn thread_usage() -> (u64, u64) {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` is a valid place for one rusage, and zeroed is a valid rusage if the call fails.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
        usage.assume_init()
    };
    (
        usage.ru_nivcsw.max(0) as u64,
        (usage.ru_minflt.max(0) + usage.ru_majflt.max(0)) as u64,
    )
}
