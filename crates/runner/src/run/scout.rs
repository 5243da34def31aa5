//! The scout: the latency curve before all else, as other points take their sizes from its levels.

use whyslow_model::glob::Globs;
use whyslow_model::record::{ClockFacts, End, SizedBy};
use whyslow_probes::{Intensity, PlanContext, PointPlan, ReachCheck};
use whyslow_stats::record::Cut;

use super::{RunSession, Step};
use crate::plan::work;
use crate::request::RunError;

/// The points whose scout finds the levels that other points take their sizes from.
const SCOUT: &str = "mem.latency{*order=random,pages=4k}";

/// Passes of the scout over the curve: two, as one has been seen to miss a level where two did not; six where that does
/// not help, and then what the curve shows is what it is. Passes of points that the run measures anyway are its first
/// rounds, and as many as it has.
const FEWEST_SCOUTS: u32 = 2;
const MOST_SCOUTS: u32 = 6;

/// Tries at showing where memory begins. Others on a core can slow the one process of a size threefold, and then a working
/// set that a cache holds looks like memory.
const REACH_TRIES: usize = 3;

/// No further pass after this share of a budget: the rest is for what was asked for.
const SHARE: f64 = 0.25;

/// A pass is cut short after this share.
const MOST_SHARE: f64 = 0.5;

impl RunSession<'_> {
    /// A process or more for every second size of the latency curve, which gives the levels: until the curve shows as
    /// many as the host claims, as one pass over a noisy host may not. Where it shows none, the claimed sizes have to do.
    ///
    /// Processes of points that are asked for are of rounds, like all others; those of other points are short, and of
    /// no value.
    pub(super) fn scout(&mut self, clock: ClockFacts) -> Result<Option<End>, RunError> {
        if let Some(sized_by) = &self.book.record.plan.sized_by {
            // A run that is resumed: other sizes would make other points.
            self.context.sized_by = Some(sized_by.clone());
            self.context.beyond_bytes = self.book.record.plan.beyond_bytes;
            return Ok(None);
        }
        if let Some(check) = ReachCheck::of(&self.context)
            && let Some(end) = self.reach(&check, clock)?
        {
            return Ok(Some(end));
        }
        let (asked, scouts) = self.scouts();
        let claimed = self.context.caches.len();
        let most = match asked.len() == scouts.len() {
            true => self.book.record.header.rounds.min(MOST_SCOUTS),
            false => MOST_SCOUTS,
        };
        // Where a pass takes that long, what was asked for is worth more than the levels.
        let budget = self.request.budget;
        let until = budget.map(|budget| self.started + budget.mul_f64(MOST_SHARE));
        let mut found = Cut::default();
        'passes: for pass in 1..=most {
            for (i, plan) in scouts.iter().enumerate() {
                let is_asked = asked.contains(&plan.point);
                let round = if is_asked { pass } else { 0 };
                let had = self.seen(round, &plan.point);
                if had >= if is_asked { 1 } else { pass as usize } {
                    continue;
                }
                match self.process(plan, round, i as u32, clock, until)? {
                    Step::Done => {}
                    Step::Stopped => return Ok(Some(End::Interrupted)),
                    Step::OutOfTime => {
                        let cut = "the time budget cut the search for the caches short";
                        self.book.note("levels", cut);
                        break 'passes;
                    }
                }
            }
            found = whyslow_stats::record::scouted(&self.book.record);
            let as_claimed = claimed == 0 || found.levels.len() == claimed + 1;
            let late = budget.is_some_and(|budget| self.started.elapsed() > budget.mul_f64(SHARE));
            if late || (pass >= FEWEST_SCOUTS && as_claimed) {
                break;
            }
        }
        for note in found.notes {
            self.book.note("levels", note);
        }
        self.context.sized_by = match found.levels.is_empty() {
            false => Some(SizedBy::Curve(found.levels)),
            true if self.context.caches.iter().any(|c| c.bytes.is_some()) => {
                let why = "no levels when the run was planned: points of a level have the sizes that the kernel claims";
                self.book.note("levels", why);
                Some(SizedBy::Claims)
            }
            true => None,
        };
        Ok(None)
    }

    /// Three short processes, of no value, that may show that memory begins far below four times the claimed last-level
    /// cache: half of a curve's time goes into its largest sizes. Again where they do not, as they may have been disturbed.
    fn reach(&mut self, check: &ReachCheck, clock: ClockFacts) -> Result<Option<End>, RunError> {
        let context = PlanContext {
            intensity: Intensity::Quick,
            beyond_bytes: Some(check.beyond()),
            ..self.context.clone()
        };
        let curve = Globs::parse(&format!(
            "mem.latency{{*order=random,pages={}}}",
            check.pages
        ));
        let plans = work(&context, &curve, None, &[]).points;
        let plans = plans.iter().filter(|plan| {
            let size = plan.size_bytes;
            size.is_some_and(|bytes| check.sizes.contains(&bytes))
        });
        let plans: Vec<_> = plans.collect();
        for before in 0..REACH_TRIES {
            for (i, plan) in plans.iter().enumerate() {
                if self.seen(0, &plan.point) > before {
                    continue;
                }
                if let Step::Stopped = self.process(plan, 0, i as u32, clock, None)? {
                    return Ok(Some(End::Interrupted));
                }
            }
            if whyslow_stats::record::is_memory(&self.book.record, check.pages, check.sizes) {
                self.context.beyond_bytes = Some(check.beyond());
                break;
            }
        }
        Ok(None)
    }

    /// The points of the scout, and which of them are asked for.
    fn scouts(&self) -> (Vec<whyslow_model::Point>, Vec<PointPlan>) {
        let coarse = PlanContext {
            intensity: Intensity::Quick,
            ..self.context.clone()
        };
        let mut scouts = work(&coarse, &Globs::parse(SCOUT), None, &[]).points;
        scouts.retain(|plan| !plan.extra);
        let request = self.request;
        let suite = request.suite.as_deref();
        let asked = work(&self.context, &request.only, suite, &request.copies).points;
        let asked = asked.into_iter().map(|plan| plan.point);
        let asked = asked.filter(|point| scouts.iter().any(|s| s.point == *point));
        (asked.collect(), scouts)
    }
}
