//! The rounds of a run, within its time budget.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use whyslow_model::Point;
use whyslow_model::record::{ClockFacts, End};
use whyslow_probes::PointPlan;

use super::{Session, Step};
use crate::event::Event;
use crate::request::RunError;
use crate::rounds::order;

/// Where nobody asked for the budget, a slow machine's first round may take this many times as long: a
/// record with holes answers little, and a usual machine needs a fifth of the time.
const FIRST_ROUND: u32 = 3;

/// No more of a budget than this share goes into closing, should the survey have taken long.
const CLOSING: f64 = 0.1;

/// A worker that takes this many times as long as others of its kind takes the time of others.
const SLOW: u32 = 2;

/// Points named among those left out; the others are counted.
const NAMED: usize = 3;

impl Session<'_> {
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
    fn too_long(&self, plan: &PointPlan, until: Option<Instant>) -> bool {
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

    /// All rounds.
    pub(super) fn rounds(
        &mut self,
        points: &[PointPlan],
        rounds: u32,
        clock: ClockFacts,
    ) -> Result<End, RunError> {
        let total = points.len() * rounds as usize;
        let mut done = 0;
        for round in 1..=rounds {
            let until = self.until(round);
            let mut left_out = BTreeSet::new();
            let order = order(points.len(), self.book.record.header.seed, round);
            for (position, &index) in order.iter().enumerate() {
                let plan = &points[index];
                done += 1;
                if self.seen(round, &plan.point) > 0 || self.workers.given_up(&plan.point) {
                    continue;
                }
                if self.book.is_full() {
                    return Ok(End::Budget);
                }
                // Shorter points of the round may still fit.
                if self.too_long(plan, until) {
                    left_out.insert(&plan.point);
                    continue;
                }
                self.tell(points, rounds, round, done - 1, total, &plan.point);
                let until = self.fair(plan, round, order.len() - position, until);
                match self.process(plan, round, position as u32, clock, until)? {
                    Step::Done => {}
                    Step::Stopped => return Ok(End::Interrupted),
                    Step::OutOfTime => {
                        left_out.insert(&plan.point);
                    }
                }
            }
            if !left_out.is_empty() {
                self.book
                    .note("budget", out_of_time(round, rounds, &left_out));
                return Ok(End::Budget);
            }
        }
        Ok(End::Complete)
    }

    /// Reports progress, with the time left by what the points have taken so far.
    fn tell(
        &mut self,
        points: &[PointPlan],
        rounds: u32,
        round: u32,
        done: usize,
        total: usize,
        next: &Point,
    ) {
        let a_round: Duration = points.iter().map(|p| self.costs.of(p)).sum();
        let in_round = done - (round as usize - 1) * points.len();
        let share = 1.0 - in_round as f64 / points.len() as f64;
        let mut left = a_round.mul_f64(share + f64::from(rounds - round));
        if let Some(until) = self.until(round) {
            left = left.min(until.saturating_duration_since(Instant::now()));
        }
        self.book.tell(Event::Step {
            done,
            total,
            left,
            next,
        });
    }
}

/// What the end of the budget has left out of a round.
fn out_of_time(round: u32, rounds: u32, left_out: &BTreeSet<&Point>) -> String {
    let mut names: Vec<String> = left_out
        .iter()
        .take(NAMED)
        .map(ToString::to_string)
        .collect();
    if left_out.len() > NAMED {
        names.push(format!("{} more", left_out.len() - NAMED));
    }
    let cost = match round {
        1 => "these have no value",
        _ => "intervals are wider than planned",
    };
    format!(
        "the time budget ended the run in round {round} of {rounds}; {cost}; left out of that round: {}",
        names.join(", ")
    )
}
