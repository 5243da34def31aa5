//! Cache lines held by another CPU's cache: clean or modified.
#![allow(unsafe_code)]

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;

use whyslow_kernels::chase::{CHASE_UNROLL, chase};
use whyslow_kernels::flush;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant, shuffle};
use crate::buffer::{Buffer, Pages};
use crate::chain::Chain;
use crate::clock::Moment;
use crate::probe::{Bounds, CpuChoice, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::team::Team;

/// This family's probes.
pub const PROBES: &[Probe] = &[Probe {
    id: "mem.transfer",
    title: "line of another CPU",
    unit: Unit::Ns,
    better: Better::Lower,
    what: "Time of a load whose line is in another CPU's cache, clean or modified: the cost of reading another core's data.",
    how: "The other CPU writes 256 lines (modified), or writes them, flushes them to memory and reads them back (clean); then the first follows a random chain \
          through them, once. The lines are 256 bytes apart, so that adjacent-line prefetch has no effect.",
    needs: &["two CPUs"],
    params: &[
        ("state", "clean or modified"),
        (
            "cpus",
            "class of the two CPUs: smt, same-llc, cross-llc or cross-node",
        ),
    ],
    names: Names::NONE,
    roles: Roles::All(Role::CoreToCore),
    // 1 cycle: no cache answers faster.
    bounds: Bounds { fastest: 1.0 },
    usual_marks: &[],
    points,
    measure,
}];

/// Lines in the chain, a multiple of the chase's unrolling: 16 KiB of lines fit the smallest L1 in
/// use, and one traversal takes some 10 us, at least a thousand clock steps.
const LINES: u64 = 4 * CHASE_UNROLL;
/// Bytes between lines: two pairs of the largest lines in use.
const APART: usize = 256;
/// Offset in a line that the other CPU writes: after the pointer.
const BESIDE: usize = 8;

fn points(ctx: &PlanContext) -> Vec<Offer> {
    let classes: Vec<_> = ctx
        .placements
        .iter()
        .filter(|c| c.name != "same-cpu")
        .collect();
    if classes.is_empty() {
        return vec![
            (
                "mem.transfer".to_owned(),
                "needs two CPUs; one is allowed".to_owned(),
            )
                .into(),
        ];
    }
    let mut offers = Vec::new();
    for class in classes {
        for state in ["clean", "modified"] {
            let point = Point::new("mem.transfer")
                .with("state", state)
                .with("cpus", &class.name);
            offers.push(if state == "clean" && !flush::AVAILABLE {
                (
                    point.to_string(),
                    "user programs cannot flush lines on this architecture".to_owned(),
                )
                    .into()
            } else {
                Offer::Point(PointPlan {
                    cpus: CpuChoice::Pair(class.pairs.clone()),
                    extra: true,
                    suites: &["smp"],
                    ..PointPlan::new(point)
                })
            });
        }
    }
    offers
}

/// The lines, in a chain.
struct Lines {
    chain: Chain,
    starts: Vec<usize>,
}

// SAFETY: the pointers stay in the chain's own buffer, which moves with it. In a batch the two
// members alternate by `Turns`, so that only one touches the lines at a time.
unsafe impl Send for Lines {}
// SAFETY: as above.
unsafe impl Sync for Lines {}

fn measure(bench: &mut Bench) -> Result<(), Stop> {
    let clean = match bench.param("state")? {
        "clean" => true,
        "modified" => false,
        other => return Err(Stop::Unavailable(format!("state={other} is not known"))),
    };
    let team = Rc::new(Team::on(&bench.job.randomization.cpus)?);
    if team.len() != 2 {
        return Err(Stop::Unavailable("needs two CPUs".into()));
    }
    let members = team.clone();
    bench.label_with(move || members.label());
    for _ in 0..bench.job.draws {
        let mut starts: Vec<usize> = (0..LINES as usize).map(|i| i * APART).collect();
        shuffle(&mut starts, &mut bench.rng);
        let chain = Chain::over(
            Buffer::new(LINES as usize * APART, Pages::Small, 0)?,
            &starts,
        )?;
        let lines = Arc::new(Lines { chain, starts });
        bench.draw(&mut [Variant::new("", LINES as f64, |rounds| {
            let (turn, lines) = (AtomicU64::new(0), lines.clone());
            let (give, take) = channel();
            let (_, marks) = team.run(&[0, 1], move |me| {
                let mut ns = 0.0;
                for round in 0..rounds {
                    if me == 1 {
                        wait(&turn, 2 * round);
                        lines.take(clean);
                        turn.store(2 * round + 1, Ordering::Release);
                    } else {
                        wait(&turn, 2 * round + 1);
                        ns += lines.read();
                        turn.store(2 * round + 2, Ordering::Release);
                    }
                }
                if me == 0 {
                    // The receiver outlives the work and is the only one.
                    let _ = give.send(ns);
                }
            })?;
            let ns = take.try_iter().sum();
            Ok(Timed::Inside { ns, marks })
        })])?;
    }
    Ok(())
}

/// Spins until `turn` is `mine`.
fn wait(turn: &AtomicU64, mine: u64) {
    while turn.load(Ordering::Acquire) != mine {
        std::hint::spin_loop();
    }
}

impl Lines {
    /// Brings all lines into this CPU's cache only: modified or clean.
    fn take(&self, clean: bool) {
        let base = self.base();
        for &start in &self.starts {
            let at = base.wrapping_add(start + BESIDE).cast::<u64>();
            // SAFETY: inside the buffer, after the chain's pointer; it is this member's turn.
            unsafe { at.write_volatile(at.read_volatile().wrapping_add(1)) };
        }
        if clean {
            // SAFETY: the whole buffer, which is not modified meanwhile.
            flush::flush(unsafe { std::slice::from_raw_parts(base, LINES as usize * APART) });
            for &start in &self.starts {
                // SAFETY: as above.
                unsafe { base.wrapping_add(start).cast::<u64>().read_volatile() };
            }
        }
    }

    /// Traverses the chain once. Returns ns.
    fn read(&self) -> f64 {
        let start = Moment::now();
        // SAFETY: a location in the chain, and so is every successor.
        std::hint::black_box(unsafe { chase(self.chain.start(), LINES) });
        Moment::now().since(start)
    }

    /// First byte of the buffer: the chain begins at the first of the starts.
    fn base(&self) -> *mut u8 {
        let first = self.starts.first().copied().unwrap_or(0);
        self.chain.start().wrapping_sub(first).cast_mut()
    }
}
