//! A run from its first line to its last.

mod fill;
mod looks;
mod pace;
mod scout;
mod start;

use std::env;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use whyslow_host::HostRoot;
use whyslow_model::Point;
use whyslow_model::host::Host;
use whyslow_model::job::Answer;
use whyslow_model::record::{
    Calibration, ClockFacts, End, Failure, FailureKind, Line, Outcome, Process, Randomization,
    Record, ValueRule,
};
use whyslow_model::store::Journal;
use whyslow_probes::{PlanContext, PointPlan, clock};

use crate::book::{Book, Survey, Tell};
use crate::context::context;
use crate::event::Event;
use crate::failures::not_again;
use crate::jobs::{Wish, job};
use crate::open::{Opened, as_begun, open};
use crate::plan::{idle, work};
use crate::randomization::Turn;
use crate::request::{Finished, Request, RunError, Target};
use crate::rounds::Costs;
use crate::scratch::Scratch;
use crate::workers::Workers;
use crate::{levels, randomization, spawn};

/// A pass of the scout: one draw of few samples shows a latency.
const SCOUT_DRAWS: u32 = 1;
const SCOUT_SAMPLES: u32 = 3;

/// Measures what `request` asks for, and keeps it.
///
/// # Errors
/// When the run cannot begin. What goes wrong later is part of what it brings.
pub fn run(request: &Request, on: &mut dyn FnMut(Event<'_>)) -> Result<Finished, RunError> {
    let started = Instant::now();
    on(Event::Begun {
        what: "reading the host",
    });
    let root = HostRoot::live();
    let host = root.facts();
    if !matches!(request.target, Target::Resume(_)) {
        selects(request, &root, &host)?;
    }
    let (journal, record, opened) = open(request, &host)?;
    let request = match opened {
        Opened::Resumed => as_begun(request, &record.header),
        Opened::Created | Opened::InMemory => request.clone(),
    };
    let begun = Begun {
        started,
        journal,
        record,
        opened,
    };
    let mut session = RunSession::begin(&request, on, &root, host, begun);
    let end = match session.measure() {
        Ok(end) => end,
        Err(error) if session.book.record.processes.is_empty() => {
            session.book.discard(opened);
            return Err(error);
        }
        // What was measured before is kept.
        Err(error) => {
            let text = error.to_string();
            session.book.tell(Event::Warning(&text));
            session.book.note("run", format!("ended early: {text}"));
            End::Interrupted
        }
    };
    Ok(session.book.finish(end, &request.target))
}

/// Refuses globs of which one selects nothing here, before there is anything of a record.
fn selects(request: &Request, root: &HostRoot, host: &Host) -> Result<(), RunError> {
    // What a record has and this host has not is left out, and no mistake.
    if request.only.is_empty() || request.against.is_some() {
        return Ok(());
    }
    let here = env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let state = root.state(&here, &env::temp_dir());
    let context = context(host, &state, request.intensity);
    match idle(&context, &request.only, request.suite.as_deref()) {
        Some(what) => Err(RunError::Nothing(what)),
        None => Ok(()),
    }
}

/// The record of a run, as it was opened.
struct Begun {
    started: Instant,
    journal: Journal,
    record: Record,
    opened: Opened,
}

/// A run under way.
struct RunSession<'a> {
    request: &'a Request,
    /// When the command began: the survey of the host is part of a budget.
    started: Instant,
    /// What the survey took, which closing the record does once more.
    closing: Duration,
    /// What an interrupted run had used of the clock when it was resumed, ms.
    before_ms: f64,
    book: Book<'a>,
    context: PlanContext,
    scratch: Option<Scratch>,
    workers: Workers<'a, Point>,
    costs: Costs,
    /// Does other work take so much of the CPUs that the time is for the sections?
    crowded: bool,
}

/// The part of a process that is the same for one series as for all: its start, its memory.
const SETTING_UP: f64 = 0.3;

/// What became of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// It measured, or failed, and the record has it.
    Done,
    /// The user stopped the run first.
    Stopped,
    /// The budget ended first.
    OutOfTime,
}

