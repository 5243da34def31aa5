//! Latency of a load, by size of the working set, order and kind of pages.
#![allow(unsafe_code)]

use whyslow_kernels::chase::{CHASE_UNROLL, chase};
use whyslow_model::size;
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::buffer::{Buffer, Pages};
use crate::chain::Chain;
use crate::probe::{Bounds, Intensity, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::sizes::ladder;

/// This family's probes.
pub const PROBES: &[Probe] = &[Probe {
    id: "mem.latency",
    title: "load latency",
    unit: Unit::Ns,
    better: Better::Lower,
    what: "Time from a load's address to its data, for a working set of a given size.",
    how: "A chase through pointers, each load giving the next address: order=random is one cycle over all lines in random order, \
          order=stride walks forward as lmbench's lat_mem_rd does, which shows the prefetchers rather than the memory.",
    needs: &["pages=thp: transparent huge pages", "pages=hugetlb: a pool of huge pages (vm.nr_hugepages)"],
    params: &[
        ("size", "bytes in the working set"),
        ("order", "random, or stride"),
        ("stride", "bytes between loads, with order=stride"),
        ("pages", "4k (base pages), thp or hugetlb"),
    ],
    names: Names {
        lmbench: &["lat_mem_rd", "L1 $", "L2 $", "Main mem", "Rand mem"],
        ..Names::NONE
    },
    causes: &["page-placement", "cache-size", "huge-pages", "neighbours", "clock"],
    // 1 cycle: no cache answers faster. 100 us: a page that had to come from a disk.
    bounds: Bounds {
        floor: 1.0,
        ceiling: 1e5,
    },
    usual_marks: &[],
    points,
    measure,
}];

/// Smallest working set: 16 lines, enough for a cycle and inside any first-level cache.
const SMALLEST: u64 = 1 << 10;

/// The curve reaches at least this far, so that memory shows on hosts with small or hidden caches.
const REACH: u64 = 256 << 20;

/// Strides of the classic family of curves.
const STRIDES: [u64; 7] = [16, 32, 64, 128, 256, 512, 1024];

/// The stride of a quick run: one line after the other, lmbench's own choice.
const QUICK_STRIDE: u64 = 64;

/// The largest working set on this host: four times the last-level cache, at least 256 MiB, within
/// the memory that may be used.
pub(crate) fn largest(ctx: &PlanContext) -> u64 {
    let want = (4 * ctx.llc_bytes).max(REACH);
    let have = ctx.memory_bytes.max(SMALLEST);
    // The chain's order takes 4 bytes a line beside the buffer.
    want.min(have - have / 16)
}

fn points(ctx: &PlanContext) -> Vec<Offer> {
    let probe = "mem.latency";
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
            Offer::Point(plan(point, bytes, extra))
        }));
    };
    curve("4k", ladder(SMALLEST, to, per_octave), false);
    // Below the reach of a first-level TLB the kind of pages makes no difference.
    if ctx.thp.is_ok() {
        let (shown, more) = (ladder(64 << 10, to, if quick { 1 } else { 2 }), ladder(SMALLEST, to, 4));
        let more = more.into_iter().filter(|s| !shown.contains(s)).collect();
        curve("thp", shown, false);
        curve("thp", more, true);
    }
    if let Ok(pool) = &ctx.hugetlb {
        // One page more than the size, for the buffer's offset.
        let reach = (pool.free.saturating_sub(1) * pool.page_bytes).min(to);
        curve("hugetlb", ladder(64 << 10, reach, if quick { 1 } else { 2 }), false);
    }
    for stride in STRIDES {
        // Four places make a walk; fewer would be one line or two.
        offers.extend(ladder(SMALLEST.max(4 * stride), to, 1).into_iter().map(|bytes| {
            let point = Point::new(probe)
                .with("size", size::format(bytes))
                .with("order", "stride")
                .with("stride", stride)
                .with("pages", "4k");
            Offer::Point(plan(point, bytes, quick && stride != QUICK_STRIDE))
        }));
    }
    for (pages, why) in [("thp", ctx.thp.as_ref().err()), ("hugetlb", ctx.hugetlb.as_ref().err())] {
        if let Some(why) = why {
            offers.push((format!("{probe}{{pages={pages}}}"), why.clone()).into());
        }
    }
    offers
}

fn plan(point: Point, bytes: u64, extra: bool) -> PointPlan {
    // Fresh pages matter most where a few of them decide, up to the second-level caches; large
    // buffers average over their pages by themselves and cost time to fill.
    let draws = match bytes {
        0..0x20_0000 => 3,
        0x20_0000..0x200_0000 => 2,
        _ => 1,
    };
    PointPlan {
        size_bytes: Some(bytes),
        draws,
        extra,
        ..PointPlan::new(point)
    }
}

/// Working sets up to this are gone round once before the first batch, so that every cache holds
/// what it will hold. Beyond, next to nothing of a cycle's start is still cached when it is reached
/// again, and going round would take longer than all batches.
const WARM_UP_TO: usize = 64 << 20;

/// Loads before the first batch beyond that: enough to warm the TLB and the page tables' upper levels.
const WARM_LOADS: u64 = 1 << 14;

fn measure(bench: &mut Bench) -> Result<(), Stop> {
    let (bytes, line) = (bench.size()?, bench.job.line_bytes as usize);
    let pages = Pages::parse(bench.job.point.get("pages"))?;
    let stride = match bench.param("order")? {
        "stride" => Some(parse_stride(bench.param("stride")?)?),
        _ => None,
    };
    for _ in 0..bench.job.draws {
        let buffer = Buffer::new(bytes, pages, bench.job.luck.buffer_offset as usize)?;
        bench.lies_on(&buffer);
        let chain = match stride {
            None => Chain::random(buffer, line, &mut bench.rng)?,
            Some(stride) => Chain::forward(buffer, stride)?,
        };
        let warm = if bytes <= WARM_UP_TO { chain.len() as u64 } else { WARM_LOADS };
        // SAFETY: every pointer of the chain leads to another of its places, which live as long as
        // `chain`.
        let mut at = unsafe { chase(chain.start(), warm) };
        bench.draw(&mut [Variant::new("", CHASE_UNROLL as f64, |n| {
            // SAFETY: as above; `at` is a place of the chain.
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
        _ => Err(Stop::Unavailable(format!("stride={text} is not a number of at least 8 bytes"))),
    }
}
