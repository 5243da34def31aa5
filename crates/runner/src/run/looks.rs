//! A run against a record: points are measured on only while their difference from it is open.
//!
//! Stages of rounds end at the looks of [`sequential`]. In a stage every point that is still open is measured once a
//! round, as in any run; what a look settles is measured no further.
//!
//! [`sequential`]: whyslow_stats::sequential

use std::collections::BTreeSet;

use whyslow_model::Point;
use whyslow_model::record::{ClockFacts, End};
use whyslow_probes::PointPlan;
use whyslow_stats::sequential::LOOKS;

use super::RunSession;
use super::pace::Rounds;
use crate::event::Event;
use crate::request::{Baseline, RunError};

/// Leaves of the points those that the record has.
pub(super) fn select(points: &mut Vec<PointPlan>, baseline: &dyn Baseline) -> Result<(), RunError> {
    points.retain(|plan| baseline.most(&plan.point).is_some());
    if points.is_empty() {
        let why = "nothing to measure: this host can measure no point of the record that it is measured against";
        return Err(RunError::Nothing(why.into()));
    }
    Ok(())
}

/// The rounds that stages end with: after the first look, wherever a look is due or points have all their processes.
fn ends(most: impl Iterator<Item = u32>) -> Vec<u32> {
    let most: BTreeSet<u32> = most.collect();
    let last = most.last().copied().unwrap_or(0);
    let all: BTreeSet<u32> = most.into_iter().chain(LOOKS).collect();
    let within = |end: &u32| (LOOKS[0]..=last.max(LOOKS[0])).contains(end);
    all.into_iter().filter(within).collect()
}

impl RunSession<'_> {
    /// All stages.
    pub(super) fn looks(
        &mut self,
        mut points: Vec<PointPlan>,
        baseline: &dyn Baseline,
        clock: ClockFacts,
    ) -> Result<End, RunError> {
        let most = |plan: &PointPlan| baseline.most(&plan.point).unwrap_or(0);
        let mut before = 0;
        for end in ends(points.iter().map(most)) {
            // Points that have all their processes have had their last look.
            points.retain(|plan| most(plan) > before);
            self.book.tell(Event::Planned {
                points: points.len(),
                rounds: end,
            });
            let ended = match before {
                // The first look takes what any run does: levels before points between others.
                0 => self.rounds(&points, end, clock)?,
                _ => self.stage(&points, before, end, clock)?,
            };
            if ended != End::Complete {
                return Ok(ended);
            }
            if LOOKS.contains(&end) {
                self.look(&mut points, end, baseline);
            }
            before = end;
        }
        Ok(End::Complete)
    }

    /// The rounds after `before` up to `end`.
    fn stage(
        &mut self,
        points: &[PointPlan],
        before: u32,
        end: u32,
        clock: ClockFacts,
    ) -> Result<End, RunError> {
        if points.is_empty() {
            return Ok(End::Complete);
        }
        let all: Vec<usize> = (0..points.len()).collect();
        let run = Rounds {
            points,
            rounds: end,
            clock,
        };
        for round in before + 1..=end {
            if let Some(ended) = self.round(&run, round, &all)? {
                return Ok(ended);
            }
        }
        Ok(End::Complete)
    }

    /// Leaves the points that are open, among those that may have further processes.
    fn look(&mut self, points: &mut Vec<PointPlan>, round: u32, baseline: &dyn Baseline) {
        let further = |plan: &&PointPlan| {
            let most = baseline.most(&plan.point).unwrap_or(0);
            most > round && !self.workers.given_up(&plan.point)
        };
        let asked: BTreeSet<Point> = points
            .iter()
            .filter(further)
            .map(|p| p.point.clone())
            .collect();
        if asked.is_empty() {
            return;
        }
        let open = baseline.open(&self.book.record, &asked);
        points.retain(|plan| open.contains(&plan.point));
        let (settled, of) = (asked.len() - open.len(), asked.len());
        self.book.note(
            "against",
            format!("after {round} processes a point, {settled} of {of} were settled and measured no further"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_end_at_looks_and_where_points_have_all() {
        assert_eq!(ends([20, 20].into_iter()), [5, 10, 20]);
        assert_eq!(ends([12, 7, 12].into_iter()), [5, 7, 10, 12]);
        assert_eq!(ends([5].into_iter()), [5]);
        assert_eq!(ends([10, 5].into_iter()), [5, 10]);
    }
}
