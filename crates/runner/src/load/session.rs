//! Measuring commands, from the first line of the record to its last.

mod hooks;

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use whyslow_host::HostRoot;
use whyslow_model::record::{
    End, Failure, FailureKind, Header, Line, Luck, Outcome, Plan, Process, SCHEMA,
};
use whyslow_probes::child::{self, Ended};
use whyslow_probes::{CpuChoice, Intensity, clock};

use super::book::{Book, Tell};
use super::cells::{Cell, Cells};
use super::metrics::{METRICS, Metric, SHELL};
use super::schedule::{Turn, turns};
use super::start::{self, Place, badly, too_late};
use super::{CommandOutput, LoadRequest, Loaded, Tolerate};
use crate::event::Event;
use crate::luck;
use crate::open::{Opened, create};
use crate::request::RunError;
use crate::run::RECORD_FULL;

/// What is not tried again after failing this often in a row.
const TRIES: u32 = 2;

/// What a copy of this process touches before it executes its program, bytes: its stack and a part
/// of the C library, as seen 100 to 200 KiB; counters of the kernel may be off by as much.
const TOUCHED: f64 = 512.0 * 1024.0;

/// Measures `cells` and keeps the record.
pub(super) fn run(request: &LoadRequest, cells: Cells, on: Tell<'_>) -> Result<Loaded, RunError> {
    on(Event::Begun {
        what: "reading the host",
    });
    let place = Place::here()
        .map_err(|e| RunError::Nothing(format!("the current folder cannot be read: {e}")))?;
    start::all_there(request, &cells).map_err(RunError::Nothing)?;
    let root = HostRoot::live();
    let host = root.facts();
    let (journal, record, opened) = create(&request.target, header(request))?;
    let book = Book::begin(journal, record, &root, host, &place.path, on);
    let mut session = Session {
        request,
        failures: vec![0; cells.cells.len()],
        costs: vec![None; cells.cells.len()],
        cells,
        place,
        book,
        started: Instant::now(),
        runs: 0,
        failed: Vec::new(),
        shell_rounds: 0,
        on,
    };
    let ended = session.measure();
    session.clean_up();
    let mut processes = session.book.record.processes.iter();
    let measured = processes.any(|p| p.round > 0 && p.point.probe != SHELL.probe);
    let end = match ended {
        Ok(end) => end,
        Err(why) if !measured => {
            if opened == Opened::Created {
                // Best effort: an empty record of ours is of no use to anybody.
                let _ = std::fs::remove_file(session.book.path());
            }
            return Err(RunError::Nothing(why));
        }
        // What was measured before is kept.
        Err(why) => {
            session.note("load", format!("ended early: {why}"));
            session.failed.insert(0, why);
            End::Interrupted
        }
    };
    let trouble = session.trouble(end);
    let Session {
        book, place, on, ..
    } = session;
    let finished = book.finish(end, &place.path, &request.target, on);
    Ok(Loaded { finished, trouble })
}

fn header(request: &LoadRequest) -> Header {
    let intensities = [Intensity::Rigorous, Intensity::Standard, Intensity::Quick];
    let intensity = intensities.iter().find(|i| request.repeat >= i.rounds());
    Header {
        schema: SCHEMA,
        version: request.version.clone(),
        build: request.build.clone(),
        seed: request.seed,
        intensity: intensity.unwrap_or(&Intensity::Quick).name().to_owned(),
        rounds: request.repeat,
        budget_s: request.budget.map(|b| b.as_secs_f64()),
        only: String::new(),
        suite: "load".into(),
        copies: Vec::new(),
        started: jiff::Timestamp::now().to_string(),
    }
}

/// A load under way.
struct Session<'a> {
    request: &'a LoadRequest,
    on: Tell<'a>,
    cells: Cells,
    place: Place,
    book: Book,
    started: Instant,
    /// Failures in a row, by cell.
    failures: Vec<u32>,
    /// What a turn of each cell took last.
    costs: Vec<Option<Duration>>,
    /// Measured runs, failed or not.
    runs: u32,
    /// What failed, in words.
    failed: Vec<String>,
    /// Rounds in which the shell's own start was measured.
    shell_rounds: u32,
}

