//! Memory latency under load from the other CPUs.
#![allow(unsafe_code)]

use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use whyslow_kernels::bandwidth::{Op, Shape, shapes};
use whyslow_kernels::chase::{CHASE_UNROLL, chase};
use whyslow_kernels::clock::empty_loop;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::buffer::{Buffer, Pages};
use crate::chain::Chain;
use crate::clock::Moment;
use crate::marks::Happened;
use crate::probe::{Bounds, CpuChoice, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::sizes::beyond_caches;
use crate::team::Team;

const DELAY: (&str, &str) = (
    "delay",
    "approximate cycles that a load-generating CPU pauses after every 2 KiB read; none: no load at all",
);

/// This family's probes.
pub const PROBES: &[Probe] = &[
    Probe {
        id: "mem.loaded",
        title: "loaded latency",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "Time of a load from memory on one CPU while all others read from memory at a set rate; with mem.loaded_rate, the loaded-latency curve.",
        how: "A random pointer chase on the first CPU, timed there; every other CPU reads its own memory in pieces, with a pause set by the point in between.",
        needs: &["two CPUs"],
        params: &[DELAY],
        names: Names::NONE,
        roles: Roles::All(Role::MemoryLatency),
        // 1 cycle: no cache answers faster.
        bounds: Bounds { fastest: 1.0 },
        usual_marks: &[],
        points: |ctx| points(ctx, "mem.loaded"),
        measure: latency,
    },
    Probe {
        id: "mem.loaded_rate",
        title: "load bandwidth during the chase",
        unit: Unit::GbPerS,
        better: Better::Higher,
        what: "The total bandwidth of the load-generating CPUs during the chase of mem.loaded: the other axis of the loaded-latency curve.",
        how: "As mem.loaded, with the others timed while the chase runs; its bytes are not counted.",
        needs: &["two CPUs"],
        params: &[DELAY],
        names: Names::NONE,
        roles: Roles::All(Role::MemoryBandwidth),
        // 1 PB/s: beyond any machine.
        bounds: Bounds { fastest: 1e6 },
        usual_marks: &[],
        points: |ctx| points(ctx, "mem.loaded_rate"),
        measure: rate,
    },
];

/// From low load to full load. The pause after 2 KiB is in iterations of an empty loop, one cycle each:
/// at 20,000 a 4 GHz core reads 0.4 GB/s.
const DELAYS: [&str; 9] = [
    "none", "20000", "5000", "2000", "1000", "500", "200", "100", "0",
];

/// Bytes read between pauses: enough to train the prefetchers, short compared with any pause.
const PIECE: usize = 2 << 10;

/// Delay between the start of the load and the chase, ns: queues fill within microseconds.
const SETTLE_NS: f64 = 50_000.0;

fn points(ctx: &PlanContext, id: &str) -> Vec<Offer> {
    let all = ctx.cpus.len() as u64;
    if all < 2 {
        return vec![(id.to_owned(), "needs two CPUs; one is allowed".to_owned()).into()];
    }
    let delays = DELAYS
        .into_iter()
        .filter(|d| id == "mem.loaded" || *d != "none");
    let offers = delays.map(|delay| {
        let point = Point::new(id).with("delay", delay);
        match beyond_caches(ctx, all) {
            Some(bytes) => Offer::Point(PointPlan {
                size_bytes: Some(bytes),
                cpus: CpuChoice::All,
                draws: 1,
                extra: true,
                suites: &["smp"],
                ..PointPlan::new(point)
            }),
            None => (
                point.to_string(),
                "the allowed memory is less than twice the caches".to_owned(),
            )
                .into(),
        }
    });
    offers.collect()
}

/// Memory of the chasing CPU, or of a load-generating one.
enum Ground {
    Chain(Chain, AtomicU64),
    Load(Buffer),
}

// SAFETY: the chain's pointers stay in its own buffer, which moves with it; it is unused between
// batches, and within one used only by its member.
unsafe impl Send for Ground {}
// SAFETY: as above.
unsafe impl Sync for Ground {}

/// Which of the two is timed; the other runs until the timed one is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Timing {
    Chase,
    Load,
}

fn latency(bench: &mut Bench) -> Result<(), Stop> {
    run(bench, Timing::Chase)
}

fn rate(bench: &mut Bench) -> Result<(), Stop> {
    run(bench, Timing::Load)
}

