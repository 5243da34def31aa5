//! The rounds of a run, within its time budget.
//!
//! Every section has its processes before points between others have theirs, where time is short: see
//! [`Rank`]. What is left of the budget then goes where intervals are widest, if that was asked for.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use whyslow_model::Point;
use whyslow_model::record::{ClockFacts, End};
use whyslow_probes::{PointPlan, Rank};

use super::{RunSession, Step};
use crate::event::Event;
use crate::request::RunError;
use crate::rounds::order;

/// Where the budget is the default, a slow machine's first round may take this many times as long: a
/// record with holes answers little, and a usual machine needs a fifth of the time.
const FIRST_ROUND: u32 = 3;

/// No more of a budget than this share goes into closing, should the survey have taken long.
const CLOSING: f64 = 0.1;

/// A worker that takes this many times as long as others of its kind takes the time of others.
const SLOW: u32 = 2;

/// Points named among those left out; the others are counted.
const NAMED: usize = 3;

/// What all rounds have in common.
pub(super) struct Rounds<'p> {
    pub(super) points: &'p [PointPlan],
    pub(super) rounds: u32,
    pub(super) clock: ClockFacts,
}

impl RunSession<'_> {
    /// The end of the time for measuring in a round (0 for the scout): the budget from the start of the
    /// command on, less what closing the record takes.
    pub(super) fn until(&self, round: u32) -> Option<Instant> {
        let asked = self.request.budget?;
        let closing = self.closing.min(asked.mul_f64(CLOSING));
        let budget = match round {
            0 | 1 if !self.request.firm => asked * FIRST_ROUND,
            _ => asked,
        };
        Some(self.started + (budget - closing))
    }

    /// Would a worker that takes as long as others of its point, or of its kind, end too late?
    pub(super) fn too_long(&self, plan: &PointPlan, until: Option<Instant>) -> bool {
        until.is_some_and(|until| Instant::now() + self.costs.of(plan) > until)
    }

    /// The end of the time of one worker. In the first round, no worker that takes longer than expected
    /// takes more than half of what is left from points that have no value yet.
    fn fair(
        &self,
        plan: &PointPlan,
        round: u32,
        left: usize,
        until: Option<Instant>,
    ) -> Option<Instant> {
        let until = until?;
        if round > 1 || left < 2 {
            return Some(until);
        }
        let now = Instant::now();
        let half = until.saturating_duration_since(now) / 2;
        Some(until.min(now + half.max(SLOW * self.costs.of(plan))))
    }

    /// All rounds, and what the rest of the budget is good for.
    pub(super) fn rounds(
        &mut self,
        points: &[PointPlan],
        rounds: u32,
        clock: ClockFacts,
    ) -> Result<End, RunError> {
        let all: Vec<usize> = (0..points.len()).collect();
        let (finer, core): (Vec<usize>, Vec<usize>) = all
            .iter()
            .partition(|&&index| points[index].rank == Rank::Between);
        let run = Rounds {
            points,
            rounds,
            clock,
        };
        if let Some(end) = self.round(&run, 1, &core)? {
            return Ok(end);
        }
        let stages: Vec<(u32, &[usize])> = if self.is_short(&run) {
            let first = (2..=rounds).map(|round| (round, &core[..]));
            first
                .chain((1..=rounds).map(|round| (round, &finer[..])))
                .collect()
        } else {
            let rest = (2..=rounds).map(|round| (round, &all[..]));
            std::iter::once((1, &finer[..])).chain(rest).collect()
        };
        for (round, part) in stages {
            if let Some(end) = self.round(&run, round, part)? {
                return Ok(end);
            }
            if let Some(within) = self.is_narrow(round) {
                self.book.note(
                    "run",
                    format!("ended after round {round} of at most {rounds}: {within}"),
                );
                return Ok(End::Complete);
            }
        }
        match self.book.record.header.fill {
            true => self.fill(&run),
            false => Ok(End::Complete),
        }
    }

    /// Is half of what has a value known as well as was asked for? If so, in words.
    fn is_narrow(&self, round: u32) -> Option<String> {
        // Two processes give an interval at all.
        let wanted = self.request.until.filter(|_| round > 1)?;
        let summary = whyslow_stats::record::summarise(&self.book.record);
        let values = summary.points.iter().filter_map(|point| point.value);
        let shares: Vec<f64> = values
            .map(|value| match value.range {
                Some([low, high]) if low > 0.0 => (high - low) / 2.0 / value.value,
                // Nothing is known of how far it would repeat.
                _ => f64::INFINITY,
            })
            .collect();
        let half = whyslow_stats::quantile::median(&shares)?;
        (half <= wanted).then(|| {
            let percent = |share: f64| share * 100.0;
            format!(
                "half of the points are within ±{:.2} %, and ±{} % was asked for",
                percent(half),
                percent(wanted)
            )
        })
    }

    /// Will the processes that are still to come take longer than there is time?
    fn is_short(&self, run: &Rounds<'_>) -> bool {
        let Some(until) = self.until(run.rounds.max(2)) else {
            return false;
        };
        let missing = |plan: &PointPlan| run.rounds - self.had(run, plan);
        let takes = run.points.iter().map(|p| self.costs.of(p) * missing(p));
        Instant::now() + takes.sum::<Duration>() > until
    }

    /// In how many of the rounds a point was measured.
    fn had(&self, run: &Rounds<'_>, plan: &PointPlan) -> u32 {
        let had = (1..=run.rounds).filter(|&round| self.seen(round, &plan.point) > 0);
        had.count() as u32
    }

    /// The points `part` once each, in an order of the round's own; an end where the run is over.
    pub(super) fn round(
        &mut self,
        run: &Rounds<'_>,
        round: u32,
        part: &[usize],
    ) -> Result<Option<End>, RunError> {
        let total = run.points.len() * run.rounds as usize;
        let mut left_out = false;
        let plans: Vec<_> = run.points.iter().collect();
        let order = order(&plans, self.book.record.header.seed, round);
        let order = order.into_iter().filter(|index| part.contains(index));
        let order: Vec<usize> = order.collect();
        let fits = self.fitting(run, round, &order);
        for (position, &index) in order.iter().enumerate() {
            let plan = &run.points[index];
            if self.seen(round, &plan.point) > 0 || self.workers.given_up(&plan.point) {
                continue;
            }
            if self.book.is_full() {
                return Ok(Some(End::Budget));
            }
            // Extra sizes are not what a slow machine is given more time for.
            let until = self.until(match plan.rank {
                Rank::Between => run.rounds.max(2),
                Rank::Section | Rank::Spare => round,
            });
            if !fits.contains(&index) || self.too_long(plan, until) {
                left_out = true;
                continue;
            }
            let done = (round as usize - 1) * run.points.len() + position;
            self.tell(run, round, done, total, &plan.point);
            let until = self.fair(plan, round, order.len() - position, until);
            match self.process(plan, round, position as u32, run.clock, until)? {
                Step::Done => {}
                Step::Stopped => return Ok(Some(End::Interrupted)),
                Step::OutOfTime => left_out = true,
            }
        }
        if left_out {
            let note = self.out_of_time(run);
            self.book.note("budget", note);
            return Ok(Some(End::Budget));
        }
        Ok(None)
    }

    /// The points of `order` for which there is time: all, or else as many as there can be, which are the shortest.
    /// A first round does not choose, since what its points take is not known.
    fn fitting(&self, run: &Rounds<'_>, round: u32, order: &[usize]) -> BTreeSet<usize> {
        let mut left = match self.until(round) {
            Some(until) if round > 1 => until.saturating_duration_since(Instant::now()),
            _ => return order.iter().copied().collect(),
        };
        let missing = |index: &&usize| self.seen(round, &run.points[**index].point) == 0;
        let mut by_cost: Vec<usize> = order.iter().filter(missing).copied().collect();
        by_cost.sort_by_key(|&index| self.costs.of(&run.points[index]));
        let fits = |index: &usize| {
            let takes = self.costs.of(&run.points[*index]);
            let there_is_time = takes <= left;
            left = left.saturating_sub(takes);
            there_is_time
        };
        by_cost.into_iter().take_while(fits).collect()
    }

    /// Reports progress, with the time left by what the points have taken so far.
    fn tell(&mut self, run: &Rounds<'_>, round: u32, done: usize, total: usize, next: &Point) {
        let a_round: Duration = run.points.iter().map(|p| self.costs.of(p)).sum();
        let part = done as f64 / run.points.len() as f64;
        let mut left = a_round.mul_f64((f64::from(run.rounds) - part).max(0.0));
        let end = self.until(round);
        if let Some(end) = end {
            let time = end.saturating_duration_since(Instant::now());
            left = match self.book.record.header.fill {
                true => time,
                false => left.min(time),
            };
        }
        self.book.tell(Event::Step {
            done,
            total,
            left,
            next,
        });
    }

    /// Which points the end of the budget has left without what was planned.
    fn out_of_time(&self, run: &Rounds<'_>) -> String {
        let has = |plan: &&PointPlan, wanted: u32| {
            self.workers.given_up(&plan.point) || self.had(run, plan) >= wanted
        };
        let named = |wanted: u32| {
            let points = run.points.iter().filter(|plan| !has(plan, wanted));
            let points: Vec<String> = points.map(|plan| plan.point.to_string()).collect();
            let mut names = points.iter().take(NAMED).cloned().collect::<Vec<_>>();
            if points.len() > NAMED {
                names.push(format!("{} more", points.len() - NAMED));
            }
            names.join(", ")
        };
        let (without, fewer) = (named(1), named(run.rounds));
        let processes = match run.rounds {
            1 => "its process".to_owned(),
            n => format!("its {n} processes"),
        };
        let what = match without.is_empty() {
            true => format!("intervals are wider than planned; with fewer: {fewer}"),
            false => format!("without any: {without}"),
        };
        format!("the time budget ended the run before every point had {processes}; {what}")
    }
}
