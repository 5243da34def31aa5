//! Latency of a load, by size of the working set, order and kind of pages.
#![allow(unsafe_code)]

use rand_xoshiro::rand_core::Rng;
use whyslow_kernels::chase::{CHASE_UNROLL, chase};
use whyslow_model::id;
use whyslow_model::record::Estimator;
use whyslow_model::role::Roles;
use whyslow_model::size;
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, PRIVATE, Settling, Timed, Variant};
use crate::between_runs;
use crate::buffer::{Buffer, Pages};
use crate::chain::Chain;
use crate::clock::Moment;
use crate::colored::Colored;
use crate::probe::{
    BATCH_NS, Bounds, Intensity, Names, Offer, PlanContext, PointPlan, Probe, Rank, Stop,
};
use crate::sizes::{REACH, beyond_one, ladder};

/// This family's probes.
pub const PROBES: &[Probe] = &[Probe {
    id: id::MEM_LATENCY,
    title: "load latency",
    unit: Unit::Ns,
    better: Better::Lower,
    what: "Time from a load's address to its data, for a given working-set size.",
    how: "A pointer chase, each load giving the next address: order=random is one cycle over all lines in random order, \
          order=stride walks forward as lmbench's lat_mem_rd does, which shows the prefetchers rather than the memory.",
    needs: &[
        "pages=thp: transparent huge pages",
        "pages=hugetlb: a pool of huge pages (vm.nr_hugepages)",
        "pages=colored, moved, unmoved: a private second-level cache, and a kernel that moves pages",
    ],
    params: &[
        ("size", "bytes in the working set"),
        ("order", "random, or stride"),
        ("stride", "bytes between loads, with order=stride"),
        (
            "pages",
            "4k (base pages), thp, hugetlb, colored: base pages of all colors in turn, moved: the same with random colors, or unmoved: base pages in a process that also searched for colors",
        ),
    ],
    names: Names {
        lmbench: &[
            "lat_mem_rd",
            "cache",
            "L1 $",
            "L2 $",
            "Main mem",
            "Rand mem",
        ],
        ..Names::NONE
    },
    roles: Roles::LatencyBySize,
    // 1 cycle: no cache answers faster.
    bounds: Bounds { fastest: 1.0 },
    usual_marks: &[],
    points,
    measure,
}];

/// Smallest working set: 16 lines, enough for a cycle and within any L1.
const SMALLEST: u64 = 1 << 10;

/// Largest size of secondary curves in a quick run, bytes: filling the memory takes longest.
const LARGE: u64 = 64 << 20;

/// Kinds of pages that need a color search.
const BY_COLOR: [&str; 3] = ["colored", "moved", "unmoved"];

/// Sizes where colors may matter, bytes: from within the L2 of today's machines (256 KiB to 3 MiB per
/// core) to beyond it.
const COLORED: (u64, u64) = (64 << 10, 4 << 20);

/// Strides of the classic family of curves.
const STRIDES: [u64; 7] = [16, 32, 64, 128, 256, 512, 1024];

/// The stride used by lmbench's summary.
const LMBENCH_STRIDE: u64 = 128;

/// The stride of a quick run: consecutive lines, as in lmbench.
const QUICK_STRIDE: u64 = 64;

/// The largest working set on this host: [`beyond_one`] of the last-level cache, at least [`REACH`], so that memory shows
/// on hosts with small or hidden caches, within the memory that may be used.
pub(crate) fn largest(ctx: &PlanContext) -> u64 {
    let want = beyond_one(ctx, ctx.llc_bytes).max(REACH);
    let have = ctx.memory_bytes.max(SMALLEST);
    // The chain's order takes 4 bytes per line in addition to the buffer.
    want.min(have - have / 16)
}

