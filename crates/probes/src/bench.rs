//! The harness: calibrates, times batches, reads counters around each, and guards every value.

mod calibrate;
mod draw;
mod settle;

use std::collections::BTreeMap;
use std::rc::Rc;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use whyslow_model::Unit;
use whyslow_model::job::{Job, Measured};
use whyslow_model::record::{ClockFacts, Frames, MarkKind, Note};

use crate::buffer::Buffer;
use crate::clock::{self, Core, Moment};
use crate::copies::Meeting;
use crate::guard::Bounds;
use crate::marks::{Happened, Reading, Watch, between};
use crate::smt_monitor::SmtMonitor;
use crate::stop::Stop;
use crate::team::{Around, Team, Worked};
use crate::{frames, guard, pin};
pub(crate) use settle::{PRIVATE, Settling};

/// One variant of the work, interleaved with the other variants of its point.
pub struct Variant<'a> {
    /// Its name; empty for a single variant.
    pub name: String,
    /// Work in one iteration: operations, bytes or cycles, as the probe's unit has it.
    pub work: f64,
    /// Port limit in bytes per cycle and thread, where the unit is bytes.
    pub bytes_per_cycle: Option<u32>,
    /// Does the given number of iterations; a team also gets the steps to take around the work.
    run: Box<dyn FnMut(u64, Around) -> Result<Timed, Stop> + 'a>,
}

impl<'a> Variant<'a> {
    /// A variant with `work` operations per iteration.
    pub fn new(
        name: &str,
        work: f64,
        mut run: impl FnMut(u64) -> Result<Timed, Stop> + 'a,
    ) -> Self {
        Variant::by_team(name, work, move |iterations, _| run(iterations))
    }

    /// The same, done by the team of [`Bench::work_of`] with the given steps around the work.
    pub fn by_team(
        name: &str,
        work: f64,
        run: impl FnMut(u64, Around) -> Result<Timed, Stop> + 'a,
    ) -> Self {
        Variant {
            name: name.to_owned(),
            work,
            bytes_per_cycle: None,
            run: Box::new(run),
        }
    }
}

/// What timed a batch.
#[derive(Debug)]
pub enum Timed {
    /// The harness, around the call.
    Outside,
    /// The work itself, in other threads or processes.
    Inside {
        /// Elapsed ns.
        ns: f64,
        /// Events on the threads that did it.
        marks: Happened,
    },
    /// A team.
    ByTeam(Worked),
}

/// A timed run of a variant.
struct Run {
    timed: Timed,
    /// Elapsed around it, ns.
    ns: f64,
    before: Reading,
    after: Reading,
}

/// One worker's measurement.
pub struct Bench<'j> {
    /// What to measure.
    pub job: &'j Job,
    /// Properties of the clock.
    pub clock: ClockFacts,
    /// Random number generator of this process.
    pub rng: Xoshiro256PlusPlus,
    /// Concurrent threads.
    pub threads: usize,
    bounds: Bounds,
    unit: Unit,
    watch: Watch,
    /// State of the core before the first batch.
    core_before: Core,
    /// Frames of the next draw.
    frames: Option<Frames>,
    measured: Measured,
    /// Counts of iterations that earlier processes found, until a batch proves too short.
    given: &'j BTreeMap<String, u64>,
    handover: Option<Box<dyn FnMut() -> Result<f64, Stop> + 'j>>,
    /// The team that does the work, and labels it if it has several members.
    team: Option<Rc<Team>>,
    /// Watches the core of the single CPU used, or the cores of a team.
    core: Option<SmtMonitor<'j>>,
    /// The other copies that measure concurrently.
    meeting: Option<Meeting>,
    /// Used only for the order of variants, so that all copies use the same order.
    order: Xoshiro256PlusPlus,
}

impl std::fmt::Debug for Bench<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bench")
            .field("job", self.job)
            .finish_non_exhaustive()
    }
}

/// A calibration run below this share of the wanted batch length grows further.
const NEAR_ENOUGH: f64 = 0.9;

/// A defect reproduces every time; interruptions of exactly this length do not occur five times.
const TRIES_OF_INTERRUPTED: u32 = 5;

