//! Memory-level parallelism: how many misses a core keeps in flight.
#![allow(unsafe_code)]

use std::cell::Cell;

use whyslow_kernels::chase::{CHAINS_MAX, CHASE_MANY_UNROLL, chase_many};
use whyslow_model::id;
use whyslow_model::record::ValueRule;
use whyslow_model::role::Roles;
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::buffer::{Buffer, Pages};
use crate::chain::Chain;
use crate::probe::{Bounds, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::sizes::level_sizes;

/// This family's probes.
pub const PROBES: &[Probe] = &[Probe {
    id: id::MEM_PARALLELISM,
    title: "memory parallelism",
    unit: Unit::Ns,
    better: Better::Lower,
    what: "Time per load with 1 to 16 independent pointer chases on one CPU; the speed-up is the memory-level parallelism of the core.",
    how: "1 to 16 chains through one random cycle, starting evenly spaced, followed in one loop with every pointer in a register.",
    needs: &[],
    params: &[(
        "level",
        "the level as measured in this run, from the second on",
    )],
    names: Names {
        lmbench: &["par_mem", "mem par"],
        ..Names::NONE
    },
    roles: Roles::LatencyBySize,
    // A third of a cycle: no core completes more than three loads a cycle.
    bounds: Bounds { fastest: 0.3 },
    usual_marks: &[],
    points,
    measure,
}];

fn points(ctx: &PlanContext) -> Vec<Offer> {
    let levels = level_sizes(ctx, 1);
    if levels.len() < 2 {
        let why = "the latency curve gave no second level to measure";
        return vec![(id::MEM_PARALLELISM.to_owned(), why.to_owned()).into()];
    }
    levels
        .into_iter()
        .skip(1)
        .map(|(level, size)| {
            let point = Point::new(id::MEM_PARALLELISM).with("level", &level);
            match size {
                Ok(bytes) => Offer::Point(PointPlan {
                    size_bytes: Some(bytes),
                    draws: 1,
                    samples: 8,
                    value: ValueRule::Each,
                    ..PointPlan::new(point)
                }),
                Err(why) => (point.to_string(), why.to_owned()).into(),
            }
        })
        .collect()
}

/// Fewest marked locations along the cycle, where chains start: with four per chain at the maximum, a batch goes on near the
/// end of the one before in small working sets too.
const PLACES: usize = 4 * CHAINS_MAX;

/// Lines from one to the next in a large working set: about a batch of loads from memory.
const APART: usize = 1024;

fn measure(bench: &mut Bench) -> Result<(), Stop> {
    let (bytes, line) = (bench.size()?, bench.job.line_bytes as usize);
    let lines = bytes / line;
    let count = PLACES.max(lines / APART);
    // Lines between two of them.
    let between = (lines / count).max(1) as u64;
    for _ in 0..bench.job.draws {
        let buffer = Buffer::new(
            bytes,
            Pages::Small,
            bench.job.randomization.buffer_offset as usize,
        )?;
        bench.lies_on(&buffer);
        let (chain, places) = Chain::marked(buffer, line, count, &mut bench.rng)?;
        // Where the next batch begins, whatever its number of chains. With starts of their own, those with few chains went
        // over lines that others had just brought into the last cache: one chain through 128 MiB took 53 to 135 ns a load
        // where a load from memory takes 150.
        let next = Cell::new(0);
        let (next, places) = (&next, &places);
        let mut variants: Vec<Variant> = (1..=CHAINS_MAX)
            .map(|chains| {
                let work = (chains as u64 * CHASE_MANY_UNROLL) as f64;
                Variant::new(&chains.to_string(), work, move |n| {
                    let mut at = [std::ptr::null(); CHAINS_MAX];
                    for (at, start) in at.iter_mut().zip(starts(next.get(), chains, places.len())) {
                        *at = places[start];
                    }
                    let steps = n * CHASE_MANY_UNROLL;
                    // SAFETY: every pointer is a location in the chain, which outlives the
                    // variants.
                    unsafe { chase_many(&mut at[..chains], steps) };
                    let gone = steps.div_ceil(between) as usize;
                    next.set((next.get() + gone) % places.len());
                    Ok(Timed::Outside)
                })
            })
            .collect();
        bench.draw(&mut variants)?;
        drop(variants);
        drop(chain);
    }
    Ok(())
}

/// Which of `count` locations so many chains begin at, about evenly spaced from `next` on: each in another of as many parts as
/// there are chains at most, in which all batches have come equally far.
fn starts(next: usize, chains: usize, count: usize) -> impl Iterator<Item = usize> {
    let part = count / CHAINS_MAX;
    (0..chains).map(move |i| (next + i * CHAINS_MAX / chains * part) % count)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{CHAINS_MAX, starts};

    /// Batches of two locations each, in 128 MiB, with all numbers of chains in turns.
    #[test]
    fn no_batch_begins_where_another_has_just_been() {
        let mut seen = BTreeSet::new();
        for batch in 0..64 {
            for start in starts(2 * batch, 1 + 7 * batch % CHAINS_MAX, 2048) {
                assert!(seen.insert(start), "{batch}: {start}");
            }
        }
    }
}
