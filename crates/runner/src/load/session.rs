//! Measuring commands, from the first line of the record to its last.

mod hooks;
mod runs;

use std::env;
use std::time::{Duration, Instant};

use whyslow_host::HostRoot;
use whyslow_model::record::{End, Header, Line, Plan, SCHEMA};
use whyslow_probes::{Intensity, clock};

use super::cells::Cells;
use super::error::LoadError;
use super::metrics::{METRICS, SHELL};
use super::schedule::{Turn, turns};
use super::start::{self, Place};
use super::{CommandOutput, LoadRequest, Loaded, Within};
use crate::book::{Book, Survey, Tell};
use crate::event::Event;
use crate::failures::Failures;
use crate::open::create;
use crate::request::RunError;

/// Measures `cells` and keeps the record.
pub(super) fn run(
    request: &LoadRequest,
    cells: Cells,
    within: Within<'_>,
    on: Tell<'_>,
) -> Result<Loaded, RunError> {
    on(Event::Begun {
        what: "reading the host",
    });
    let place = Place::here().map_err(LoadError::Here)?;
    start::all_there(request, &cells)?;
    let root = HostRoot::live();
    let host = root.facts();
    let (journal, record, opened) = create(&request.target, header(request))?;
    let survey = Survey::take(&root, &place.path, &env::temp_dir());
    let book = Book::begin(journal, record, opened, host, survey, on);
    let mut session = LoadSession {
        request,
        failures: Failures::none(),
        costs: vec![None; cells.cells.len()],
        cells,
        within,
        place,
        book,
        started: Instant::now(),
        runs: 0,
        failed: Vec::new(),
        shell_rounds: 0,
    };
    let ended = session.measure();
    session.clean_up();
    let mut processes = session.book.record.processes.iter();
    let measured = processes.any(|p| p.round > 0 && p.point.probe != SHELL.probe);
    let end = match ended {
        Ok(end) => end,
        Err(why) if !measured => {
            session.book.discard(opened);
            return Err(why.into());
        }
        // What was measured before is kept.
        Err(why) => {
            let why = why.to_string();
            session.book.note("load", format!("ended early: {why}"));
            session.failed.insert(0, why);
            End::Interrupted
        }
    };
    let trouble = session.trouble(end);
    let finished = session.book.finish(end, &request.target);
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
        fill: false,
        budget_s: request.budget.map(|b| b.as_secs_f64()),
        only: String::new(),
        suite: "load".into(),
        copies: Vec::new(),
        against: String::new(),
        started: jiff::Timestamp::now().to_string(),
    }
}

/// A load under way.
struct LoadSession<'a> {
    request: &'a LoadRequest,
    cells: Cells,
    /// What each run is within.
    within: Within<'a>,
    place: Place,
    book: Book<'a>,
    started: Instant,
    /// Failures in a row, by cell.
    failures: Failures<usize>,
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

impl LoadSession<'_> {
    /// The whole measurement.
    fn measure(&mut self) -> Result<End, LoadError> {
        self.book.add(Line::Clock(
            clock::measure().map_err(|e| LoadError::Clock(e.to_string()))?,
        ));
        self.tell_how();
        let plan = self.plan();
        self.book.add(Line::Plan(plan));
        if self.set_up()? == Flow::Stopped {
            return Ok(End::Interrupted);
        }
        let (groups, commands) = (self.cells.groups, self.cells.commands);
        let request = self.request;
        // In an order of their own.
        for turn in turns(groups, commands, request.warmup, !request.seed) {
            self.book.tell(Event::Begun { what: "warming up" });
            if self.turn(turn, true)? == Flow::Stopped {
                return Ok(End::Interrupted);
            }
        }
        let turns = turns(groups, commands, request.repeat, request.seed);
        self.book.tell(Event::Planned {
            points: self.cells.cells.len(),
            rounds: request.repeat,
        });
        // The first round, or block of two, is always finished: a record with holes answers nothing.
        let first = if commands > 1 { 2 } else { 1 };
        for (done, turn) in turns.iter().enumerate() {
            if self.book.is_full() {
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
                self.book.note("budget", text);
                return Ok(End::Budget);
            }
            self.tell_step(done, &turns);
            if self.shell_start(turn.round)? == Flow::Stopped {
                return Ok(End::Interrupted);
            }
            if !self.failures.given_up(&cell) && self.turn(*turn, false)? == Flow::Stopped {
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
        self.book.note("load", how.join("; "));
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
        self.book.tell(Event::Step {
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
}
