//! Memory-level parallelism: how many misses a core keeps in flight.
#![allow(unsafe_code)]

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

/// Marked locations along the cycle, where chains start: four per chain at the maximum, so that any
/// number of chains is evenly spaced within a few hundredths of the cycle.
const PLACES: usize = 4 * CHAINS_MAX;

fn measure(bench: &mut Bench) -> Result<(), Stop> {
    let (bytes, line) = (bench.size()?, bench.job.line_bytes as usize);
    for _ in 0..bench.job.draws {
        let buffer = Buffer::new(
            bytes,
            Pages::Small,
            bench.job.randomization.buffer_offset as usize,
        )?;
        bench.lies_on(&buffer);
        let (chain, places) = Chain::marked(buffer, line, PLACES, &mut bench.rng)?;
        let mut variants: Vec<Variant> = (1..=CHAINS_MAX)
            .map(|chains| {
                let mut at: Vec<*const u8> =
                    (0..chains).map(|i| places[i * PLACES / chains]).collect();
                let work = (chains as u64 * CHASE_MANY_UNROLL) as f64;
                Variant::new(&chains.to_string(), work, move |n| {
                    // SAFETY: every pointer is a location in the chain, which outlives the
                    // variants.
                    unsafe { chase_many(&mut at, n * CHASE_MANY_UNROLL) };
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
