//! The effective size of a cache line.
#![allow(unsafe_code)]

use whyslow_kernels::chase::{CHASE_UNROLL, chase};
use whyslow_model::id;
use whyslow_model::record::ValueRule;
use whyslow_model::role::Roles;
use whyslow_model::{Better, Point, Unit};

use super::mem_latency::largest;
use crate::bench::{Bench, Timed, Variant, shuffle};
use crate::buffer::{Buffer, Pages};
use crate::chain::Chain;
use crate::probe::{Bounds, CacheLevel, Names, Offer, PlanContext, PointPlan, Probe, Stop};

/// This family's probes.
pub const PROBES: &[Probe] = &[Probe {
    id: id::MEM_LINE,
    title: "line size",
    unit: Unit::Ns,
    better: Better::Lower,
    what: "The distance at which two loads miss twice: for L2 the line size, for memory the size of the lines fetched together.",
    how: "A random pointer chase over blocks of memory with two loads per block, a given distance apart; time per load.",
    needs: &[],
    params: &[(
        "level",
        "the level that serves the first load of a pair: L2, or DRAM, where prefetchers fetch further lines",
    )],
    names: Names {
        lmbench: &["line", "cache line bytes"],
        ..Names::NONE
    },
    roles: Roles::LatencyBySize,
    bounds: Bounds { fastest: 0.5 },
    usual_marks: &[],
    points,
    measure,
}];

/// Distances, bytes; a block is twice the largest, so that pairs in different blocks share no line.
const DISTANCES: [usize; 7] = [8, 16, 32, 64, 128, 256, 512];
/// Block size, bytes.
const BLOCK: usize = 1024;

/// Total size of the blocks relative to L1: pairs start at block boundaries and use one set in sixteen, so
/// few remain in L1 beyond twice its size, and they occupy only a part of L2.
const BEYOND_L1: u64 = 4;

fn points(ctx: &PlanContext) -> Vec<Offer> {
    let plan = |level: &str, bytes: u64| {
        Offer::Point(PointPlan {
            size_bytes: Some(bytes),
            draws: 1,
            samples: 8,
            value: ValueRule::Each,
            ..PointPlan::new(Point::new(id::MEM_LINE).with("level", level))
        })
    };
    // Twice the last-level cache already gives mostly misses; filling more takes longer.
    let memory = (2 * ctx.llc_bytes)
        .clamp(32 << 20, 64 << 20)
        .min(largest(ctx) / 2);
    let second = match ctx.caches[..] {
        [
            CacheLevel {
                bytes: Some(first), ..
            },
            CacheLevel { .. },
            ..,
        ] => plan("L2", BEYOND_L1 * first),
        _ => {
            let why = "the size of the first of two levels of cache is not known";
            ("mem.line{level=L2}".to_owned(), why.to_owned()).into()
        }
    };
    vec![second, plan("DRAM", memory)]
}

fn measure(bench: &mut Bench) -> Result<(), Stop> {
    let bytes = bench.size()?;
    let mut blocks: Vec<usize> = (0..bytes / BLOCK).collect();
    for _ in 0..bench.job.draws {
        // The same pages for all distances.
        let mut buffer = Buffer::new(bytes, Pages::Small, 0)?;
        for distance in DISTANCES {
            shuffle(&mut blocks, &mut bench.rng);
            let places: Vec<usize> = blocks
                .iter()
                .flat_map(|&block| [block * BLOCK, block * BLOCK + distance])
                .collect();
            let chain = Chain::over(buffer, &places)?;
            let mut at = chain.start();
            bench.draw(&mut [Variant::new(
                &distance.to_string(),
                CHASE_UNROLL as f64,
                |n| {
                    // SAFETY: locations in the chain, which lives until the end of the iteration.
                    at = unsafe { chase(at, n * CHASE_UNROLL) };
                    Ok(Timed::Outside)
                },
            )])?;
            buffer = chain.into_buffer();
        }
    }
    Ok(())
}
