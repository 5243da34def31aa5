//! How many iterations a batch has.

use super::{Bench, NEAR_ENOUGH, Timed, Variant};
use crate::stop::Stop;
use crate::team::Around;
use crate::{clock, marks};

/// So few iterations per batch mean either slow work or one long interruption, such as another
/// process running for a time slice: repeated more often before it is accepted.
const FEW: u64 = 8;
const TRIES_OF_FEW: u32 = 5;

/// One iteration over more than the caches hold that takes this many times as long as a batch should needs no such care:
/// every further try costs milliseconds.
const AMPLE: f64 = 4.0;

/// Longer than any scheduler time slice, ns.
const LONGEST_SLICE_NS: f64 = 5e7;

/// Elapsed time beyond the thread's CPU time by this factor is the time of other processes on its CPU.
const SHARED: f64 = 1.5;

/// Least part of a CPU that counts as a share: less than a process of the lowest priority gets beside a busy
/// one of the usual priority, which is 1/69. Work that gives up its CPU would otherwise be repeated without end.
const LEAST_SHARE: f64 = 0.01;

/// What work of one thread takes by itself, ns: its time on the CPU where others had that CPU for a part of
/// the elapsed time. Time asleep is part of the work: then there is no `on_cpu`.
fn own_time(elapsed: f64, on_cpu: Option<f64>) -> f64 {
    match on_cpu {
        Some(on_cpu) if on_cpu > 0.0 && on_cpu * SHARED < elapsed => {
            on_cpu.max(elapsed * LEAST_SHARE)
        }
        _ => elapsed,
    }
}

impl Bench<'_> {
    /// Finds the iteration count for the job's batch length.
    pub(super) fn calibrate(&mut self, variant: &mut Variant<'_>) -> Result<u64, Stop> {
        let goal = self
            .job
            .batch_ns
            .max(clock::STEPS_A_BATCH * self.clock.resolution_ns);
        // So long is a batch at the least.
        let least = goal * NEAR_ENOUGH / 2.0;
        if self.beyond_caches() && self.least_ns(variant) >= least {
            return Ok(1);
        }
        let mut iterations = 1u64;
        loop {
            let mut ns = self.own_ns_of(variant, iterations)?;
            // Must be long enough each time: a single batch may be long because it was cold or
            // interrupted, and all later processes use the count found here.
            let tries = if iterations == 1 && self.beyond_caches() && ns > AMPLE * goal {
                1
            } else if iterations <= FEW && ns < LONGEST_SLICE_NS {
                TRIES_OF_FEW
            } else {
                2
            };
            for _ in 1..tries {
                if ns < goal * NEAR_ENOUGH {
                    break;
                }
                ns = ns.min(self.own_ns_of(variant, iterations)?);
            }
            if ns >= goal * NEAR_ENOUGH {
                let found = ((iterations as f64 * goal / ns).ceil() as u64).max(1);
                // A hypervisor that steals milliseconds may lengthen two short batches: the count must pass
                // once more.
                if found == 1 || self.own_ns_of(variant, found)? >= least {
                    return Ok(found);
                }
            }
            if iterations > 1 << 50 {
                return Err(Stop::Refused(
                    "a batch of 2^50 iterations takes no time; the loop was folded away".into(),
                ));
            }
            // At most tenfold, because a short run predicts the next one badly.
            let grow = (goal / ns.max(1.0)).clamp(1.5, 10.0);
            iterations = (iterations as f64 * grow).ceil() as u64;
        }
    }

    /// Ns that one iteration takes at the least: what the ports of the core can move, if the unit is bytes.
    fn least_ns(&self, variant: &Variant<'_>) -> f64 {
        let a_thread = variant.work / self.threads as f64;
        variant
            .bytes_per_cycle
            .map_or(0.0, |bytes| a_thread / (f64::from(bytes) * self.clock.ghz))
    }

    /// What a bare batch takes by itself, ns. Elapsed time would end the search for a count too early where
    /// another process has the CPU most of the time. For calibration only: what is measured is elapsed time.
    fn own_ns_of(&mut self, variant: &mut Variant<'_>, iterations: u64) -> Result<f64, Stop> {
        let run = self.timed(variant, iterations, Around::default())?;
        Ok(match run.timed {
            Timed::Outside if self.team.is_none() => {
                own_time(run.ns, marks::on_cpu(&run.before, &run.after))
            }
            Timed::Outside => run.ns,
            Timed::Inside { ns, .. } => ns,
            Timed::ByTeam(worked) => worked.ns,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_of_others_on_the_cpu_is_not_that_of_the_work() {
        for (elapsed, on_cpu, own) in [
            // Alone, but for a tick.
            (1e6, Some(1e6), 1e6),
            (1e6, Some(0.9e6), 1e6),
            // Half of the CPU, and what nice 19 leaves.
            (2e6, Some(1e6), 1e6),
            (69e6, Some(1e6), 1e6),
            // Gives up its CPU all the time.
            (1e9, Some(1e3), 1e7),
            // It slept, or the kernel does not tell.
            (2e6, None, 2e6),
            (2e6, Some(0.0), 2e6),
        ] {
            assert_eq!(own_time(elapsed, on_cpu), own, "{elapsed} {on_cpu:?}");
        }
    }
}
