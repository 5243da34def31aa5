//! The same work on one to all CPUs at once: how throughput scales with CPUs.
#![allow(unsafe_code)]

use std::hint::black_box;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use whyslow_kernels::chase::{CHASE_UNROLL, chase};
use whyslow_kernels::{compiled, loads};
use whyslow_model::id;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit, size};

use crate::bench::{Bench, Timed, Variant};
use crate::buffer::{Buffer, Pages};
use crate::chain::Chain;
use crate::probe::{Bounds, CpuChoice, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::team::Team;

/// Bytes of the sieve: one for each number below 2^20.
const SIEVE_BYTES: usize = 1 << 20;

/// Most bytes of one process's arrays, to limit the time to fill them.
const MOST_BYTES: u64 = 256 << 20;
/// Least bytes, where no cache is reported.
const LEAST_BYTES: u64 = 32 << 20;

/// Up to this many CPUs every count is measured; beyond, powers of two and all.
const EACH_UP_TO: usize = 4;

/// A probe of this family.
const fn load(
    id: &'static str,
    title: &'static str,
    [what, how]: [&'static str; 2],
    roles: Roles,
    points: fn(&PlanContext) -> Vec<Offer>,
    measure: fn(&mut Bench) -> Result<(), Stop>,
) -> Probe {
    Probe {
        id,
        title,
        unit: Unit::Ns,
        better: Better::Lower,
        what,
        how,
        needs: &["procs over 1: as many CPUs"],
        params: &[(
            "procs",
            "how many run at once, each on its own CPU and memory",
        )],
        names: Names::NONE,
        roles,
        // A hundredth of a cycle: hundreds of CPUs at once, some cycles a unit each.
        bounds: Bounds { fastest: 0.01 },
        usual_marks: &[],
        points,
        measure,
    }
}

/// This family's probes.
pub const PROBES: &[Probe] = &[
    load(
        id::SMP_SIEVE,
        "sieve on N CPUs",
        [
            "The sieve of Eratosthenes over an array of 1 MiB: time per sieve over all CPUs used, so half with two CPUs if they do not interfere.",
            "Pinned threads with an array each, started together; from the first start to the last end, over the sieves done by all. Compiled Rust. Memory-bound where the array does not fit the private caches.",
        ],
        Roles::All(Role::ScalingMemory),
        |ctx| counts(ctx, id::SMP_SIEVE, |_| None),
        sieve,
    ),
    load(
        id::SMP_MANDELBROT,
        "Mandelbrot on N CPUs",
        [
            "Points of the Mandelbrot set: time per step of z*z + c over all CPUs used. Nothing is stored, so this is the control without memory effects.",
            "As smp.sieve, in registers only.",
        ],
        Roles::All(Role::ScalingCompute),
        |ctx| counts(ctx, id::SMP_MANDELBROT, |_| None),
        mandelbrot,
    ),
    load(
        id::SMP_STREAM,
        "triad on N CPUs",
        [
            "STREAM's triad over arrays beyond the caches: time per element over all CPUs used.",
            "As smp.sieve, on three arrays each that together are twice the largest reported cache, from 32 to 256 MiB.",
        ],
        Roles::All(Role::ScalingMemory),
        |ctx| counts(ctx, id::SMP_STREAM, beyond_caches),
        stream,
    ),
    load(
        id::SMP_CHASE,
        "pointer chase on N CPUs",
        [
            "Dependent loads beyond the caches: time per load over all CPUs used.",
            "As smp.sieve, along a random chain per thread through twice the largest reported cache, from 32 to 256 MiB.",
        ],
        Roles::All(Role::ScalingMemory),
        |ctx| counts(ctx, id::SMP_CHASE, beyond_caches),
        chases,
    ),
];

/// The same for every number of CPUs, so that times are comparable: twice the largest cache.
fn beyond_caches(ctx: &PlanContext) -> Option<u64> {
    let wanted = (2 * ctx.llc_bytes).clamp(LEAST_BYTES, MOST_BYTES);
    // 24 bytes per element, and whole lines.
    Some(wanted.min(ctx.memory_bytes / ctx.cpus.len().max(1) as u64) / 192 * 192)
}

fn counts(ctx: &PlanContext, id: &str, bytes: fn(&PlanContext) -> Option<u64>) -> Vec<Offer> {
    let all = ctx.cpus.len();
    let bytes = bytes(ctx);
    if bytes.is_some_and(|b| b < LEAST_BYTES / 2) {
        return vec![(id.to_owned(), "the allowed memory is too small".to_owned()).into()];
    }
    let wanted = |n: &usize| *n <= EACH_UP_TO || n.is_power_of_two() || *n == all;
    let offers = (1..=all).filter(wanted).map(|procs| {
        Offer::Point(PointPlan {
            cpus: match procs {
                1 => CpuChoice::One,
                n => CpuChoice::Copies(n as u32),
            },
            size_bytes: bytes,
            draws: 1,
            // 20 ms: long compared with synchronized start and end.
            batch_ns: 2e7,
            extra: true,
            suites: &["smp"],
            ..PointPlan::new(Point::new(id).with("procs", procs))
        })
    });
    offers.collect()
}

/// The work of one thread, once prepared.
type Place<T> = Mutex<Option<Result<T, Stop>>>;

/// Runs `work` on every CPU of the job, each with what `prepare` returned there; `work` gets the
/// number of iterations and does `units` units in each.
fn together<T: Send + 'static>(
    bench: &mut Bench,
    units: f64,
    prepare: impl Fn(usize) -> Result<T, Stop> + Send + Sync + 'static,
    work: fn(&mut T, u64),
) -> Result<(), Stop> {
    let team = Rc::new(Team::on(&bench.job.randomization.cpus)?);
    let everyone: Vec<usize> = (0..team.len()).collect();
    if everyone.is_empty() {
        return Err(Stop::Unavailable("no CPU is known to pin to".into()));
    }
    bench.work_of(&team);
    // One per thread, created by that thread, so that its memory is local. The locks are
    // uncontended: each is used by one thread.
    let places: Arc<Vec<Place<T>>> = Arc::new(everyone.iter().map(|_| Mutex::new(None)).collect());
    let made = places.clone();
    team.run(&everyone, move |me| {
        if let Ok(mut place) = made[me].lock() {
            *place = Some(prepare(me));
        }
    })?;
    for place in places.iter() {
        match place.lock().as_deref() {
            Ok(Some(Ok(_))) => {}
            Ok(Some(Err(stop))) => return Err(stop.clone()),
            _ => return Err(Stop::Unavailable("a thread of the team died".into())),
        }
    }
    for _ in 0..bench.job.draws {
        let work_done = units * team.len() as f64;
        bench.draw(&mut [Variant::by_team("", work_done, |turns, around| {
            let places = places.clone();
            let worked = team.work(&everyone, around, turns, move |me, turns| {
                if let Ok(mut place) = places[me].lock()
                    && let Some(Ok(place)) = place.as_mut()
                {
                    work(place, turns);
                }
            })?;
            Ok(Timed::ByTeam(worked))
        })])?;
    }
    Ok(())
}

fn sieve(bench: &mut Bench) -> Result<(), Stop> {
    bench.note(format!("compiled by {}", compiled::BY));
    let offset = bench.job.randomization.buffer_offset as usize;
    let memory = move |_| Buffer::new(SIEVE_BYTES, Pages::Small, offset);
    together(bench, 1.0, memory, |buffer, turns| {
        for _ in 0..turns {
            black_box(loads::sieve(black_box(buffer.bytes())));
        }
    })
}

fn mandelbrot(bench: &mut Bench) -> Result<(), Stop> {
    bench.note(format!("compiled by {}", compiled::BY));
    let steps = loads::mandelbrot() as f64;
    together(
        bench,
        steps,
        |_| Ok(()),
        |(), turns| {
            for _ in 0..turns {
                black_box(loads::mandelbrot());
            }
        },
    )
}

/// The arrays of a triad.
struct Arrays([Buffer; 3]);

fn stream(bench: &mut Bench) -> Result<(), Stop> {
    bench.note(format!(
        "compiled by {}; {} a process",
        compiled::BY,
        sized(bench)?
    ));
    let elements = bench.size()? / 24;
    let offset = bench.job.randomization.buffer_offset as usize;
    let arrays = move |_| {
        let one = || Buffer::new(elements * 8, Pages::Small, offset);
        Ok(Arrays([one()?, one()?, one()?]))
    };
    together(
        bench,
        elements as f64,
        arrays,
        |Arrays([a, b, c]), turns| {
            let [a, b, c] = [a, b, c].map(numbers);
            for _ in 0..turns {
                loads::triad(a, b, c, 0.5);
                black_box(&mut *a);
            }
        },
    )
}

/// The buffer as floating-point numbers.
fn numbers(buffer: &mut Buffer) -> &mut [f64] {
    // SAFETY: every pattern of bits is an `f64`.
    let (before, numbers, _) = unsafe { buffer.bytes().align_to_mut::<f64>() };
    debug_assert!(before.is_empty());
    numbers
}

fn sized(bench: &Bench) -> Result<String, Stop> {
    Ok(size::format(bench.size()? as u64))
}

fn chases(bench: &mut Bench) -> Result<(), Stop> {
    bench.note(format!("{} a process", sized(bench)?));
    let (bytes, line) = (bench.size()?, bench.job.line_bytes as usize);
    let offset = bench.job.randomization.buffer_offset as usize;
    let seed = bench.job.randomization.seed;
    let chain = move |me: usize| {
        use rand_xoshiro::rand_core::SeedableRng;
        let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(seed ^ me as u64);
        let chain = Chain::random(Buffer::new(bytes, Pages::Small, offset)?, line, &mut rng)?;
        Ok((chain.start().expose_provenance(), chain))
    };
    together(bench, CHASE_UNROLL as f64, chain, |(at, _chain), turns| {
        let start = std::ptr::with_exposed_provenance(*at);
        // SAFETY: `at` is a location in the chain, which lives as long, and so is every successor.
        let end = unsafe { chase(start, turns * CHASE_UNROLL) };
        *at = end.expose_provenance();
    })
}
