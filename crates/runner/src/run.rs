//! A run from its first line to its last.

mod pace;
mod scout;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use whyslow_host::{CpuUse, HostRoot};
use whyslow_model::Point;
use whyslow_model::host::Host;
use whyslow_model::job::{Answer, Job};
use whyslow_model::record::{
    Calibration, ClockFacts, End, Failure, FailureKind, Line, Note, Outcome, Process, Record,
    StateAt,
};
use whyslow_model::state::{Change, State, diff};
use whyslow_model::store::Journal;
use whyslow_probes::{PlanContext, PointPlan, clock};

use crate::context::context;
use crate::event::Event;
use crate::luck::Turn;
use crate::open::{Opened, as_begun, elsewhere, open};
use crate::plan::{idle, work};
use crate::request::{Finished, Request, RunError, Target};
use crate::rounds::Costs;
use crate::scratch::Scratch;
use crate::{levels, luck, spawn};
pub(crate) use pace::RECORD_FULL;

/// A point that failed this often in a row is not tried again; each failure is a process and, for
/// one that hangs, its whole patience.
const TRIES: u32 = 2;

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
    let resumed = opened == Opened::Resumed;
    let request = if resumed {
        as_begun(request, &record.header)
    } else {
        request.clone()
    };
    let mut session = Session::begin(&request, on, &root, host, journal, record, resumed, started);
    let end = match session.measure() {
        Ok(end) => end,
        Err(error) if session.record.processes.is_empty() => {
            if opened == Opened::Created {
                // Best effort: an empty record of ours is of no use to anybody.
                let _ = std::fs::remove_file(session.journal.path());
            }
            return Err(error);
        }
        // What was measured before is kept.
        Err(error) => {
            (session.on)(Event::Warning(&error.to_string()));
            session.note("run", format!("ended early: {error}"));
            End::Interrupted
        }
    };
    session.finish(end)
}

/// Refuses globs of which one selects nothing here, before there is anything of a record.
fn selects(request: &Request, root: &HostRoot, host: &Host) -> Result<(), RunError> {
    if request.only.is_empty() {
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

/// A run under way.
struct Session<'a> {
    request: &'a Request,
    on: &'a mut dyn FnMut(Event<'_>),
    /// When the command began: the survey of the host is part of a budget.
    started: Instant,
    /// What the survey took, which closing the record does once more.
    closing: Duration,
    /// What an interrupted run had used of the clock when it was resumed, ms.
    before_ms: f64,
    journal: Journal,
    record: Record,
    state: State,
    context: PlanContext,
    usage: CpuUse,
    scratch: Option<Scratch>,
    iterations: BTreeMap<Point, BTreeMap<String, u64>>,
    failures: BTreeMap<Point, u32>,
    costs: Costs,
    noted: BTreeSet<(String, String)>,
}

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