impl<'a> RunSession<'a> {
    fn begin(
        request: &'a Request,
        on: Tell<'a>,
        root: &HostRoot,
        host: Host,
        begun: Begun,
    ) -> RunSession<'a> {
        let scratch = Scratch::make();
        let here = env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
        let temporary = scratch
            .as_ref()
            .map_or_else(|_| env::temp_dir(), |s| s.path().to_owned());
        let survey = Survey::take(root, &here, &temporary);
        let mut workers = Workers::new(request);
        for calibration in &begun.record.calibrations {
            workers.take_over(calibration.point.clone(), calibration.iterations.clone());
        }
        let ends = begun.record.processes.iter().map(|p| p.at_ms + p.wall_ms);
        let before_ms = ends.fold(0.0, f64::max);
        let (context, closing) = (
            context(&host, &survey.state, request.intensity),
            survey.took,
        );
        let mut book = Book::begin(begun.journal, begun.record, begun.opened, host, survey, on);
        if let Err(why) = &scratch {
            book.note(
                "temporary folder",
                format!("none could be made ({why}); points that need files are left out"),
            );
        }
        RunSession {
            request,
            started: begun.started,
            closing,
            before_ms,
            book,
            context,
            scratch: scratch.ok(),
            workers,
            costs: Costs::default(),
            crowded: false,
        }
    }

    /// The whole measurement.
    fn measure(&mut self) -> Result<End, RunError> {
        let clock = match self.book.record.clock {
            Some(clock) => clock,
            None => {
                let clock = clock::measure().map_err(|e| RunError::Nothing(e.to_string()))?;
                self.book.add(Line::Clock(clock));
                clock
            }
        };
        self.look_around(clock);
        let suite = self.request.suite.as_deref();
        if !levels::needed_by(&self.request.only, suite).is_empty() {
            self.book.tell(Event::Begun {
                what: "looking for the caches",
            });
            if let Some(end) = self.scout(clock)? {
                return Ok(end);
            }
        }
        let mut work = work(
            &self.context,
            &self.request.only,
            self.request.suite.as_deref(),
            &self.request.copies,
        );
        if work.points.is_empty() {
            return Err(RunError::Nothing(work.nothing(self.request)));
        }
        self.thin_out(&mut work);
        if let Some(baseline) = &self.request.against {
            looks::select(&mut work.points, baseline.as_ref())?;
        }
        let rounds = self.book.record.header.rounds;
        let plan = work.declared(rounds, &self.context);
        if self.book.record.plan != plan {
            self.book.add(Line::Plan(plan));
        }
        self.book.tell(Event::Planned {
            points: work.points.len(),
            rounds,
        });
        match &self.request.against {
            Some(baseline) => self.looks(work.points, baseline.as_ref(), clock),
            None => self.rounds(&work.points, rounds, clock),
        }
    }

    /// How many processes of `point` the round has, from before the run was resumed or since.
    fn seen(&self, round: u32, point: &Point) -> usize {
        let of_it = |p: &&Process| p.round == round && &p.point == point;
        self.book.record.processes.iter().filter(of_it).count()
    }

    /// One worker, from its randomization to its line in the record, which is stopped at `until`.
    fn process(
        &mut self,
        plan: &PointPlan,
        round: u32,
        order: u32,
        clock: ClockFacts,
        until: Option<Instant>,
    ) -> Result<Step, RunError> {
        if self.workers.stopped() {
            return Ok(Step::Stopped);
        }
        let turn = match round {
            0 => Turn::Scout(self.seen(0, &plan.point) as u32),
            round => Turn::Round(round),
        };
        let mut rng = randomization::numbers(self.book.record.header.seed, turn, &plan.point);
        let only = self.contenders(plan);
        let wish = self.wish(plan, round, &only);
        let job = job(&self.context, clock, plan, &mut rng, wish);
        let extra = 20 * self.costs.of(plan);
        let worker = &self.request.worker;
        let ran = self.workers.run(worker, &plan.point, job, extra, until);
        let answer = match ran.end {
            Ok(spawn::WorkerEnd::Answer(answer)) => *answer,
            Ok(spawn::WorkerEnd::Stopped) => return Ok(Step::Stopped),
            Ok(spawn::WorkerEnd::OutOfTime(so_far)) => {
                self.costs.learn(plan, ran.took);
                let stopped = format!("round {round}: stopped by the time budget {so_far}");
                self.book.note(&plan.point.to_string(), stopped);
                return Ok(Step::OutOfTime);
            }
            // The first worker cannot be started: none ever will.
            Err(why) if self.book.record.processes.is_empty() => return Err(why.into()),
            Err(why) => spawn::no_answer(FailureKind::Crashed, why.to_string()),
        };
        let at = At {
            round,
            order,
            begun: ran.begun,
            took: ran.took,
            randomization: ran.randomization,
        };
        self.keep(plan, at, answer);
        Ok(Step::Done)
    }

    /// The series of a point that can still be its best; empty for all.
    fn contenders(&self, plan: &PointPlan) -> Vec<String> {
        let record = &self.book.record;
        let planned = record.plan.points.iter().find(|p| p.point == plan.point);
        match planned {
            Some(planned) if planned.value == ValueRule::Best => {
                whyslow_stats::record::contenders(planned, &record.processes)
            }
            _ => Vec::new(),
        }
    }

    /// What is asked of a process beyond its plan: a scout's look is short.
    fn wish<'w>(&'w self, plan: &PointPlan, round: u32, only: &'w [String]) -> Wish<'w> {
        let (draws, samples) = match round {
            0 => (SCOUT_DRAWS, SCOUT_SAMPLES),
            _ if self.crowded => (plan.draws, self.fewer(plan.samples)),
            _ => (plan.draws, plan.samples),
        };
        let mut faults = self.request.worker.faults.iter();
        Wish {
            draws,
            samples,
            batch_ns: plan.batch_ns,
            only_series: only,
            scratch: self.scratch.as_ref().map(Scratch::path),
            fault: faults
                .find(|(point, _)| *point == plan.point.to_string())
                .map(|(_, fault)| *fault),
        }
    }

    /// Takes an answer into the record, and from it what the next workers need.
    fn keep(&mut self, plan: &PointPlan, at: At, answer: Answer) {
        // What a hung one took is patience, of which the next would get twenty times as much.
        let hung = |failure: &Failure| failure.how == FailureKind::Hung;
        if !matches!(&answer, Answer::Failed(failure) if hung(failure)) {
            self.costs.learn(plan, at.took);
        }
        let learned = self.workers.learn(&plan.point, &answer);
        let (mut ghz, mut slots) = (None, None);
        let outcome = match answer {
            Answer::Measured(measured) => {
                (ghz, slots) = (measured.ghz, measured.slots);
                for note in measured.notes {
                    self.book.note(&note.about, note.text);
                }
                if learned.iterations {
                    self.book.add(Line::Calibration(Calibration {
                        point: plan.point.clone(),
                        iterations: measured.iterations,
                    }));
                }
                Outcome::Draws(measured.draws)
            }
            Answer::Failed(failure) => {
                self.failed(plan, at.round, &failure, learned.given_up);
                Outcome::Failed(failure)
            }
        };
        let since = at.begun.duration_since(self.started);
        self.book.add(Line::Process(Box::new(Process {
            round: at.round,
            order: at.order,
            point: plan.point.clone(),
            at_ms: self.before_ms + since.as_secs_f64() * 1e3,
            wall_ms: at.took.as_secs_f64() * 1e3,
            randomization: at.randomization,
            ghz,
            slots,
            outcome,
        })));
        self.expect(plan, at.took);
    }

    /// A process that measured all series says what the next will take, which measures those that can still win.
    fn expect(&mut self, plan: &PointPlan, took: Duration) {
        let own = self.book.record.processes.iter();
        let mut own = own.filter(|process| process.point == plan.point);
        let (
            Some(Process {
                outcome: Outcome::Draws(draws),
                ..
            }),
            None,
        ) = (own.next(), own.next())
        else {
            return;
        };
        let all = draws.first().map_or(0, |draw| draw.series.len());
        let left = self.contenders(plan).len();
        if left > 0 && left < all {
            let share = (left as f64 / all as f64).max(SETTING_UP);
            self.costs.learn(plan, took.mul_f64(share));
        }
    }

    fn failed(&mut self, plan: &PointPlan, round: u32, failure: &Failure, given_up: bool) {
        let about = plan.point.to_string();
        if failure.how == FailureKind::Unavailable {
            self.book.note(&about, failure.why.clone());
            return;
        }
        self.book
            .note(&about, format!("round {round}: {}", failure.why));
        if given_up {
            self.book.note(&about, not_again());
        }
    }
}

/// When and where in the order a process was, and its randomization.
struct At {
    round: u32,
    order: u32,
    begun: Instant,
    took: Duration,
    randomization: Randomization,
}
