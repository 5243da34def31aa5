//! Experiments: the same points under several conditions, in blocks that go through the conditions there
//! and back, each process fresh.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use whyslow_host::HostRoot;
use whyslow_model::experiment::{Sensed, Trial, TrialValue};
use whyslow_model::glob::Globs;
use whyslow_model::job::{Answer, Job};
use whyslow_model::record::{
    ClockFacts, Frames, Header, Line, Luck, Outcome, Plan, Process, Record,
};
use whyslow_model::{Better, Point, Unit};
use whyslow_probes::bench::shuffle;
use whyslow_probes::{PlanContext, PointPlan, clock};

use crate::context::context;
use crate::plan::{Work, work};
use crate::request::{Request, RunError, WorkerCommand};
use crate::scratch::Scratch;
use crate::{luck, spawn};

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
    let mut session = Session::begin(plan, request)?;
    session.measure(on)?;
    Ok(session.trial)
}

struct Session<'a> {
    plan: &'a TrialPlan,
    request: &'a Request,
    context: PlanContext,
    clock: ClockFacts,
    plans: BTreeMap<Point, (PointPlan, Work)>,
    /// By point and arm: a call that a tracer stops takes a hundred times as long, and with the count of
    /// those that it does not, so would a batch.
    iterations: BTreeMap<(Point, usize), BTreeMap<String, u64>>,
    scratch: BTreeMap<Option<String>, Scratch>,
    rng: Xoshiro256PlusPlus,
    trial: Trial,
    /// For processes whose pages were placed by color: the arm, and how crowded the colors were.
    crowded: Vec<(usize, f64)>,
    /// Processes that brought no value: how many of each point and kind of reason, and the first reason.
    failed: BTreeMap<(Point, String), (u32, String)>,
}