fn points(ctx: &PlanContext) -> Vec<Offer> {
    let probe = id::MEM_LATENCY;
    let quick = ctx.intensity == Intensity::Quick;
    let to = largest(ctx);
    let per_octave = if quick { 2 } else { 4 };
    let mut offers = Vec::new();
    let mut curve = |pages: &str, sizes: Vec<u64>, extra: bool| {
        offers.extend(sizes.into_iter().map(|bytes| {
            let point = Point::new(probe)
                .with("size", size::format(bytes))
                .with("order", "random")
                .with("pages", pages);
            // Two per octave: with fewer the levels cannot be identified.
            let in_lmbench = pages == "4k" && ladder(SMALLEST, to, 2).contains(&bytes);
            Offer::Point(PointPlan {
                suites: if in_lmbench { &["lmbench"] } else { &["all"] },
                rank: rank(bytes, pages == "thp"),
                ..plan(point, bytes, extra)
            })
        }));
    };
    curve("4k", ladder(SMALLEST, to, per_octave), false);
    // Below the reach of the first-level TLB the kind of pages makes no difference. A quick run
    // skips the large sizes except the last, as huge pages take longest to allocate.
    let first = if quick { 256 << 10 } else { 64 << 10 };
    let huge = |per_octave| -> Vec<u64> {
        let sizes = ladder(first, to, per_octave);
        let last = sizes.last().copied();
        let keep = |s: &u64| !quick || *s <= LARGE || Some(*s) == last;
        sizes.into_iter().filter(keep).collect()
    };
    let shown = huge(if quick { 1 } else { 2 });
    if ctx.thp.is_ok() {
        let more = ladder(SMALLEST, to, 4);
        let more = more.into_iter().filter(|s| !shown.contains(s)).collect();
        curve("thp", shown.clone(), false);
        curve("thp", more, true);
    }
    if let Ok(pool) = &ctx.hugetlb {
        // One page more than the size, for the buffer's offset.
        let reach = pool.free.saturating_sub(1) * pool.page_bytes;
        curve(
            "hugetlb",
            shown.into_iter().filter(|s| *s <= reach).collect(),
            false,
        );
    }
    if ctx.colors.is_some() {
        for pages in BY_COLOR {
            curve(pages, ladder(COLORED.0, COLORED.1.min(to), 4), true);
        }
    } else {
        let why = "the host claims no second-level cache with more than one color";
        for pages in BY_COLOR {
            offers.push((format!("{probe}{{pages={pages}}}"), why.to_owned()).into());
        }
    }
    for stride in STRIDES {
        // At least four locations; fewer would be one line or two.
        offers.extend(
            ladder(SMALLEST.max(4 * stride), to, 1)
                .into_iter()
                .map(|bytes| {
                    let point = Point::new(probe)
                        .with("size", size::format(bytes))
                        .with("order", "stride")
                        .with("stride", stride)
                        .with("pages", "4k");
                    Offer::Point(PointPlan {
                        rank: rank(bytes, false),
                        suites: if stride == LMBENCH_STRIDE {
                            &["lmbench"]
                        } else {
                            &["all"]
                        },
                        ..plan(
                            point,
                            bytes,
                            quick && (stride != QUICK_STRIDE || bytes > LARGE),
                        )
                    })
                }),
        );
    }
    for (pages, why) in [
        ("thp", ctx.thp.as_ref().err()),
        ("hugetlb", ctx.hugetlb.as_ref().err()),
    ] {
        if let Some(why) = why {
            offers.push((format!("{probe}{{pages={pages}}}"), why.clone()).into());
        }
    }
    let second = ctx.caches.get(1).and_then(|cache| cache.bytes);
    let private = second.unwrap_or(SMALL_SECOND) / 2;
    for offer in &mut offers {
        if let Offer::Point(plan) = offer {
            match plan.size_bytes.is_some_and(|bytes| bytes <= private) {
                true => plan.estimator = Estimator::Low,
                false => plan.between_runs = between_runs::SHARED,
            }
        }
    }
    offers
}

/// The second-level cache of a host that does not report one, bytes: no current machine has less.
const SMALL_SECOND: u64 = 512 << 10;

/// A curve needs every second octave, but for the levels of random loads, which the scout measures at all sizes. The
/// kernel clears huge pages of the largest sizes for a second.
fn rank(bytes: u64, huge: bool) -> Rank {
    if !bytes.is_power_of_two() || bytes.ilog2() % 2 == 1 {
        Rank::Between
    } else if huge && bytes > LARGE {
        Rank::Spare
    } else {
        Rank::Section
    }
}

fn plan(point: Point, bytes: u64, extra: bool) -> PointPlan {
    // Fresh pages matter most where there are few, up to L2; large buffers average over their pages
    // and take time to fill.
    let draws = match bytes {
        0..0x20_0000 => 3,
        0x20_0000..0x100_0000 => 2,
        _ => 1,
    };
    // Near the likely end of the last-level cache, a batch should traverse the cycle at least once;
    // otherwise its samples cover different parts of it. Where bringing the caches to a steady state or filling
    // the buffer takes a hundred milliseconds and more, many batches cost little beside it.
    let (samples, batch_ns) = match bytes {
        0x18_0000..0x100_0000 => (8, 4.0 * BATCH_NS),
        0x100_0000..0x400_0000 => (25, 4.0 * BATCH_NS),
        0x400_0000.. => (100, BATCH_NS),
        _ => (7, BATCH_NS),
    };
    PointPlan {
        size_bytes: Some(bytes),
        draws,
        samples,
        batch_ns,
        between_runs: between_runs::PRIVATE,
        extra,
        ..PointPlan::new(point)
    }
}

