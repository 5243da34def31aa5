//! The runs of a load: each with what goes around it, kept or noted.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use whyslow_model::record::{Failure, FailureKind, Line, Outcome, Process, Randomization};
use whyslow_probes::CpuChoice;
use whyslow_probes::child::{self, Ended};

use super::{Flow, LoadSession};
use crate::failures::not_again;
use crate::load::Tolerate;
use crate::load::cells::Cell;
use crate::load::error::LoadError;
use crate::load::metrics::{METRICS, Metric, SHELL};
use crate::load::schedule::Turn;
use crate::load::start::{self, badly, too_late};
use crate::randomization;

/// What a copy of this process touches before it executes its program, bytes: its stack and a part
/// of the C library, as seen 100 to 200 KiB; counters of the kernel may be off by as much.
const TOUCHED: f64 = 512.0 * 1024.0;

impl LoadSession<'_> {
    /// One run with what goes around it.
    pub(super) fn turn(&mut self, turn: Turn, warm: bool) -> Result<Flow, LoadError> {
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
        let randomization = self.randomization(
            if warm {
                randomization::Turn::WarmUp(turn.round)
            } else {
                randomization::Turn::Round(turn.round)
            },
            &METRICS[0],
            &cell.params,
        );
        let held = (self.within)(turn.command).map_err(LoadError::Within)?;
        let begun = Instant::now();
        let end = start::run(
            self.request,
            [&cell.front, &cell.argv],
            cell.copies,
            randomization.env_bytes,
            &self.place,
        )?;
        let at = At {
            round: if warm { 0 } else { turn.round },
            order: turn.order,
            begun,
            took: begun.elapsed(),
            randomization,
        };
        drop(held);
        let ended = match end {
            child::ChildEnd::Stopped => return Ok(Flow::Stopped),
            child::ChildEnd::TooLate => Err((FailureKind::Hung, too_late(self.request.timeout))),
            child::ChildEnd::Ended(ended) if self.counts(&ended) => Ok(ended),
            child::ChildEnd::Ended(ended) => Err((FailureKind::Crashed, badly(ended.status))),
        };
        if let Some(text) = &cell.hooks.conclude
            && self.hook("--conclude", text)? == Flow::Stopped
        {
            return Ok(Flow::Stopped);
        }
        self.runs += u32::from(!warm);
        match ended {
            Ok(ended) => {
                self.failures.did_well(&index);
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
            self.book.note("load", text);
        }
        if ended.usage.max_rss_bytes <= ended.least_rss_bytes + TOUCHED {
            let text = format!(
                "'{}' is so small that its peak memory is what the process that starts it brings along; \
                 its own is less",
                cell.title
            );
            self.book.note("load", text);
        }
        if ended.left_behind {
            let text = format!(
                "'{}' left processes behind: what they use is not counted, and they may disturb the runs after it",
                cell.title
            );
            self.book.note("load", text);
        }
    }

    /// A run that does not count. The first of a command ends everything: it will hardly do better.
    fn fail(
        &mut self,
        index: usize,
        at: &At,
        how: FailureKind,
        why: String,
    ) -> Result<(), LoadError> {
        let cell = self.cells.cells[index].clone();
        let advice = match how {
            FailureKind::Hung => "give it more with --timeout",
            _ => "see what it says with --output inherit, or count such runs with --ignore-failure",
        };
        let point = METRICS[0].point(&cell.params);
        let done_well = self.book.record.measured(&point).next().is_some();
        if !done_well {
            return Err(LoadError::Command {
                title: cell.title,
                why,
                advice,
            });
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
        self.book.note(&point.to_string(), text.clone());
        self.failed.push(text);
        if self.failures.failed(&index, how) {
            let text = format!("'{}' {}", cell.title, not_again());
            self.book.note(&point.to_string(), text);
        }
        Ok(())
    }

    /// What a shell takes by itself, once a round.
    pub(super) fn shell_start(&mut self, round: u32) -> Result<Flow, LoadError> {
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
        let randomization = self.randomization(randomization::Turn::Round(round), &SHELL, &[]);
        let begun = Instant::now();
        let end = start::run(
            self.request,
            [&[], &argv],
            1,
            randomization.env_bytes,
            &self.place,
        )?;
        let child::ChildEnd::Ended(ended) = end else {
            return Ok(Flow::Stopped);
        };
        let at = At {
            round,
            order: u32::try_from(self.cells.cells.len()).unwrap_or(u32::MAX),
            begun,
            took: begun.elapsed(),
            randomization,
        };
        self.keep(&SHELL, &[], &at, Outcome::Draws(vec![SHELL.draw(&ended)]));
        Ok(Flow::On)
    }

    /// Draws what randomization decides of a run: the length of its environment, and no more.
    fn randomization(
        &self,
        turn: randomization::Turn,
        metric: &Metric,
        params: &[(String, String)],
    ) -> Randomization {
        let mut rng = randomization::numbers(self.request.seed, turn, &metric.point(params));
        Randomization {
            stack_offset: 0,
            buffer_offset: 0,
            ..randomization::draw(&mut rng, &CpuChoice::Free, &[])
        }
    }

    fn keep(&mut self, metric: &Metric, params: &[(String, String)], at: &At, outcome: Outcome) {
        let at_ms = at.begun.duration_since(self.started).as_secs_f64() * 1e3;
        self.book.add(Line::Process(Box::new(Process {
            round: at.round,
            order: at.order,
            point: metric.point(params),
            at_ms,
            wall_ms: at.took.as_secs_f64() * 1e3,
            randomization: at.randomization.clone(),
            ghz: None,
            slots: None,
            outcome,
        })));
    }
}

/// When and where in the order a run was.
struct At {
    round: u32,
    order: u32,
    begun: Instant,
    took: Duration,
    randomization: Randomization,
}
