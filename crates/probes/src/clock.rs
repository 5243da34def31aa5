//! The clock: monotonic, not slewed, with a known cost per reading.

use rustix::time::{ClockId, Timespec, clock_gettime};
use whyslow_kernels::clock::{dependent_ops, empty_loop, no_ops};
use whyslow_model::record::ClockFacts;

use crate::stop::Stop;

/// A batch is at least this many clock steps long, so that a step is at most 0.1 % of it.
pub const STEPS_A_BATCH: f64 = 1_000.0;

/// Coarsest usable clock, ns: with a coarser one, batches would be long compared with the time
/// between interruptions. (A millisecond clock would need batches of a second.)
pub const COARSEST_NS: f64 = 10_000.0;

/// Now, in ns. `CLOCK_MONOTONIC_RAW`, because NTP must not slew a batch.
pub fn now() -> f64 {
    let t = clock_gettime(ClockId::MonotonicRaw);
    t.tv_sec as f64 * 1e9 + t.tv_nsec as f64
}

/// A time stamp, for exact differences.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    seconds: i64,
    nanoseconds: i64,
}

impl Moment {
    /// Reads the clock.
    #[inline]
    pub fn now() -> Moment {
        Moment::from(clock_gettime(ClockId::MonotonicRaw))
    }

    /// Nanoseconds since `earlier`. Integer difference, so exact at any uptime.
    #[inline]
    pub fn since(self, earlier: Moment) -> f64 {
        ((self.seconds - earlier.seconds) * 1_000_000_000 + self.nanoseconds - earlier.nanoseconds)
            as f64
    }
}

impl From<Timespec> for Moment {
    /// A reading of any clock; readings of different clocks cannot be subtracted.
    #[inline]
    fn from(t: Timespec) -> Moment {
        Moment {
            seconds: t.tv_sec,
            nanoseconds: t.tv_nsec,
        }
    }
}

/// Measures the clock, the empty loop and the core clock.
///
/// # Errors
/// When the clock is too coarse to measure with.
pub fn measure() -> Result<ClockFacts, Stop> {
    let facts = ClockFacts {
        resolution_ns: resolution(Moment::now),
        cost_ns: cost(),
        loop_ns: least_ns(|| {
            empty_loop(100_000);
            100_000
        }),
        ghz: ghz(),
    };
    check(&facts)?;
    Ok(facts)
}

/// Refuses a clock too coarse to time a batch.
///
/// # Errors
/// When the resolution is above [`COARSEST_NS`].
pub fn check(facts: &ClockFacts) -> Result<(), Stop> {
    if facts.resolution_ns > COARSEST_NS {
        return Err(Stop::Refused(format!(
            "the clock steps by {:.0} us, too coarse to time a batch with; check the clocksource",
            facts.resolution_ns / 1e3
        )));
    }
    Ok(())
}

/// Smallest nonzero step between readings of `clock`, ns.
pub fn resolution(mut clock: impl FnMut() -> Moment) -> f64 {
    // 50 steps suffice for a clock that jitters between two multiples of its tick.
    (0..50)
        .map(|_| {
            let start = clock();
            loop {
                let step = clock().since(start);
                if step > 0.0 {
                    break step;
                }
            }
        })
        .fold(f64::INFINITY, f64::min)
}

/// Time of one clock reading, ns.
fn cost() -> f64 {
    least_ns(|| {
        for _ in 0..1_000 {
            std::hint::black_box(Moment::now());
        }
        1_000
    })
}

/// Effective core clock by a chain of one-cycle operations, GHz.
pub fn ghz() -> f64 {
    // 100,000 cycles take some 25 us: 1,000 clock steps, and rarely interrupted.
    const CHAIN: u64 = 100_000;
    1.0 / least_ns(|| {
        std::hint::black_box(dependent_ops(CHAIN));
        CHAIN
    })
}

/// Keeps the core busy until its clock has ramped up. After 20 ms idle, a Zen 3 server ran a fifth slower for
/// 0.5 to 1.3 ms: a clock reading then would not hold for the batches after it.
pub fn wake() {
    const NS: f64 = 2e6;
    let start = Moment::now();
    while Moment::now().since(start) < NS {
        std::hint::black_box(dependent_ops(10_000));
    }
}

/// The present state of the core.
#[derive(Debug, Clone, Copy)]
pub struct Core {
    /// Effective clock, GHz.
    pub ghz: f64,
    /// No-op instructions dispatched per cycle.
    pub slots: f64,
}

impl Core {
    /// Measures the core that this thread runs on, for about a millisecond.
    pub fn now() -> Core {
        let ghz = ghz();
        // 100,000 take 3 to 7 us: hundreds of clock steps, and rarely interrupted.
        const RUN: u64 = 100_000;
        // The median, not the best, because the load of the SMT sibling varies.
        let mut times: Vec<f64> = (0..21)
            .map(|_| {
                let start = Moment::now();
                no_ops(RUN);
                Moment::now().since(start) / RUN as f64
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let middle = times.get(times.len() / 2).copied().unwrap_or(f64::NAN);
        Core {
            ghz,
            slots: 1.0 / (middle * ghz),
        }
    }
}

/// No-op instructions that this core dispatches per cycle now: a measurement of some 30 us, short compared
/// with the batch next to it.
pub fn slots() -> f64 {
    // 20,000 are 5 us of additions and 0.5 to 3 us of no-ops, each 50 clock steps or more. The median of five
    // ignores a timer tick; single measurements scatter by 3 %.
    const RUN: u64 = 20_000;
    let (mut ghz, mut rates) = (0.0f64, [0.0; 5]);
    for rate in &mut rates {
        let start = Moment::now();
        std::hint::black_box(dependent_ops(RUN));
        let middle = Moment::now();
        no_ops(RUN);
        *rate = RUN as f64 / Moment::now().since(middle);
        ghz = ghz.max(RUN as f64 / middle.since(start));
    }
    rates.sort_by(f64::total_cmp);
    // Two decimals are finer than the measurement; a record holds ten thousand of these values.
    (rates[rates.len() / 2] / ghz * 100.0).round() / 100.0
}

/// Minimum time per unit of work over 20 short batches: interruptions only add time.
fn least_ns(mut batch: impl FnMut() -> u64) -> f64 {
    (0..20)
        .map(|_| {
            let start = Moment::now();
            let work = batch();
            Moment::now().since(start) / work as f64
        })
        .fold(f64::INFINITY, f64::min)
}