/// May it go on?
#[derive(PartialEq, Eq)]
enum Flow {
    On,
    Stopped,
}

impl Session<'_> {
    /// The whole measurement.
    fn measure(&mut self) -> Result<End, String> {
        self.add(Line::Clock(clock::measure().map_err(|e| e.to_string())?));
        self.tell_how();
        let plan = self.plan();
        self.add(Line::Plan(plan));
        if self.set_up()? == Flow::Stopped {
            return Ok(End::Interrupted);
        }
        let (groups, commands) = (self.cells.groups, self.cells.commands);
        let request = self.request;
        // In an order of their own.
        for turn in turns(groups, commands, request.warmup, !request.seed) {
            (self.on)(Event::Begun { what: "warming up" });
            if self.turn(turn, true)? == Flow::Stopped {
                return Ok(End::Interrupted);
            }
        }
        let turns = turns(groups, commands, request.repeat, request.seed);
        (self.on)(Event::Planned {
            points: self.cells.cells.len(),
            rounds: request.repeat,
        });
        // The first round, or block of two, is always finished: a record with holes answers nothing.
        let first = if commands > 1 { 2 } else { 1 };
        for (done, turn) in turns.iter().enumerate() {
            if self.book.is_full() {
                self.note("record", RECORD_FULL);
                return Ok(End::Budget);
            }
            let cell = self.index(*turn);
            let spent = self.started.elapsed();
            let over = |budget| spent + self.costs[cell].unwrap_or_default() > budget;
            if turn.round > first && request.budget.is_some_and(over) {
                let rounds = request.repeat;
                let text = format!(
                    "the time budget ended the run in round {} of {rounds}; intervals are wider than planned",
                    turn.round
                );
                self.note("budget", text);
                return Ok(End::Budget);
            }
            self.tell_step(done, &turns);
            if self.shell_start(turn.round)? == Flow::Stopped {
                return Ok(End::Interrupted);
            }
            if self.failures[cell] < TRIES && self.turn(*turn, false)? == Flow::Stopped {
                return Ok(End::Interrupted);
            }
        }
        Ok(End::Complete)
    }

    fn index(&self, turn: Turn) -> usize {
        turn.group * self.cells.commands + turn.command
    }

    fn plan(&self) -> Plan {
        let mut plan = Plan {
            rounds: self.request.repeat,
            ..Plan::default()
        };
        // Figure by figure: tables have a heading for each.
        for metric in &METRICS {
            let cells = self.cells.cells.iter();
            plan.points
                .extend(cells.map(|c| metric.planned(&c.params, &c.title)));
        }
        if let Some(shell) = &self.request.shell {
            plan.points
                .push(SHELL.planned(&[], &format!("{shell} -c ''")));
        }
        plan
    }

    /// Notes what the numbers rest on.
    fn tell_how(&mut self) {
        let request = self.request;
        let mut how = vec![match &request.shell {
            Some(shell) => format!(
                "commands go through {shell}; its own start (load.shell) is part of their times and not taken off"
            ),
            None => "commands run without a shell".into(),
        }];
        how.push(match &request.output {
            CommandOutput::Null => "output to nowhere".into(),
            CommandOutput::Inherit => "output to the terminal or wherever ours goes".into(),
            CommandOutput::Pipe => "output into a pipe".into(),
            CommandOutput::File(path) => format!("output to {}", path.display()),
        });
        if let Some(path) = &request.input {
            how.push(format!("input from {}", path.display()));
        }
        if self.cells.copies {
            how.push(
                "levels are copies at once: real from the first start to the last end, peak memory of the largest, \
                 other figures of all together"
                    .into(),
            );
        }
        let hooks = &request.hooks;
        for (name, hook) in [
            ("setup", &hooks.setup),
            ("prepare", &hooks.prepare),
            ("conclude", &hooks.conclude),
            ("cleanup", &hooks.cleanup),
        ] {
            how.extend(hook.as_ref().map(|text| format!("{name}: {text}")));
        }
        how.push(format!("warm-up runs: {}", request.warmup));
        self.note("load", how.join("; "));
    }

    /// One run with what goes around it.
    fn turn(&mut self, turn: Turn, warm: bool) -> Result<Flow, String> {
        if self.request.stop.load(Ordering::Relaxed) {
            return Ok(Flow::Stopped);
        }
        let index = self.index(turn);
        let cell = self.cells.cells[index].clone();
        let whole = Instant::now();
        if let Some(text) = &cell.hooks.prepare
            && self.hook("--prepare", text)? == Flow::Stopped
        {
            return Ok(Flow::Stopped);
        }
        let luck = self.luck(
            if warm {
                luck::Turn::WarmUp(turn.round)
            } else {
                luck::Turn::Round(turn.round)
            },
            &METRICS[0],
            &cell.params,
        );
        let begun = Instant::now();
        let end = start::run(
            self.request,
            &cell.argv,
            cell.copies,
            luck.env_bytes,
            &self.place,
        )?;
        let at = At {
            round: if warm { 0 } else { turn.round },
            order: turn.order,
            begun,
            took: begun.elapsed(),
            luck,
        };
        let ended = match end {
            child::End::Stopped => return Ok(Flow::Stopped),
            child::End::TooLate => Err((FailureKind::Hung, too_late(self.request.timeout))),
            child::End::Ended(ended) if self.counts(&ended) => Ok(ended),
            child::End::Ended(ended) => Err((FailureKind::Crashed, badly(ended.status))),
        };
        if let Some(text) = &cell.hooks.conclude
            && self.hook("--conclude", text)? == Flow::Stopped
        {
            return Ok(Flow::Stopped);
        }
        self.runs += u32::from(!warm);
        match ended {
            Ok(ended) => {
                self.failures[index] = 0;
                self.remark(&cell, &ended);
                for metric in &METRICS {
                    self.keep(
                        metric,
                        &cell.params,
                        &at,
                        Outcome::Draws(vec![metric.draw(&ended)]),
                    );
                }
            }
            Err((how, why)) => self.fail(index, &at, how, why)?,
        }
        self.costs[index] = Some(whole.elapsed());
        Ok(Flow::On)
    }

    /// Does it count as a run?
    fn counts(&self, ended: &Ended) -> bool {
        ended.status.success()
            || match &self.request.tolerate {
                Tolerate::Nothing => false,
                Tolerate::Everything => true,
                Tolerate::Codes(codes) => ended.status.code().is_some_and(|c| codes.contains(&c)),
            }
    }

    /// What is odd about a run that counts.
    fn remark(&mut self, cell: &Cell, ended: &Ended) {
        if !ended.status.success() {
            let text = format!(
                "'{}' {}, which counts as a run here",
                cell.title,
                badly(ended.status)
            );
            self.note("load", text);
        }
        if ended.usage.max_rss_bytes <= ended.least_rss_bytes + TOUCHED {
            let text = format!(
                "'{}' is so small that its peak memory is what the process that starts it brings along; \
                 its own is less",
                cell.title
            );
            self.note("load", text);
        }
        if ended.left_behind {
            let text = format!(
                "'{}' left processes behind: what they use is not counted, and they may disturb the runs after it",
                cell.title
            );
            self.note("load", text);
        }
    }

    /// A run that does not count. The first of a command ends everything: it will hardly do better.
    fn fail(&mut self, index: usize, at: &At, how: FailureKind, why: String) -> Result<(), String> {
        let cell = self.cells.cells[index].clone();
        let advice = match how {
            FailureKind::Hung => "give it more with --timeout",
            _ => "see what it says with --output inherit, or count such runs with --ignore-failure",
        };
        let point = METRICS[0].point(&cell.params);
        let done_well = self.book.record.measured(&point).next().is_some();
        if !done_well {
            return Err(format!("'{}' {why}; {advice}", cell.title));
        }
        for metric in &METRICS {
            let why = why.clone();
            self.keep(
                metric,
                &cell.params,
                at,
                Outcome::Failed(Failure { how, why }),
            );
        }
        let text = format!("round {}: '{}' {why}", at.round, cell.title);
        self.note(&point.to_string(), text.clone());
        self.failed.push(text);
        self.failures[index] += 1;
        if self.failures[index] == TRIES {
            let text = format!(
                "'{}' failed {TRIES} times in a row; not tried again",
                cell.title
            );
            self.note(&point.to_string(), text);
        }
        Ok(())
    }

    /// What a shell takes by itself, once a round.
    fn shell_start(&mut self, round: u32) -> Result<Flow, String> {
        let Some(shell) = self
            .request
            .shell
            .as_ref()
            .filter(|_| round > self.shell_rounds)
        else {
            return Ok(Flow::On);
        };
        self.shell_rounds = round;
        let argv = [shell, "-c", ""].map(str::to_owned);
        let luck = self.luck(luck::Turn::Round(round), &SHELL, &[]);
        let begun = Instant::now();
        let end = start::run(self.request, &argv, 1, luck.env_bytes, &self.place)?;
        let child::End::Ended(ended) = end else {
            return Ok(Flow::Stopped);
        };
        let at = At {
            round,
            order: u32::try_from(self.cells.cells.len()).unwrap_or(u32::MAX),
            begun,
            took: begun.elapsed(),
            luck,
        };
        self.keep(&SHELL, &[], &at, Outcome::Draws(vec![SHELL.draw(&ended)]));
        Ok(Flow::On)
    }

    /// Draws what luck decides of a run: the length of its environment, and no more.
    fn luck(&self, turn: luck::Turn, metric: &Metric, params: &[(String, String)]) -> Luck {
        let mut rng = luck::numbers(self.request.seed, turn, &metric.point(params));
        Luck {
            stack_offset: 0,
            buffer_offset: 0,
            ..luck::draw(&mut rng, &CpuChoice::Free, &[])
        }
    }

    fn keep(&mut self, metric: &Metric, params: &[(String, String)], at: &At, outcome: Outcome) {
        let at_ms = at.begun.duration_since(self.started).as_secs_f64() * 1e3;
        self.add(Line::Process(Box::new(Process {
            round: at.round,
            order: at.order,
            point: metric.point(params),
            at_ms,
            wall_ms: at.took.as_secs_f64() * 1e3,
            luck: at.luck.clone(),
            ghz: None,
            slots: None,
            outcome,
        })));
    }

    /// Reports progress, with the time left by what the runs have taken so far.
    fn tell_step(&mut self, done: usize, turns: &[Turn]) {
        let known: Vec<Duration> = self.costs.iter().flatten().copied().collect();
        let usual = known.iter().sum::<Duration>() / known.len().max(1) as u32;
        let left = &turns[done..];
        let of = |turn: &Turn| self.costs[self.index(*turn)].unwrap_or(usual);
        let mut left = left.iter().map(of).sum::<Duration>();
        if let Some(budget) = self.request.budget {
            left = left.min(budget.saturating_sub(self.started.elapsed()));
        }
        let next = METRICS[0].point(&self.cells.cells[self.index(turns[done])].params);
        (self.on)(Event::Step {
            done,
            total: turns.len(),
            left,
            next: &next,
        });
    }

    /// What went wrong, in a line.
    fn trouble(&self, end: End) -> Option<String> {
        let first = self.failed.first()?;
        Some(match end {
            End::Interrupted => first.clone(),
            _ => format!(
                "{} of {} runs failed and do not count; the first: {first}",
                self.failed.len(),
                self.runs
            ),
        })
    }

    fn add(&mut self, line: Line) {
        self.book.add(line, self.on);
    }

    fn note(&mut self, about: &str, text: impl Into<String>) {
        self.book.note(about, text, self.on);
    }
}

/// When and where in the order a run was.
struct At {
    round: u32,
    order: u32,
    begun: Instant,
    took: Duration,
    luck: Luck,
}
