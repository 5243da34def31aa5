//! Experiments: the same points under several conditions, in blocks that go through the conditions there
//! and back, each process fresh.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;
use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use whyslow_host::HostRoot;
use whyslow_model::experiment::{Trial, TrialValue};
use whyslow_model::glob::Globs;
use whyslow_model::job::Answer;
use whyslow_model::record::{
    ClockFacts, Estimator, Frames, Header, Line, Outcome, Process, Randomization, Record,
};
use whyslow_model::{Better, Point, Unit};
use whyslow_probes::bench::shuffle;
use whyslow_probes::{PlanContext, PointPlan, clock};

use crate::context::context;
use crate::jobs::{Wish, job};
use crate::plan::{Selection, work};
use crate::request::{Request, RunError};
use crate::scratch::Scratch;
use crate::spawn;
use crate::under::{look_around, under};
use crate::workers::Workers;

/// What an experiment does.
#[derive(Debug, Clone)]
pub struct TrialPlan {
    /// The points, each with how it is measured in every arm.
    pub points: Vec<TrialPoint>,
    /// The arms in the order in which a block goes through them and back; each a list of conditions.
    pub arms: Vec<Vec<String>>,
    /// Arms whose surroundings are looked at in the first and the last block.
    pub sensed: Vec<usize>,
    /// Blocks.
    pub blocks: u32,
    /// Does all pinned work run on the first usable CPU, as the neighbors of some conditions need?
    pub first_cpu: bool,
    /// Draws of each process, the same in all arms.
    pub draws: u32,
    /// Length of a batch, ns, where that of the points does not do.
    pub batch_ns: Option<f64>,
}

/// A point of an experiment.
#[derive(Debug, Clone)]
pub struct TrialPoint {
    /// The point that stands for it.
    pub point: Point,
    /// What is measured in each arm; nothing where an arm does without it.
    pub arms: Vec<Option<Point>>,
}

/// Progress of an experiment.
#[derive(Debug)]
pub struct TrialStep<'a> {
    /// Processes that have ended.
    pub done: usize,
    /// Processes in all.
    pub total: usize,
    /// What is measured next.
    pub next: &'a Point,
}

/// A look around that takes longer than this hangs: it spins for a quarter of a second, which a quota
/// may make twenty times as long.
const LOOK: Duration = Duration::from_secs(10);

/// Blocks that an experiment needs at least: two have no interval worth the name.
pub const LEAST_BLOCKS: u32 = 3;

/// Measures what `plan` says, or the whole blocks of it that were done when the user stopped it, where
/// they are [`LEAST_BLOCKS`]. `request` gives the worker, the seed, the patience and the wish to stop.
///
/// # Errors
/// When no worker can be started, the clock not be measured, a point is none here, or the user stopped it
/// before that.
pub fn trial(
    plan: &TrialPlan,
    request: &Request,
    on: &mut dyn FnMut(TrialStep<'_>),
) -> Result<Trial, RunError> {
    let mut session = TrialSession::begin(plan, request)?;
    session.measure(on)?;
    Ok(session.trial)
}

struct TrialSession<'a> {
    plan: &'a TrialPlan,
    request: &'a Request,
    context: PlanContext,
    clock: ClockFacts,
    plans: BTreeMap<Point, (PointPlan, Selection)>,
    /// By point and arm: a call that a tracer stops takes a hundred times as long, and with the count of
    /// those that it does not, so would a batch.
    workers: Workers<'a, (Point, usize)>,
    scratch: BTreeMap<Option<String>, Scratch>,
    rng: Xoshiro256PlusPlus,
    trial: Trial,
    /// For processes whose pages were placed by color: the arm, and how crowded the colors were.
    crowded: Vec<(usize, f64)>,
    /// Processes that brought no value: how many of each point and kind of reason, and the first reason.
    failed: BTreeMap<(Point, String), (u32, String)>,
}

impl<'a> TrialSession<'a> {
    fn begin(plan: &'a TrialPlan, request: &'a Request) -> Result<Self, RunError> {
        let root = HostRoot::live();
        let here = std::env::current_dir().unwrap_or_else(|_| "/".into());
        let state = root.state(&here, &std::env::temp_dir());
        let mut context = context(&root.facts(), &state, request.intensity);
        if plan.first_cpu {
            context.cpus.truncate(1);
        }
        let mut plans = BTreeMap::new();
        let wanted = plan.points.iter().flat_map(|p| &p.arms).flatten();
        for point in wanted {
            plans.insert(point.clone(), planned(&context, point)?);
        }
        Ok(TrialSession {
            plan,
            request,
            context,
            clock: clock::measure().map_err(|e| RunError::Nothing(e.to_string()))?,
            plans,
            workers: Workers::new(request),
            scratch: BTreeMap::new(),
            rng: Xoshiro256PlusPlus::seed_from_u64(request.seed),
            trial: Trial::default(),
            crowded: Vec::new(),
            failed: BTreeMap::new(),
        })
    }

