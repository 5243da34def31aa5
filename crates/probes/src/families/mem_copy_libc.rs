//! The C library's memory and string routines.

use whyslow_model::id;
use whyslow_model::record::Estimator;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit, size};

use crate::bench::{Bench, Timed, Variant};
use crate::probe::{Bounds, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::routines::{Blocks, Place, Routine};
use crate::sizes::level_sizes;

/// This family's probes.
pub const PROBES: &[Probe] = &[Probe {
    id: id::MEM_LIBC,
    title: "C library's copy, fill, compare",
    unit: Unit::GbPerS,
    better: Better::Higher,
    what: "Bytes a second that memory and string routines of the C library move on one CPU; a copy counts bytes read plus bytes written, a comparison the bytes of both blocks; write-allocate traffic is not counted.",
    how: "The functions of the C library that this whyslow is linked with (named in the record's header), called by address on whole blocks. lmbench counts a copied byte once, so its Bcopy is half of this figure, and its size is that of one block, not of both. Its bzero writes zeros, which some machines move faster; memset here writes a nonzero byte. Texts end in the last byte of their block, and memchr looks for that end. With small blocks the call itself is most of the time.",
    needs: &[],
    params: &[
        (
            "op",
            "memcpy, memmove, memset, memcmp, memchr, strlen or strcpy; each of two blocks has half of the working set",
        ),
        (
            "level",
            "the level as measured in this run; its size is in the record",
        ),
        (
            "size",
            "bytes in the working set, in place of level: of both blocks, where there are two",
        ),
        (
            "distance",
            "bytes from the source's to the destination's place within pages of 4096; 0 without it",
        ),
        (
            "overlap",
            "the destination begins 256 bytes above (up) or below (down) the source, in one buffer; the size still counts both blocks",
        ),
    ],
    names: Names {
        lmbench: &["bw_mem bcopy", "bw_mem bzero", "Bcopy (libc)"],
        ..Names::NONE
    },
    roles: Roles::All(Role::MemoryRoutines),
    // 1 PB/s: beyond any machine; the port limit is checked apart.
    bounds: Bounds { fastest: 1e6 },
    usual_marks: &[],
    points,
    measure,
}];

/// The working set of lmbench's `bw_mem 8m bcopy`: two blocks of that size.
const LMBENCH_COPY: u64 = 16 << 20;

fn points(ctx: &PlanContext) -> Vec<Offer> {
    let mut offers = Vec::new();
    if ctx.sized_by.is_none() {
        let why = "the latency curve gave no levels to take sizes from";
        offers.push(("mem.libc{level=*}".to_owned(), why.to_owned()).into());
    }
    for op in ["memcpy", "memset", "memcmp"] {
        // lmbench has no comparison.
        let suites: &[&str] = if op == "memcmp" { &[] } else { &["lmbench"] };
        let point = || Point::new(id::MEM_LIBC).with("op", op);
        for (level, bytes) in level_sizes(ctx, 1) {
            offers.push(match bytes {
                Ok(bytes) => plan(point().with("level", &level), bytes, suites),
                Err(why) => {
                    let what = format!("mem.libc{{op={op},level={level}}}");
                    (what, why.to_owned()).into()
                }
            });
        }
        let bytes = LMBENCH_COPY;
        if bytes <= ctx.memory_bytes {
            offers.push(plan(
                point().with("size", size::format(bytes)),
                bytes,
                suites,
            ));
        }
    }
    offers.extend(at_distances());
    offers.extend(overlapping());
    offers.extend(small());
    offers
}

/// Blocks of copies at distances: below, within and above the sizes that libraries copy by string instructions.
const BLOCKS: [u64; 6] = [1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];

/// More of them, to where non-temporal stores pay.
const LARGE_BLOCKS: [u64; 3] = [4 << 20, 16 << 20, 64 << 20];

/// Alike; two that string instructions of some CPUs are slow at (below a vector of 16 bytes by far the most); the next
/// whole vector; the next line; half a page.
const DISTANCES: [u64; 6] = [0, 8, 16, 32, 64, 2048];

/// The distances that a plain run compares.
const COMPARED: [u64; 2] = [0, 8];

/// Bytes in small blocks: one, a word, what no vector fits, a line, several, more than loops are entered for.
const SMALL: [u64; 6] = [1, 8, 31, 64, 256, 1024];

/// Blocks that a plain run fills: one on each side of where libraries begin to use string instructions (2 KiB).
const FILLED: [u64; 2] = [1 << 10, 16 << 10];

fn at_distances() -> Vec<Offer> {
    let mut offers = Vec::new();
    for op in ["memcpy", "memmove"] {
        for block in BLOCKS.into_iter().chain(LARGE_BLOCKS) {
            for distance in DISTANCES {
                let point = of_blocks(op, 2 * block).with("distance", distance);
                let plain =
                    op == "memcpy" && COMPARED.contains(&distance) && BLOCKS.contains(&block);
                let mut plan = cheap(point, 2 * block);
                plan.extra = !plain;
                // Beside the plain run's points of bandwidth, and not those of lmbench.
                plan.suites = if plain { &["all"] } else { &[] };
                offers.push(Offer::Point(plan));
            }
        }
    }
    offers
}

fn overlapping() -> Vec<Offer> {
    let each = BLOCKS.into_iter().flat_map(|block| {
        let point = move |overlap| of_blocks("memmove", 2 * block).with("overlap", overlap);
        ["up", "down"].map(|overlap| Offer::Point(cheap(point(overlap), 2 * block)))
    });
    each.collect()
}

fn small() -> Vec<Offer> {
    let mut offers = Vec::new();
    for (op, blocks) in [
        ("memcpy", 2),
        ("memset", 1),
        ("memcmp", 2),
        ("memchr", 1),
        ("strlen", 1),
        ("strcpy", 2),
    ] {
        let filled = FILLED
            .into_iter()
            .filter(|block| op == "memset" && !SMALL.contains(block));
        offers.extend(SMALL.into_iter().chain(filled).map(|block| {
            let bytes = block * blocks;
            let mut plan = cheap(of_blocks(op, bytes), bytes);
            if op == "memset" && FILLED.contains(&block) {
                plan.extra = false;
                plan.suites = &["all"];
            }
            Offer::Point(plan)
        }));
    }
    offers
}

fn of_blocks(op: &str, bytes: u64) -> Point {
    Point::new(id::MEM_LIBC)
        .with("op", op)
        .with("size", size::format(bytes))
}

/// What it is asked for is a factor, and not a percent.
fn cheap(point: Point, bytes: u64) -> PointPlan {
    PointPlan {
        size_bytes: Some(bytes),
        draws: 1,
        samples: 3,
        // Blocks within private caches: noise only slows.
        estimator: Estimator::Low,
        extra: true,
        ..PointPlan::new(point)
    }
}

fn plan(point: Point, bytes: u64, suites: &'static [&'static str]) -> Offer {
    let large = bytes >= 64 << 20;
    Offer::Point(PointPlan {
        size_bytes: Some(bytes),
        // A large buffer averages over its pages and takes long to fill.
        draws: if large { 1 } else { 2 },
        samples: 3,
        extra: true,
        suites,
        ..PointPlan::new(point)
    })
}