impl<'j> Bench<'j> {
    /// Prepares to measure `job`, pinned as it says, with values of `unit` checked against
    /// `bounds`.
    ///
    /// # Errors
    /// When the clock is too coarse or the CPU is not available.
    pub fn new(job: &'j Job, bounds: Bounds, unit: Unit) -> Result<Bench<'j>, Stop> {
        if let Some(&cpu) = job.randomization.cpus.first() {
            pin::to(cpu)?;
        }
        let mut clock = match job.clock {
            Some(clock) => clock,
            None => clock::measure()?,
        };
        clock::check(&clock)?;
        // Measured on this core now: boost differs between cores and over time.
        clock::wake();
        let core_before = Core::now();
        clock.ghz = clock.ghz.max(core_before.ghz);
        let (watch, missing) = Watch::open();
        Ok(Bench {
            job,
            clock,
            rng: Xoshiro256PlusPlus::seed_from_u64(job.randomization.seed),
            threads: 1,
            bounds,
            unit,
            watch,
            core_before,
            frames: None,
            measured: Measured {
                notes: missing
                    .into_iter()
                    .map(|text| note("counters", text))
                    .collect(),
                ..Measured::default()
            },
            given: &job.iterations,
            handover: None,
            team: None,
            core: (job.copy.is_none() && one_cpu(&job.randomization.cpus))
                .then(|| SmtMonitor::here(&clock))
                .flatten(),
            meeting: job.copy.map(Meeting::join).transpose()?,
            order: Xoshiro256PlusPlus::seed_from_u64(!job.randomization.seed),
        })
    }

    /// The parameter `name` of the point.
    ///
    /// # Errors
    /// When the point lacks it.
    pub fn param(&self, name: &str) -> Result<&'j str, Stop> {
        self.job
            .point
            .get(name)
            .ok_or_else(|| Stop::Unavailable(format!("the point lacks the parameter '{name}'")))
    }

    /// Bytes in the working set.
    ///
    /// # Errors
    /// When the job lacks it.
    pub fn size(&self) -> Result<usize, Stop> {
        self.job
            .size_bytes
            .map(|s| s as usize)
            .ok_or_else(|| Stop::Unavailable("the job lacks the size of the working set".into()))
    }

    /// From now on measures the core-to-core latency before and after every batch.
    pub fn label_with(&mut self, handover: impl FnMut() -> Result<f64, Stop> + 'j) {
        self.handover = Some(Box::new(handover));
    }

    /// All members of `team` do the work at once. With several members, each batch is labeled with their
    /// core-to-core latency, and the core of each is checked for a busy SMT sibling.
    pub fn work_of(&mut self, team: &Rc<Team>) {
        self.threads = team.len();
        self.team = Some(team.clone());
        if team.len() > 1 && self.job.copy.is_none() {
            self.core = SmtMonitor::of(&self.clock, team.clone());
        }
    }

    /// Adds a note for the reader of the numbers.
    pub fn note(&mut self, text: impl Into<String>) {
        let about = self.job.point.to_string();
        self.measured.notes.push(note(&about, text));
    }

    /// The next draw uses this memory. Records its frames by color, if placed by color or shown by the
    /// kernel.
    pub fn lies_on(&mut self, buffer: &Buffer) {
        if let Some(placed) = buffer.by_color() {
            frames::add(&mut self.frames, Some(frames::placed(placed)));
        } else if let Some(colors) = self.job.colors {
            frames::add(&mut self.frames, frames::by_color(buffer, colors));
        }
    }

    /// A batch accepted by the guards, with its labels if several members did the work.
    fn labelled(&mut self, variant: &mut Variant<'_>, iterations: u64) -> Result<Worked, Stop> {
        let members = self.team.as_ref().map_or(0, |team| team.len());
        let around = Around {
            label: members > 1,
            warm: self.team_warm_up(iterations),
        };
        let batch = self.believed(variant, iterations, around)?;
        if around.label && batch.labels.is_none() {
            return Err(Stop::Unavailable(
                "a batch did not use every thread of its team".into(),
            ));
        }
        Ok(batch)
    }

    /// Times a run of `variant`, with readings of the counters around it.
    fn timed(
        &mut self,
        variant: &mut Variant<'_>,
        iterations: u64,
        around: Around,
    ) -> Result<Run, Stop> {
        let before = self.watch.read();
        let start = Moment::now();
        let timed = (variant.run)(iterations, around)?;
        let end = Moment::now();
        let after = self.watch.read();
        Ok(Run {
            timed,
            ns: end.since(start),
            before,
            after,
        })
    }

