//! DRAM row hits against row misses.
#![allow(unsafe_code)]

use std::cell::Cell;

use whyslow_kernels::chase::{CHASE_UNROLL, chase};
use whyslow_model::record::ValueRule;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use super::mem_latency::largest;
use crate::bench::{Bench, Timed, Variant, below, shuffle};
use crate::buffer::{Buffer, Pages};
use crate::chain::Chain;
use crate::clock::Moment;
use crate::probe::{Bounds, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::sizes::beyond_one;

/// This family's probes.
pub const PROBES: &[Probe] = &[Probe {
    id: "mem.dram_page",
    title: "DRAM row miss",
    unit: Unit::Ns,
    better: Better::Lower,
    what: "The extra cost of a load from memory when its DRAM row is not the open one, as far as a program can tell.",
    how: "A random pointer chase that visits 16 lines of a page before the next page, less one over the same lines that changes between 16 pages with every load; \
          both have the same page working set, so that address translation costs the same. Controllers that spread a page over many channels, close rows after use, or \
          serve other guests in between show no difference. lmbench's chains visit words, eight to a line, so that most of its loads are cache hits.",
    needs: &[],
    params: &[("pages", "4k (base pages)")],
    names: Names {
        lmbench: &["lat_dram_page"],
        ..Names::NONE
    },
    roles: Roles::All(Role::MemoryLatency),
    // 1 cycle: no cache answers faster.
    bounds: Bounds { fastest: 1.0 },
    usual_marks: &[],
    points,
    measure,
}];

/// Series that stay in a page, and so mostly in a row.
const SAME: &str = "same page";
/// Series that change the page with every load.
const OTHER: &str = "other page";

/// Pages visited in turn, as in lmbench: a first-level TLB holds them all.
const GROUP: usize = 16;
/// Lines visited per page: one in each 256 bytes (of 4 KiB), so that adjacent-line prefetch has no
/// effect.
const LINES: usize = 16;

/// Smallest distinguishable difference, as a share of the latency: lmbench's threshold.
const TOLD: f64 = 0.05;

fn points(ctx: &PlanContext) -> Vec<Offer> {
    let point = Point::new("mem.dram_page").with("pages", "4k");
    let bytes = largest(ctx);
    if bytes < beyond_one(ctx, ctx.llc_bytes) / 2 {
        let why = "the memory that may be used is not twice the caches";
        return vec![(point.to_string(), why.to_owned()).into()];
    }
    vec![Offer::Point(PointPlan {
        size_bytes: Some(bytes),
        draws: 1,
        value: ValueRule::Less {
            from: OTHER.into(),
            less: SAME.into(),
        },
        extra: true,
        suites: &["lmbench"],
        ..PointPlan::new(point)
    })]
}

fn measure(bench: &mut Bench) -> Result<(), Stop> {
    let (bytes, line) = (bench.size()?, bench.job.line_bytes as usize);
    // Two chains of half the size each; both far exceed the caches.
    let half = bytes / 2;
    let page = rustix::param::page_size();
    let quickest = [Cell::new(f64::INFINITY), Cell::new(f64::INFINITY)];
    for _ in 0..bench.job.draws {
        let mut make = |regroup: bool| {
            let buffer = Buffer::new(half, Pages::Small, 0)?;
            bench.lies_on(&buffer);
            let places = places(half / page, page, line, regroup, &mut bench.rng);
            Chain::over(buffer, &places)
        };
        let (same, other) = (make(false)?, make(true)?);
        let variants = [(OTHER, &other, &quickest[0]), (SAME, &same, &quickest[1])];
        let mut variants = variants.map(|(name, chain, quickest)| {
            let mut at = chain.start();
            Variant::new(name, CHASE_UNROLL as f64, move |n| {
                let start = Moment::now();
                // SAFETY: a location in the chain, which outlives the variants.
                at = unsafe { chase(at, n * CHASE_UNROLL) };
                let ns = Moment::now().since(start) / (n * CHASE_UNROLL) as f64;
                quickest.set(quickest.get().min(ns));
                Ok(Timed::Outside)
            })
        });
        bench.draw(&mut variants)?;
    }
    let [other, same] = quickest.map(|ns| ns.get());
    if other - same < TOLD * other {
        bench.note(format!(
            "open and closed rows cannot be distinguished here ({same:.0} ns and {other:.0} ns at best): the controller, its interleaving or another guest hides the difference"
        ));
    }
    Ok(())
}

/// The locations of a chain over `pages` pages in random order, in groups: all lines of one page in
/// succession, or one line of each page of the group in turn.
fn places(
    pages: usize,
    page: usize,
    line: usize,
    regroup: bool,
    rng: &mut impl rand_xoshiro::rand_core::Rng,
) -> Vec<usize> {
    let mut order: Vec<usize> = (0..pages / GROUP * GROUP).collect();
    shuffle(&mut order, rng);
    let part = page / LINES;
    let mut places = Vec::with_capacity(order.len() * LINES);
    for group in order.chunks(GROUP) {
        // For each page its lines, in random order, each at a random offset in its part.
        let lines: Vec<Vec<usize>> = group
            .iter()
            .map(|&number| {
                let mut parts: Vec<usize> = (0..LINES).collect();
                shuffle(&mut parts, rng);
                let lines = (part / line).max(1) as u64;
                let place = |k: usize| number * page + k * part + below(rng, lines) as usize * line;
                parts.into_iter().map(place).collect()
            })
            .collect();
        if regroup {
            places.extend((0..LINES).flat_map(|k| lines.iter().map(move |of_page| of_page[k])));
        } else {
            places.extend(lines.iter().flatten());
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;
    use std::collections::BTreeSet;

    /// Share of steps that stay within a page.
    fn staying(regroup: bool) -> f64 {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let places = places(64, 4096, 64, regroup, &mut rng);
        assert_eq!(places.len(), 64 * LINES);
        assert_eq!(
            places.iter().collect::<BTreeSet<_>>().len(),
            places.len(),
            "a line twice"
        );
        assert!(places.iter().all(|p| p % 64 == 0 && *p < 64 * 4096));
        // In both cases: 16 pages at a time, and all of their lines.
        for group in places.chunks(GROUP * LINES) {
            let pages: BTreeSet<_> = group.iter().map(|p| p / 4096).collect();
            assert_eq!(pages.len(), GROUP);
        }
        let stay = places
            .windows(2)
            .filter(|w| w[0] / 4096 == w[1] / 4096)
            .count();
        stay as f64 / (places.len() - 1) as f64
    }

    #[test]
    fn one_chain_stays_in_its_page_and_the_other_never_does() {
        assert!(staying(false) > 0.9);
        assert!(staying(true) == 0.0);
    }
}
