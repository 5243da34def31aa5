//! The cost of address translation, separated from cache misses.
#![allow(unsafe_code)]

use whyslow_kernels::chase::{CHASE_UNROLL, chase};
use whyslow_model::id;
use whyslow_model::record::ValueRule;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use super::mem_latency::largest;
use crate::bench::{Bench, Timed, Variant, below, shuffle};
use crate::between_runs;
use crate::buffer::{Buffer, Pages};
use crate::chain::Chain;
use crate::probe::{Bounds, Intensity, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::sizes::ladder;

/// This family's probes.
pub const PROBES: &[Probe] = &[Probe {
    id: id::MEM_TLB,
    title: "address translation",
    unit: Unit::Ns,
    better: Better::Lower,
    what: "The extra cost of a load when every line is on its own page: TLB misses and page walks, without cache misses.",
    how: "A random pointer chase over one line in each of N pages, less one over N packed lines, interleaved.",
    needs: &[],
    params: &[("count", "pages, and lines"), ("pages", "4k (base pages)")],
    names: Names {
        lmbench: &["tlb", "tlb pages"],
        ..Names::NONE
    },
    roles: Roles::All(Role::Tlb),
    bounds: Bounds { fastest: 1.0 },
    usual_marks: &[],
    points,
    measure,
}];

/// Series with one line per page.
const SPARSE: &str = "a line a page";
/// Series with the lines packed.
const PACKED: &str = "packed";

/// From so many pages on their entries alone take 128 KiB, and those of the host's tables as much.
const MANY: u64 = 16_384;

/// From 16 pages, fewer than any first-level TLB holds, to 65,536, more than any second-level one.
const COUNTS: [u64; 2] = [16, 65_536];

fn points(ctx: &PlanContext) -> Vec<Offer> {
    let page = rustix::param::page_size() as u64;
    let most = COUNTS[1].min(largest(ctx) / page);
    if most < COUNTS[0] {
        let why = "the memory that may be used is too small";
        return vec![("mem.tlb".to_owned(), why.to_owned()).into()];
    }
    let quick = ctx.intensity == Intensity::Quick;
    ladder(COUNTS[0], most, 2)
        .into_iter()
        .map(|count| {
            Offer::Point(PointPlan {
                size_bytes: Some(count * page),
                draws: if count <= 4096 { 2 } else { 1 },
                samples: if count <= 4096 { 5 } else { 20 },
                value: ValueRule::Less {
                    from: SPARSE.into(),
                    less: PACKED.into(),
                },
                between_runs: if count < MANY {
                    between_runs::SHARED
                } else {
                    between_runs::WALKS
                },
                // A quick run has only those of each octave.
                extra: quick && !count.is_power_of_two(),
                ..PointPlan::new(
                    Point::new(id::MEM_TLB)
                        .with("count", count)
                        .with("pages", "4k"),
                )
            })
        })
        .collect()
}

fn measure(bench: &mut Bench) -> Result<(), Stop> {
    let (page, line) = (rustix::param::page_size(), bench.job.line_bytes as usize);
    let count = bench.size()? / page;
    for _ in 0..bench.job.draws {
        // A random line of each page; otherwise a few cache sets would hold all lines.
        let lines = (page / line) as u64;
        let mut places: Vec<usize> = (0..count)
            .map(|i| i * page + below(&mut bench.rng, lines) as usize * line)
            .collect();
        shuffle(&mut places, &mut bench.rng);
        let pages = Buffer::new(count * page, Pages::Small, 0)?;
        bench.lies_on(&pages);
        let sparse = Chain::over(pages, &places)?;
        let packed = Chain::random(
            Buffer::new(count * line, Pages::Small, 0)?,
            line,
            &mut bench.rng,
        )?;
        let variant = |name, chain: &Chain| {
            // SAFETY: locations in the chain, which outlives the variants.
            let mut at = unsafe { chase(chain.start(), chain.len() as u64) };
            Variant::new(name, CHASE_UNROLL as f64, move |n| {
                // SAFETY: as above.
                at = unsafe { chase(at, n * CHASE_UNROLL) };
                Ok(Timed::Outside)
            })
        };
        bench.draw(&mut [variant(SPARSE, &sparse), variant(PACKED, &packed)])?;
    }
    Ok(())
}