/// Working sets up to 1.5 times the last-level cache, or up to this many bytes where the host reports
/// less, are traversed before the first batch, to bring all caches to a steady state. Beyond that,
/// the cached part of the cycle is random from the start, and a traversal would take longer than all
/// batches.
const WARM_UP_TO: u64 = 32 << 20;

/// Loads before the first batch beyond that: they access each line of the page tables of 256 MiB (8,192
/// lines of eight entries) 16 times. With fewer, early page walks still go to memory, which made 256
/// MiB appear up to a sixth slower.
const WARM_LOADS: u64 = 1 << 17;

/// Least warm-up time, ns: a share of a contended cache is gained only over some ten traversals of
/// a few MiB.
const WARM_NS: f64 = 15e6;

/// Longest warm-up time: a cache share not gained by then stays with other users.
const WARM_MOST_NS: f64 = 150e6;

/// Does a traversal of so many loads end in [`WARM_MOST_NS`], at the pace of those `done` in `ns`? One that does not
/// brings no cache to a steady state, also where the host claims one that holds all: a guest is told the size of the
/// host's last-level cache and has a small share of it.
fn reaches(done: u64, of: u64, ns: f64) -> bool {
    ns / done as f64 * of as f64 <= WARM_MOST_NS
}

/// Loads between looks at the clock: 25 ms at the most where each goes to memory and walks the page tables.
const WARM_PIECE: u64 = 1 << 17;

/// Traverses the chain until the caches are in a steady state. Returns the last location.
fn warm(chain: &Chain, bytes: u64, llc_bytes: u64) -> *const u8 {
    let whole = bytes <= WARM_UP_TO.max(llc_bytes + llc_bytes / 2);
    let loads = if whole {
        chain.len() as u64
    } else {
        WARM_LOADS
    };
    let least = if whole && bytes > PRIVATE {
        WARM_NS
    } else {
        0.0
    };
    let start = Moment::now();
    let (mut at, mut before) = (chain.start(), start);
    let mut settling = Settling::new();
    loop {
        let mut left = loads;
        while left > 0 && Moment::now().since(start) < WARM_MOST_NS {
            let piece = left.min(WARM_PIECE);
            // SAFETY: every pointer of the chain leads to another of its locations, which live as long
            // as `chain`.
            at = unsafe { chase(at, piece) };
            left -= piece;
            let (done, taken) = (loads - left, Moment::now().since(before));
            if left > 0 && done >= WARM_LOADS && !reaches(done, loads, taken) {
                return at;
            }
        }
        let now = Moment::now();
        let (cycle, all) = (now.since(before), now.since(start));
        before = now;
        let settled = settling.settled(cycle) || least == 0.0;
        if all >= least && settled || all >= WARM_MOST_NS {
            return at;
        }
    }
}

fn measure(bench: &mut Bench) -> Result<(), Stop> {
    let (bytes, line) = (bench.size()?, bench.job.line_bytes as usize);
    let pages = Pages::parse(bench.job.point.get("pages"))?;
    let stride = match bench.param("order")? {
        "stride" => Some(parse_stride(bench.param("stride")?)?),
        _ => None,
    };
    let draws = bench.job.draws;
    let seed = || bench.rng.next_u64();
    let mut colored = Colored::for_pages(pages, bytes * draws as usize, seed)?;
    for _ in 0..draws {
        let offset = bench.job.randomization.buffer_offset as usize;
        let buffer = match &mut colored {
            Some(pool) => pool.buffer(bytes, offset)?,
            None => Buffer::new(bytes, pages, offset)?,
        };
        bench.lies_on(&buffer);
        let chain = match stride {
            None => Chain::random(buffer, line, &mut bench.rng)?,
            Some(stride) => Chain::forward(buffer, stride)?,
        };
        let mut at = warm(&chain, bytes as u64, bench.job.llc_bytes);
        bench.draw(&mut [Variant::new("", CHASE_UNROLL as f64, |n| {
            // SAFETY: `at` is a location in the chain, and so is every successor.
            at = unsafe { chase(at, n * CHASE_UNROLL) };
            Ok(Timed::Outside)
        })])?;
        drop(chain);
    }
    Ok(())
}

fn parse_stride(text: &str) -> Result<usize, Stop> {
    match text.parse::<usize>() {
        Ok(stride) if stride >= size_of::<usize>() => Ok(stride),
        _ => Err(Stop::Unavailable(format!(
            "stride={text} is not a number of at least 8 bytes"
        ))),
    }
}