/// How the blocks of a point lie to each other.
fn place(point: &Point, op: &str) -> Result<Place, Stop> {
    let unknown = |name: &str, text: &str| {
        Err(Stop::Unavailable(format!(
            "{name}={text} is not known of op={op}"
        )))
    };
    match (point.get("overlap"), point.get("distance")) {
        (Some("up"), None) if op == "memmove" => Ok(Place::Above),
        (Some("down"), None) if op == "memmove" => Ok(Place::Below),
        (Some(other), _) => unknown("overlap", other),
        (None, Some(text)) => match text.parse() {
            // Buffers are written by words.
            Ok(distance) if distance < 4096 && distance % 8 == 0 => Ok(Place::Apart(distance)),
            _ => unknown("distance", text),
        },
        (None, None) => Ok(Place::Apart(0)),
    }
}

fn measure(bench: &mut Bench) -> Result<(), Stop> {
    let op = bench.param("op")?;
    let routine = Routine::named(op)?;
    let place = place(&bench.job.point, op)?;
    let bytes = bench.size()?;
    let offset = bench.job.randomization.buffer_offset as usize;
    for _ in 0..bench.job.draws {
        let mut blocks = Blocks::of(routine, bytes, offset, place)?;
        blocks.prove()?;
        blocks.buffers().for_each(|buffer| bench.lies_on(buffer));
        let mut variant = Variant::new("", blocks.counted() as f64, |passes| {
            for _ in 0..passes {
                blocks.pass();
            }
            Ok(Timed::Outside)
        });
        variant.bytes_per_cycle = routine.port_limit();
        bench.draw(&mut [variant])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::{Intensity, Rank};

    #[test]
    fn a_plain_run_compares_two_distances() {
        let plans: Vec<PointPlan> = points(&PlanContext::complete(Intensity::Quick))
            .iter()
            .filter_map(|offer| offer.plan().cloned())
            .collect();
        let plain: Vec<&PointPlan> = plans.iter().filter(|plan| !plan.extra).collect();
        assert_eq!(plain.len(), COMPARED.len() * BLOCKS.len() + FILLED.len());
        // Each takes some 20 ms: also where time is short, no block that copies are slow of is left out.
        assert!(plain.iter().all(|plan| plan.rank == Rank::Section));
        let ids: std::collections::BTreeSet<&Point> = plans.iter().map(|p| &p.point).collect();
        assert_eq!(ids.len(), plans.len(), "each once");
        assert!(
            plans
                .iter()
                .all(|plan| !plan.suites.contains(&"lmbench")
                    || plan.point.get("distance").is_none())
        );
    }

    #[test]
    fn places_that_cannot_be_are_refused() {
        let of = |text: &str, op| place(&text.parse().unwrap(), op);
        assert_eq!(
            of("mem.libc{distance=16}", "memcpy").unwrap(),
            Place::Apart(16)
        );
        assert_eq!(of("mem.libc{overlap=up}", "memmove").unwrap(), Place::Above);
        // memcpy of overlapping blocks is not defined.
        assert!(of("mem.libc{overlap=up}", "memcpy").is_err());
        assert!(of("mem.libc{overlap=across}", "memmove").is_err());
        assert!(of("mem.libc{distance=5}", "memcpy").is_err());
        assert!(of("mem.libc{distance=4096}", "memcpy").is_err());
    }
}