impl<'a> Session<'a> {
    #[allow(clippy::too_many_arguments)] // each is a thing of its own, handed over once
    fn begin(
        request: &'a Request,
        on: &'a mut dyn FnMut(Event<'_>),
        root: &HostRoot,
        host: Host,
        journal: Journal,
        record: Record,
        resumed: bool,
        started: Instant,
    ) -> Session<'a> {
        let scratch = Scratch::make();
        let here = env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
        let temporary = scratch
            .as_ref()
            .map_or_else(|_| env::temp_dir(), |s| s.path().to_owned());
        let survey = Instant::now();
        let state = root.state(&here, &temporary);
        let usage = CpuUse::take(root);
        let closing = survey.elapsed();
        let before_ms = record
            .processes
            .iter()
            .map(|p| p.at_ms + p.wall_ms)
            .fold(0.0, f64::max);
        let mut session = Session {
            context: context(&host, &state, request.intensity),
            request,
            on,
            started,
            closing,
            before_ms,
            journal,
            iterations: BTreeMap::new(),
            failures: BTreeMap::new(),
            costs: Costs::default(),
            noted: record
                .notes
                .iter()
                .map(|n| (n.about.clone(), n.text.clone()))
                .collect(),
            record,
            state: state.clone(),
            usage,
            scratch: None,
        };
        for calibration in &session.record.calibrations {
            session
                .iterations
                .insert(calibration.point.clone(), calibration.iterations.clone());
        }
        if resumed {
            session.note_changed_state(&state);
        } else {
            let header = session.record.header.clone();
            session.add(Line::Header(header));
            session.add(Line::Host(Box::new(host)));
            session.add(Line::State(Box::new(StateAt {
                when: "start".into(),
                state,
            })));
        }
        match scratch {
            Ok(scratch) => session.scratch = Some(scratch),
            Err(why) => session.note(
                "temporary folder",
                format!("none could be made ({why}); points that need files are left out"),
            ),
        }
        session
    }

    /// The whole measurement.
    fn measure(&mut self) -> Result<End, RunError> {
        let clock = match self.record.clock {
            Some(clock) => clock,
            None => {
                let clock = clock::measure().map_err(|e| RunError::Nothing(e.to_string()))?;
                self.add(Line::Clock(clock));
                clock
            }
        };
        let suite = self.request.suite.as_deref();
        if !levels::needed_by(&self.request.only, suite).is_empty() {
            (self.on)(Event::Begun {
                what: "looking for the caches",
            });
            if let Some(end) = self.scout(clock)? {
                return Ok(end);
            }
        }
        let work = work(
            &self.context,
            &self.request.only,
            self.request.suite.as_deref(),
            &self.request.copies,
        );
        if work.points.is_empty() {
            return Err(RunError::Nothing(work.nothing(self.request)));
        }
        let rounds = self.record.header.rounds;
        let plan = work.declared(rounds);
        if self.record.plan != plan {
            self.add(Line::Plan(plan));
        }
        (self.on)(Event::Planned {
            points: work.points.len(),
            rounds,
        });
        self.rounds(&work.points, rounds, clock)
    }

    /// How many processes of `point` the round has, from before the run was resumed or since.
    fn seen(&self, round: u32, point: &Point) -> usize {
        let of_it = |p: &&Process| p.round == round && &p.point == point;
        self.record.processes.iter().filter(of_it).count()
    }

    /// One worker, from its luck to its line in the record, which is stopped at `until`.
    fn process(
        &mut self,
        plan: &PointPlan,
        round: u32,
        order: u32,
        clock: ClockFacts,
        until: Option<Instant>,
    ) -> Result<Step, RunError> {
        let request = self.request;
        if request.stop.load(Ordering::Relaxed) {
            return Ok(Step::Stopped);
        }
        let turn = match round {
            0 => Turn::Scout(self.seen(0, &plan.point) as u32),
            round => Turn::Round(round),
        };
        let mut rng = luck::numbers(self.record.header.seed, turn, &plan.point);
        let job = Job {
            point: plan.point.clone(),
            luck: luck::draw(&mut rng, &plan.cpus, &self.context.cpus),
            draws: if round == 0 { 1 } else { plan.draws },
            samples: if round == 0 { 3 } else { plan.samples },
            batch_ns: plan.batch_ns,
            iterations: self
                .iterations
                .get(&plan.point)
                .cloned()
                .unwrap_or_default(),
            only_series: Vec::new(),
            clock: Some(clock),
            size_bytes: plan.size_bytes,
            llc_bytes: self.context.llc_bytes,
            line_bytes: self.context.line_bytes,
            colors: self.context.colors,
            scratch: self
                .scratch
                .as_ref()
                .filter(|_| plan.scratch)
                .map(|s| s.path().display().to_string()),
            copy: None,
            fault: request
                .worker
                .faults
                .iter()
                .find(|(point, _)| *point == plan.point.to_string())
                .map(|(_, fault)| *fault),
        };
        let patience = request.patience + 20 * self.costs.of(plan);
        let limits = spawn::Limits { patience, until };
        let begun = Instant::now();
        let at_ms = self.before_ms + begun.duration_since(self.started).as_secs_f64() * 1e3;
        let end = match spawn::run(&request.worker, &job, limits, &request.stop) {
            Ok(end) => end,
            // The first worker cannot be started: none ever will.
            Err(why) if self.record.processes.is_empty() => return Err(RunError::Worker(why)),
            Err(why) => spawn::End::failed(FailureKind::Crashed, why),
        };
        let took = begun.elapsed();
        let answer = match end {
            spawn::End::Answer(answer) => answer,
            spawn::End::Stopped => return Ok(Step::Stopped),
            spawn::End::OutOfTime(so_far) => {
                self.costs.learn(plan, took);
                let stopped = format!("round {round}: stopped by the time budget {so_far}");
                self.note(&plan.point.to_string(), stopped);
                return Ok(Step::OutOfTime);
            }
        };
        // What a hung one took is patience, of which the next would get twenty times as much.
        let hung = |failure: &Failure| failure.how == FailureKind::Hung;
        if !matches!(&*answer, Answer::Failed(failure) if hung(failure)) {
            self.costs.learn(plan, took);
        }
        let (mut ghz, mut slots) = (None, None);
        let outcome = match *answer {
            Answer::Measured(measured) => {
                self.failures.remove(&plan.point);
                (ghz, slots) = (measured.ghz, measured.slots);
                for note in measured.notes {
                    self.note(&note.about, note.text);
                }
                if !self.iterations.contains_key(&plan.point) {
                    self.iterations
                        .insert(plan.point.clone(), measured.iterations.clone());
                    self.add(Line::Calibration(Calibration {
                        point: plan.point.clone(),
                        iterations: measured.iterations,
                    }));
                }
                Outcome::Draws(measured.draws)
            }
            Answer::Failed(failure) => {
                // A count found in a bad moment may be what is wrong: the next process finds its own.
                if failure.how == FailureKind::Refused {
                    self.iterations.remove(&plan.point);
                }
                self.failed(plan, round, &failure);
                Outcome::Failed(failure)
            }
        };
        self.add(Line::Process(Box::new(Process {
            round,
            order,
            point: plan.point.clone(),
            at_ms,
            wall_ms: took.as_secs_f64() * 1e3,
            luck: job.luck,
            ghz,
            slots,
            outcome,
        })));
        Ok(Step::Done)
    }

    fn failed(&mut self, plan: &PointPlan, round: u32, failure: &Failure) {
        let count = self.failures.entry(plan.point.clone()).or_insert(0);
        // What a host cannot do it will not do later either.
        *count += if failure.how == FailureKind::Unavailable {
            TRIES
        } else {
            1
        };
        let gives_up = *count >= TRIES;
        let about = plan.point.to_string();
        match failure.how {
            FailureKind::Unavailable => self.note(&about, failure.why.clone()),
            _ => self.note(&about, format!("round {round}: {}", failure.why)),
        }
        if failure.how != FailureKind::Unavailable && gives_up {
            self.note(
                &about,
                format!("failed {TRIES} times in a row; not tried again"),
            );
        }
    }

    /// Adds a note, each text once.
    fn note(&mut self, about: &str, text: impl Into<String>) {
        let note = Note {
            about: about.to_owned(),
            text: text.into(),
        };
        if self.noted.insert((note.about.clone(), note.text.clone())) {
            self.add(Line::Note(note));
        }
    }

    /// Adds a line to the record and the journal. A disk that fails costs a warning, not the run.
    fn add(&mut self, line: Line) {
        if let Err(error) = self.journal.add(&line) {
            (self.on)(Event::Warning(&format!(
                "{error}; measuring goes on, the record is kept in memory"
            )));
        }
        self.record.add(line);
    }

    /// The state at the end, who else was there, and the footer.
    fn finish(mut self, end: End) -> Result<Finished, RunError> {
        let root = HostRoot::live();
        let neighbours = CpuUse::take(&root).since(&self.usage);
        self.add(Line::Neighbours(neighbours));
        let here = env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
        let temporary = self
            .scratch
            .as_ref()
            .map_or_else(env::temp_dir, |s| s.path().to_owned());
        let state = root.state(&here, &temporary);
        let before = std::mem::replace(&mut self.state, state.clone());
        for change in diff(&before, &state) {
            self.note("state", format!("{} during the run", say(&change)));
        }
        self.add(Line::State(Box::new(StateAt {
            when: "end".into(),
            state,
        })));
        let elsewhere = elsewhere(&self.request.target, self.journal.path());
        let finished = jiff::Timestamp::now().to_string();
        let mut record = self.record;
        let kept = self.journal.close(end, finished, &elsewhere);
        if let Ok(Ok(closed)) = kept.as_ref().map(|p| whyslow_model::store::read(p)) {
            // What is shown is what is on disk.
            record = closed;
        }
        Ok(Finished { record, kept })
    }

    fn note_changed_state(&mut self, now: &State) {
        let Some(then) = self.record.states.first().map(|s| s.state.clone()) else {
            return;
        };
        for change in diff(&then, now) {
            self.note(
                "state",
                format!("{} between the start and the resumption", say(&change)),
            );
        }
    }
}

/// A change of the state in words.
pub(crate) fn say(change: &Change) -> String {
    format!(
        "{} changed from {} to {}",
        change.what, change.before, change.after
    )
}