/// Measures batches of chase and load together.
fn run(bench: &mut Bench, timing: Timing) -> Result<(), Stop> {
    let delay = match bench.param("delay")? {
        "none" => None,
        text => Some(
            text.parse()
                .map_err(|_| Stop::Unavailable(format!("delay={text} is not a number")))?,
        ),
    };
    let team = Rc::new(Team::on(&bench.job.randomization.cpus)?);
    if team.len() < 2 {
        return Err(Stop::Unavailable("needs two CPUs".into()));
    }
    let shape = widest()?;
    let members = team.clone();
    bench.label_with(move || members.label());
    let on: Vec<usize> = if delay.is_some() {
        (0..team.len()).collect()
    } else {
        vec![0]
    };
    let work = match timing {
        Timing::Chase => CHASE_UNROLL as f64,
        Timing::Load => ((on.len() - 1) * PIECE) as f64,
    };
    let (bytes, line) = (bench.size()? / PIECE * PIECE, bench.job.line_bytes as usize);
    for _ in 0..bench.job.draws {
        let chain = Chain::random(Buffer::new(bytes, Pages::Small, 0)?, line, &mut bench.rng)?;
        let first = Mutex::new(Some(chain));
        let grounds = team.gather(move |me| match me {
            0 => {
                let chain = first.lock().ok().and_then(|mut chain| chain.take());
                let chain = chain.ok_or_else(|| Stop::Unavailable("the chain is gone".into()))?;
                let start = AtomicU64::new(chain.start().addr() as u64);
                Ok(Ground::Chain(chain, start))
            }
            _ => Ok(Ground::Load(Buffer::new(bytes, Pages::Small, 0)?)),
        })?;
        let both = Both {
            team: team.clone(),
            grounds: Arc::new(grounds),
            shape,
            delay: delay.unwrap_or(0),
            timing,
        };
        bench.draw(&mut [Variant::new("", work, |n| {
            let (ns, marks) = both.batch(&on, n)?;
            Ok(Timed::Inside { ns, marks })
        })])?;
    }
    Ok(())
}

/// The plain read shape with the widest registers, as in ordinary program loops.
fn widest() -> Result<&'static Shape, Stop> {
    let plain = shapes(Op::Read)
        .into_iter()
        .filter(|s| !s.name.contains('-'));
    plain
        .max_by_key(|s| s.width)
        .ok_or_else(|| Stop::Unavailable("there is no read loop".into()))
}

/// The chase and the load, ready.
struct Both {
    team: Rc<Team>,
    grounds: Arc<Vec<Ground>>,
    shape: &'static Shape,
    delay: u64,
    timing: Timing,
}

/// Progress of a batch.
#[derive(Debug, Default)]
struct Progress {
    loading: AtomicUsize,
    loaded: AtomicUsize,
    chased: AtomicBool,
}

impl Both {
    /// One batch on the members `on`, the first of which chases: `n` times 64 loads of the chase, or `n`
    /// pieces read by each of the others. Returns the ns, and the events on any of them.
    fn batch(&self, on: &[usize], n: u64) -> Result<(f64, Happened), Stop> {
        let (grounds, shape, delay, timing) =
            (self.grounds.clone(), self.shape, self.delay, self.timing);
        let others = on.len() - 1;
        let progress = Progress::default();
        let (give, take) = channel();
        let (_, marks) = self.team.run(on, move |me| {
            let ns = match &grounds[me] {
                Ground::Chain(chain, at) => follow(chain, at, &progress, others, timing, n),
                Ground::Load(memory) => load(memory, shape, delay, &progress, timing, n),
            };
            let is_chase = matches!(grounds[me], Ground::Chain(..));
            if is_chase == (timing == Timing::Chase) {
                // The receiver outlives the work and is the only one.
                let _ = give.send(ns);
            }
        })?;
        Ok((take.try_iter().fold(0.0, f64::max), marks))
    }
}

/// The chase, once all load generators run: `n` times 64 loads, or until the others are done.
/// Returns its ns.
fn follow(
    chain: &Chain,
    at: &AtomicU64,
    progress: &Progress,
    others: usize,
    timing: Timing,
    n: u64,
) -> f64 {
    while progress.loading.load(Ordering::Acquire) < others {
        std::hint::spin_loop();
    }
    if timing == Timing::Chase && others > 0 {
        let loading = Moment::now();
        while Moment::now().since(loading) < SETTLE_NS {
            std::hint::spin_loop();
        }
    }
    let mut place = chain.start().with_addr(at.load(Ordering::Relaxed) as usize);
    let start = Moment::now();
    match timing {
        // SAFETY: `place` is a location in the chain, which lives as long as the grounds.
        Timing::Chase => place = unsafe { chase(place, n * CHASE_UNROLL) },
        Timing::Load => {
            while progress.loaded.load(Ordering::Acquire) < others {
                // SAFETY: as above.
                place = unsafe { chase(place, CHASE_UNROLL) };
            }
        }
    }
    let ns = Moment::now().since(start);
    progress.chased.store(true, Ordering::Release);
    at.store(place.addr() as u64, Ordering::Relaxed);
    ns
}

/// Reads `memory` cyclically, pausing after each piece: `n` pieces, or until the chase is done.
/// Returns its ns.
fn load(
    memory: &Buffer,
    shape: &Shape,
    delay: u64,
    progress: &Progress,
    timing: Timing,
    n: u64,
) -> f64 {
    let pieces = (memory.len() / PIECE) as u64;
    let mut read = 0;
    let start = Moment::now();
    progress.loading.fetch_add(1, Ordering::AcqRel);
    loop {
        let over = match timing {
            Timing::Chase => progress.chased.load(Ordering::Acquire),
            Timing::Load => read == n,
        };
        if over {
            break;
        }
        let at = memory
            .start()
            .wrapping_add((read % pieces) as usize * PIECE);
        // SAFETY: a piece of memory that was written and is used by this thread only.
        std::hint::black_box(unsafe { shape.run(std::ptr::null_mut(), at, PIECE, 1, 0) });
        read += 1;
        if delay > 0 {
            empty_loop(delay);
        }
    }
    let ns = Moment::now().since(start);
    progress.loaded.fetch_add(1, Ordering::AcqRel);
    ns
}