    fn measure(&mut self, on: &mut dyn FnMut(TrialStep<'_>)) -> Result<(), RunError> {
        let plan = self.plan;
        for block in 0..plan.blocks {
            if block == 0 || block + 1 == plan.blocks {
                self.look_at_arms()?;
            }
            match self.block(block, on) {
                Ok(()) => self.trial.blocks = block + 1,
                Err(error) if !self.workers.stopped() => return Err(error),
                // A worker that the signal reached first reports something else.
                Err(_) if block < LEAST_BLOCKS => return Err(RunError::Stopped),
                Err(_) => {
                    self.trial.values.retain(|v| v.block < block);
                    let text = format!("stopped after {block} of {} blocks", plan.blocks);
                    self.trial.trouble.push(text);
                    self.look_at_arms()?;
                    break;
                }
            }
        }
        for ((point, _), (times, first)) in &self.failed {
            self.trial.trouble.push(match times {
                1 => format!("a process of {point} brought no value: {first}"),
                n => format!("{n} processes of {point} brought no value, the first: {first}"),
            });
        }
        for (arm, sensed) in &mut self.trial.sensed {
            let of_arm = self.crowded.iter().filter(|(a, _)| a == arm);
            let shares: Vec<f64> = of_arm.map(|(_, share)| *share).collect();
            if !shares.is_empty() {
                let mean = shares.iter().sum::<f64>() / shares.len() as f64;
                sensed.tried.crowded = Some(mean);
            }
        }
        Ok(())
    }

    /// One block: every point through the arms, there and back.
    fn block(&mut self, block: u32, on: &mut dyn FnMut(TrialStep<'_>)) -> Result<(), RunError> {
        let plan = self.plan;
        let there: Vec<usize> = (0..plan.arms.len()).collect();
        let places: Vec<usize> = there.iter().chain(there.iter().rev()).copied().collect();
        let processes = plan.points.len() * places.len();
        let mut done = processes * block as usize;
        // Every point goes through the arms by itself, so that its processes lie close together.
        let mut order: Vec<&TrialPoint> = plan.points.iter().collect();
        shuffle(&mut order, &mut self.rng);
        for point in order {
            for (place, &arm) in places.iter().enumerate() {
                on(TrialStep {
                    done,
                    total: processes * plan.blocks as usize,
                    next: &point.point,
                });
                if let Some(measured) = &point.arms[arm]
                    && let Some(value) = self.process(measured, arm)?
                {
                    self.trial.values.push(TrialValue {
                        point: point.point.clone(),
                        block,
                        place: place as u32,
                        arm,
                        value,
                        unit: unit(&point.point),
                        worse: worse(&point.point, value),
                    });
                }
                done += 1;
            }
        }
        Ok(())
    }

    /// One worker of an arm; nothing when it brought no value, which is noted.
    fn process(&mut self, point: &Point, arm: usize) -> Result<Option<f64>, RunError> {
        if self.workers.stopped() {
            return Err(RunError::Stopped);
        }
        let (plan, _) = &self.plans[point];
        let plan = plan.clone();
        let scratch = match plan.scratch {
            true => Some(self.scratch_of(arm)?),
            false => None,
        };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.rng.next_u64());
        let wish = Wish {
            draws: self.plan.draws,
            samples: plan.samples,
            batch_ns: self.plan.batch_ns.unwrap_or(plan.batch_ns),
            only_series: &[],
            scratch: scratch.as_deref(),
            fault: None,
        };
        let job = job(&self.context, self.clock, &plan, &mut rng, wish);
        let worker = under(&self.request.worker, &self.plan.arms[arm]);
        let of = (point.clone(), arm);
        let ran = self.workers.run(&worker, &of, job, Duration::ZERO, None);
        let answer = match ran.end? {
            spawn::WorkerEnd::Answer(answer) => *answer,
            spawn::WorkerEnd::Stopped | spawn::WorkerEnd::OutOfTime(_) => {
                return Err(RunError::Stopped);
            }
        };
        self.workers.learn(&of, &answer);
        match answer {
            Answer::Measured(measured) => {
                // Frame numbers may mean nothing; colors found by timing do.
                if let Some("colored" | "moved") = point.get("pages") {
                    let frames = measured.draws.iter().filter_map(|d| d.frames.as_ref());
                    self.crowded
                        .extend(frames.filter_map(crowded).map(|share| (arm, share)));
                }
                Ok(self.value(point, ran.randomization, Outcome::Draws(measured.draws)))
            }
            Answer::Failed(failure) => {
                let kind = (point.clone(), kind_of(&failure.why));
                let (times, _) = self.failed.entry(kind).or_insert((0, failure.why));
                *times += 1;
                Ok(None)
            }
        }
    }

    /// The value of one process, by the rules of records.
    fn value(&self, point: &Point, randomization: Randomization, outcome: Outcome) -> Option<f64> {
        let mut record = Record::new(self.header());
        let (_, work) = &self.plans[point];
        let mut plan = work.declared(1, &self.context);
        for planned in &mut plan.points {
            // Conditions may disturb some batches and not others, which the fast ones would not show.
            planned.estimator = Estimator::Middle;
        }
        record.add(Line::Plan(plan));
        record.add(Line::Process(Box::new(Process {
            round: 1,
            order: 0,
            point: point.clone(),
            at_ms: 0.0,
            wall_ms: 0.0,
            randomization,
            ghz: None,
            slots: None,
            outcome,
        })));
        let found = whyslow_stats::record::values(&record);
        // Classes of CPUs are no matter here: what the scheduler does is part of an arm.
        let logs: Vec<f64> = found
            .iter()
            .filter_map(|v| v.processes.first())
            .map(|p| p.value.ln())
            .filter(|log| log.is_finite())
            .collect();
        (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
    }

    fn header(&self) -> Header {
        Header {
            schema: whyslow_model::record::SCHEMA,
            version: self.request.version.clone(),
            build: self.request.build.clone(),
            seed: self.request.seed,
            intensity: self.request.intensity.name().to_owned(),
            rounds: 1,
            fill: false,
            budget_s: None,
            only: String::new(),
            suite: String::new(),
            copies: Vec::new(),
            against: String::new(),
            started: String::new(),
        }
    }

    /// The folder for files of an arm: where its conditions say, else where runs have it.
    fn scratch_of(&mut self, arm: usize) -> Result<PathBuf, RunError> {
        let said = self.plan.arms[arm]
            .iter()
            .find_map(|c| c.strip_prefix("scratch="))
            .map(str::to_owned);
        let scratch = match self.scratch.entry(said) {
            Entry::Occupied(made) => made.into_mut(),
            Entry::Vacant(place) => {
                let made = match place.key() {
                    Some(folder) => Scratch::make_in(folder.as_ref()),
                    None => Scratch::make(),
                };
                place.insert(made.map_err(RunError::Scratch)?)
            }
        };
        Ok(scratch.path().to_owned())
    }

    /// What a process of each arm that is to be looked at sees.
    fn look_at_arms(&mut self) -> Result<(), RunError> {
        for &arm in &self.plan.sensed {
            let saw = look_around(&self.request.worker, &self.plan.arms[arm], LOOK)?;
            self.trial.sensed.push((arm, saw));
        }
        Ok(())
    }
}

/// A reason without its numbers, which differ each time.
fn kind_of(why: &str) -> String {
    why.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// The share of pages that are beyond an even part for their color; nothing where there are no pages.
fn crowded(frames: &Frames) -> Option<f64> {
    let pages: u32 = frames.by_color.iter().sum();
    if pages == 0 {
        return None;
    }
    // A page more than an even part that is no whole number is not crowding.
    let even = (f64::from(pages) / frames.by_color.len() as f64).ceil();
    let beyond: f64 = frames
        .by_color
        .iter()
        .map(|&n| (f64::from(n) - even).max(0.0))
        .sum();
    Some(beyond / f64::from(pages))
}

/// The unit of a point.
fn unit(point: &Point) -> Unit {
    whyslow_probes::probe(&point.probe).map_or(Unit::Ns, |probe| probe.unit)
}

/// The logarithm of a value, its sign turned where more is better.
fn worse(point: &Point, value: f64) -> f64 {
    let better = whyslow_probes::probe(&point.probe).map(|probe| probe.better);
    match better {
        Some(Better::Higher) => -value.ln(),
        Some(Better::Lower | Better::Unsaid) | None => value.ln(),
    }
}

/// How to measure `point` here.
fn planned(context: &PlanContext, point: &Point) -> Result<(PointPlan, Selection), RunError> {
    let text = point.to_string();
    let work = work(context, &Globs::parse(&text), None, &[]);
    match work.points.first() {
        Some(plan) => Ok((plan.clone(), work)),
        None => Err(RunError::Nothing(match work.skipped.first() {
            Some(skipped) => format!("{text}: {}", skipped.why),
            None => format!("{text}: this host has no such point"),
        })),
    }
}