    /// One timed batch with its events.
    fn batch(
        &mut self,
        variant: &mut Variant<'_>,
        iterations: u64,
        around: Around,
    ) -> Result<Worked, Stop> {
        let run = self.timed(variant, iterations, around)?;
        let mut marks = between(&run.before, &run.after);
        let inside = match run.timed {
            Timed::Outside => {
                return Ok(Worked {
                    ns: run.ns,
                    marks,
                    labels: None,
                });
            }
            Timed::Inside { ns, marks } => Worked {
                ns,
                marks,
                labels: None,
            },
            Timed::ByTeam(worked) => worked,
        };
        // The waiting thread is switched out and delayed by the wait itself.
        marks.retain(|(what, _)| *what == MarkKind::StealTicks);
        marks.extend(inside.marks);
        Ok(Worked { marks, ..inside })
    }

    /// Ns of a bare batch.
    fn ns_of(&mut self, variant: &mut Variant<'_>, iterations: u64) -> Result<f64, Stop> {
        Ok(self.batch(variant, iterations, Around::default())?.ns)
    }

    /// A batch accepted by the guards. A refused one is repeated if an interruption can explain it (an
    /// interruption of the subtracted part may exceed the rest), or a core that runs faster than when its clock was read.
    fn believed(
        &mut self,
        variant: &mut Variant<'_>,
        iterations: u64,
        around: Around,
    ) -> Result<Worked, Stop> {
        let mut tries = 1;
        loop {
            let batch = self.batch(variant, iterations, around)?;
            let interrupted = batch.ns <= 0.0 || !batch.marks.is_empty();
            match self.believe(variant, iterations, batch.ns) {
                Ok(()) => return Ok(batch),
                Err(why) if tries == TRIES_OF_INTERRUPTED => return Err(why),
                Err(_) if interrupted || self.sped_up() => tries += 1,
                Err(why) => return Err(why),
            }
        }
    }

    /// Reads the clock of the core again; true if it runs faster than it did.
    fn sped_up(&mut self) -> bool {
        let ghz = clock::ghz();
        let faster = ghz > self.clock.ghz;
        self.clock.ghz = self.clock.ghz.max(ghz);
        faster
    }

    /// Refuses an impossible batch.
    fn believe(&self, variant: &Variant<'_>, iterations: u64, ns: f64) -> Result<(), Stop> {
        guard::batch_long_enough(ns, self.clock.resolution_ns * NEAR_ENOUGH / 2.0)?;
        let value = self.unit.value(variant.work * iterations as f64, ns);
        guard::believable(value, self.unit, &self.bounds, self.clock.ghz)?;
        match variant.bytes_per_cycle {
            Some(bytes) => guard::port_limit(value, bytes, self.clock.ghz, self.threads),
            None => Ok(()),
        }
    }

    fn slots_now(&mut self) -> Result<Option<f64>, Stop> {
        self.core.as_mut().map(SmtMonitor::look).transpose()
    }

    fn handover_now(&mut self) -> Result<Option<f64>, Stop> {
        self.handover.as_mut().map(|measure| measure()).transpose()
    }

    /// The result.
    pub fn finish(mut self) -> Measured {
        if let Some(meeting) = &self.meeting {
            // A copy that leaves ends the barrier for all, so all wait until every copy is done.
            // The result is already complete, so a failure here changes nothing.
            let _ = meeting.wait();
        }
        let (before, after) = (self.core_before, Core::now());
        self.measured.ghz = Some([before.ghz, after.ghz]);
        let slots = [before.slots, after.slots];
        self.measured.slots = Some(slots).filter(|pair| pair.iter().all(|s| s.is_finite()));
        self.measured
    }
}

/// True if the list names exactly one CPU, possibly repeated.
fn one_cpu(cpus: &[u32]) -> bool {
    cpus.first()
        .is_some_and(|first| cpus.iter().all(|cpu| cpu == first))
}

fn note(about: &str, text: impl Into<String>) -> Note {
    Note {
        about: about.to_owned(),
        text: text.into(),
    }
}

/// Fisher-Yates.
pub fn shuffle<T>(items: &mut [T], rng: &mut impl Rng) {
    for i in (1..items.len()).rev() {
        items.swap(i, below(rng, i as u64 + 1) as usize);
    }
}

/// A number below `limit`, by multiplication; the bias is under limit / 2^64.
pub fn below(rng: &mut impl Rng, limit: u64) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(limit)) >> 64) as u64
}
