//! Whether other work uses the cores now, seen in a fraction of a second: busy SMT siblings by the dispatch rate,
//! other threads by this thread's run-queue delay.

use std::time::Duration;

use whyslow_host::{BatchCounters, HostRoot};
use whyslow_linux::affinity::Pinned;
use whyslow_model::record::ClockFacts;
use whyslow_stats::quantile::quantile;

use crate::clock::{Moment, wake};
use crate::smt_monitor::{BESIDE, SmtMonitor};

/// Most CPUs that are looked at.
const MOST_CPUS: usize = 4;

/// Measurements a CPU.
const LOOKS: usize = 200;

/// Each CPU is visited this often, because sibling load may last longer than a visit.
const VISITS: usize = 4;

/// The part of the rates on one CPU that reaches its reference. Not the maximum: one misread clock would make all
/// others look shared.
const REFERENCE: f64 = 0.98;

/// A CPU is named if its sibling was busy in this share of its looks; less than that, a misread clock may do.
const NAMED: f64 = 0.05;

/// What uses the cores besides this thread.
#[derive(Debug, Clone, PartialEq)]
pub struct Crowd {
    /// Share of the looks with a busy SMT sibling. A sibling that was busy in all of them is not detected.
    pub beside: f64,
    /// The CPUs with such looks.
    pub cpus: Vec<u32>,
    /// Half the range from the 5th to the 95th percentile of the dispatch rate, over its median: how much of the
    /// core's front end is there from one look to the next. It is no interval of a point: a loop that waits for
    /// loads or calls the kernel varies less, and batches with a busy sibling are left out.
    pub spread: f64,
    /// Run-queue delay over elapsed time; absent if the kernel does not count it.
    pub waited: Option<f64>,
}

/// Looks at up to four of `cpus`, spread over `span`. The calling thread is pinned to each in turn and spins in
/// between, because a core that slept would be looked at while its clock ramps up. Absent where the clock is too
/// coarse or no CPU can be pinned to.
pub fn crowd(cpus: &[u32], clock: &ClockFacts, span: Duration) -> Option<Crowd> {
    let cpus = some(cpus);
    let every = span.as_nanos() as f64 / (LOOKS * cpus.len().max(1)) as f64;
    let mut looks: Vec<(u32, Vec<f64>)> = cpus.iter().map(|&cpu| (cpu, Vec::new())).collect();
    let (mut counters, _) = BatchCounters::open(&HostRoot::live());
    let (start, before) = (Moment::now(), counters.read());
    for _ in 0..VISITS {
        for (cpu, rates) in &mut looks {
            let Ok(_pinned) = Pinned::to(*cpu) else {
                continue;
            };
            wake();
            visit(SmtMonitor::here(clock)?, every, rates);
        }
    }
    let elapsed = Moment::now().since(start);
    let waited = counters.read().since(&before).run_delay_ns;
    Crowd::of(&looks, waited.map(|ns| ns as f64 / elapsed))
}

/// The first, the last and those between at equal distances.
fn some(cpus: &[u32]) -> Vec<u32> {
    let count = cpus.len().min(MOST_CPUS);
    let at = |k: usize| k * cpus.len().saturating_sub(1) / count.saturating_sub(1).max(1);
    (0..count)
        .filter_map(|k| cpus.get(at(k)).copied())
        .collect()
}

/// One visit's looks, one begun each `every` ns.
fn visit(mut core: SmtMonitor<'_>, every: f64, rates: &mut Vec<f64>) {
    for _ in 0..LOOKS / VISITS {
        let begun = Moment::now();
        // No team, of which a member could die.
        rates.extend(core.look());
        while Moment::now().since(begun) < every {
            std::hint::spin_loop();
        }
    }
}

impl Crowd {
    /// From the dispatch rates of each CPU.
    fn of(looks: &[(u32, Vec<f64>)], waited: Option<f64>) -> Option<Crowd> {
        let mut shares: Vec<f64> = Vec::new();
        let mut cpus = Vec::new();
        for (cpu, rates) in looks {
            // Each CPU against itself, as a host may have several kinds of cores.
            let Some(reference) = quantile(rates, REFERENCE).filter(|best| *best > 0.0) else {
                continue;
            };
            let own: Vec<f64> = rates.iter().map(|rate| rate / reference).collect();
            if beside(&own) >= NAMED {
                cpus.push(*cpu);
            }
            shares.extend(own);
        }
        let [low, middle, high] = [0.05, 0.5, 0.95].map(|q| quantile(&shares, q));
        Some(Crowd {
            beside: beside(&shares),
            cpus,
            spread: (high? - low?) / 2.0 / middle?,
            waited,
        })
    }
}

/// The part of `shares` of the reference that a busy sibling left.
fn beside(shares: &[f64]) -> f64 {
    let low = shares.iter().filter(|share| **share < BESIDE).count();
    low as f64 / shares.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use whyslow_linux::affinity::allowed;

    #[test]
    fn shares_are_of_each_cpu_alone() {
        // A slow core without company beside a fast one that is shared in 60 of 100 looks.
        let shared: Vec<f64> = (0..100).map(|i| if i < 60 { 3.0 } else { 6.0 }).collect();
        let looks = [(0, vec![4.0; 100]), (5, shared)];
        let crowd = Crowd::of(&looks, Some(0.2)).unwrap();
        assert_eq!((crowd.beside, crowd.waited), (0.3, Some(0.2)));
        assert_eq!(crowd.cpus, [5]);
        // From 0.5 to 1 of the reference, around a median of 1.
        assert_eq!(crowd.spread, 0.25);
    }

    #[test]
    fn one_misread_clock_is_no_sibling() {
        let mut rates = vec![6.0; 200];
        rates[7] = 60.0;
        rates[8] = 0.6;
        let crowd = Crowd::of(&[(0, rates)], None).unwrap();
        assert!(crowd.beside < 0.01 && crowd.cpus.is_empty() && crowd.spread == 0.0);
        assert_eq!(Crowd::of(&[(0, Vec::new())], None), None);
    }

    #[test]
    fn few_of_many_and_the_affinity_is_put_back() {
        assert_eq!(some(&[]), [] as [u32; 0]);
        assert_eq!(some(&[3]), [3]);
        assert_eq!(some(&[0, 1, 2, 3, 4, 5, 6, 7]), [0, 2, 4, 7]);
        let [fine, coarse] = crate::tests::clocks();
        let before = allowed().unwrap();
        assert!(crowd(&before, &fine, Duration::ZERO).is_some());
        assert!(crowd(&before, &coarse, Duration::ZERO).is_none());
        assert!(crowd(&[u32::MAX], &fine, Duration::ZERO).is_none());
        assert_eq!(allowed().unwrap(), before);
    }
}