impl<'a> Session<'a> {
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
        Ok(Session {
            plan,
            request,
            context,
            clock: clock::measure().map_err(|e| RunError::Nothing(e.to_string()))?,
            plans,
            iterations: BTreeMap::new(),
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
                Err(error) if !self.stopped() => return Err(error),
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

    fn stopped(&self) -> bool {
        self.request.stop.load(Ordering::Relaxed)
    }

    /// One worker of an arm; nothing when it brought no value, which is noted.
    fn process(&mut self, point: &Point, arm: usize) -> Result<Option<f64>, RunError> {
        if self.stopped() {
            return Err(RunError::Stopped);
        }
        let conditions = &self.plan.arms[arm];
        let counted = (point.clone(), arm);
        let (plan, _) = &self.plans[point];
        let (wants_scratch, plan) = (plan.scratch, plan.clone());
        let scratch = if wants_scratch {
            self.scratch_of(arm)?
        } else {
            None
        };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.rng.next_u64());
        let job = Job {
            point: point.clone(),
            luck: luck::draw(&mut rng, &plan.cpus, &self.context.cpus),
            draws: self.plan.draws,
            samples: plan.samples,
            batch_ns: self.plan.batch_ns.unwrap_or(plan.batch_ns),
            iterations: self.iterations.get(&counted).cloned().unwrap_or_default(),
            clock: Some(self.clock),
            size_bytes: plan.size_bytes,
            llc_bytes: self.context.llc_bytes,
            line_bytes: self.context.line_bytes,
            colors: self.context.colors,
            scratch,
            copy: None,
            fault: None,
        };
        let worker = under(&self.request.worker, conditions);
        let limits = spawn::Limits {
            patience: self.request.patience,
            until: None,
        };
        let answer = match spawn::run(&worker, &job, limits, &self.request.stop) {
            Ok(spawn::End::Answer(answer)) => *answer,
            Ok(spawn::End::Stopped | spawn::End::OutOfTime(_)) => return Err(RunError::Stopped),
            Err(why) => return Err(RunError::Worker(why)),
        };
        match answer {
            Answer::Measured(measured) => {
                // The count that the first process of an arm found is that of all its others.
                self.iterations
                    .entry(counted)
                    .or_insert(measured.iterations);
                // Frame numbers may mean nothing; colors found by timing do.
                if let Some("colored" | "moved") = point.get("pages") {
                    let frames = measured.draws.iter().filter_map(|d| d.frames.as_ref());
                    self.crowded
                        .extend(frames.filter_map(crowded).map(|share| (arm, share)));
                }
                Ok(self.value(point, job.luck, Outcome::Draws(measured.draws)))
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
    fn value(&self, point: &Point, luck: Luck, outcome: Outcome) -> Option<f64> {
        let mut record = Record::new(self.header());
        let (_, work) = &self.plans[point];
        record.add(Line::Plan(Plan {
            rounds: 1,
            ..work.declared(1)
        }));
        record.add(Line::Process(Box::new(Process {
            round: 1,
            order: 0,
            point: point.clone(),
            at_ms: 0.0,
            wall_ms: 0.0,
            luck,
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
            budget_s: None,
            only: String::new(),
            suite: String::new(),
            copies: Vec::new(),
            started: String::new(),
        }
    }

    /// The folder for files of an arm: where its conditions say, else where runs have it.
    fn scratch_of(&mut self, arm: usize) -> Result<Option<String>, RunError> {
        let said = self.plan.arms[arm]
            .iter()
            .find_map(|c| c.strip_prefix("scratch="))
            .map(str::to_owned);
        if !self.scratch.contains_key(&said) {
            let made = match &said {
                Some(folder) => Scratch::make_in(folder.as_ref()),
                None => Scratch::make(),
            };
            let made =
                made.map_err(|why| RunError::Nothing(format!("no temporary folder: {why}")))?;
            self.scratch.insert(said.clone(), made);
        }
        Ok(self
            .scratch
            .get(&said)
            .map(|s| s.path().display().to_string()))
    }

    /// What a process of each arm that is to be looked at sees.
    fn look_at_arms(&mut self) -> Result<(), RunError> {
        for &arm in &self.plan.sensed {
            let saw = look_around(&self.request.worker, &self.plan.arms[arm], LOOK);
            self.trial
                .sensed
                .push((arm, saw.map_err(RunError::Nothing)?));
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
        Some(Better::Lower) | None => value.ln(),
    }
}

/// How to measure `point` here.
fn planned(context: &PlanContext, point: &Point) -> Result<(PointPlan, Work), RunError> {
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

/// `worker` under `conditions`.
fn under(worker: &WorkerCommand, conditions: &[String]) -> WorkerCommand {
    if conditions.is_empty() {
        return worker.clone();
    }
    let parent = format!("child-of={}", std::process::id());
    let mut args: Vec<OsString> = vec![UNDER.into(), parent.into()];
    args.extend(conditions.iter().map(OsString::from));
    args.extend(["--".into(), worker.program.clone().into_os_string()]);
    args.extend(worker.args.iter().cloned());
    WorkerCommand {
        program: worker.program.clone(),
        args,
        faults: Vec::new(),
    }
}

/// The hidden command that puts a process under conditions.
pub const UNDER: &str = "__under";

/// The hidden command that says what a process sees.
pub const SENSE: &str = "__sense";

/// What a process under `conditions` sees of its surroundings; or why there can be none.
///
/// # Errors
/// When it cannot be put under them, in the words of the condition.
pub fn look_around(
    worker: &WorkerCommand,
    conditions: &[String],
    patience: Duration,
) -> Result<Sensed, String> {
    let look = WorkerCommand {
        args: vec![SENSE.into()],
        ..worker.clone()
    };
    let look = under(&look, conditions);
    let failed = |e: std::io::Error| format!("{}: {e}", look.program.display());
    let mut child = Command::new(&look.program)
        .args(&look.args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    spawn::wait_at_most(&mut child, patience);
    let said = child.wait_with_output().map_err(failed)?;
    serde_json::from_slice(&said.stdout).map_err(|_| {
        let error = String::from_utf8_lossy(&said.stderr);
        let last = error.lines().rfind(|l| !l.trim().is_empty());
        let last = last.map_or("it ended without a word", |l| {
            l.trim().trim_start_matches("whyslow: ")
        });
        last.to_owned()
    })
}
