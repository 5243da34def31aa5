//! The scout: a first look at the latency curve, from which other points take their sizes.

use whyslow_model::glob::Globs;
use whyslow_model::record::{ClockFacts, End};
use whyslow_probes::{Intensity, PlanContext};
use whyslow_stats::record::Cut;

use super::{Session, Step};
use crate::plan::work;
use crate::request::RunError;

/// The points whose scout finds the levels that other points take their sizes from.
const SCOUT: &str = "mem.latency{*order=random,pages=4k}";

/// Passes of the scout over the curve, about 2 s each: two, as one has been seen to miss a level
/// where two did not; six where that does not help, and then what the curve shows is what it is.
const FEWEST_SCOUTS: usize = 2;
const MOST_SCOUTS: usize = 6;

/// No further pass after this share of a budget: the rest is for what was asked for.
const SHARE: f64 = 0.15;

/// A pass is cut short after this share.
const MOST_SHARE: f64 = 0.4;

impl Session<'_> {
    /// A process or more for every second size of the latency curve, which gives the levels: until
    /// the curve shows as many as the host claims, as one pass over a noisy host may not.
    pub(super) fn scout(&mut self, clock: ClockFacts) -> Result<Option<End>, RunError> {
        let coarse = PlanContext {
            intensity: Intensity::Quick,
            ..self.context.clone()
        };
        let mut scouts = work(&coarse, &Globs::parse(SCOUT), None, &[]);
        scouts.points.retain(|plan| !plan.extra);
        let claimed = self.context.caches.len();
        // Where a pass takes that long, what was asked for is worth more than the levels.
        let budget = self.request.budget;
        let until = budget.map(|budget| self.started + budget.mul_f64(MOST_SHARE));
        let mut levels = Cut::default();
        'passes: for pass in 0..MOST_SCOUTS {
            for (i, plan) in scouts.points.iter().enumerate() {
                let order = (pass * scouts.points.len() + i) as u32;
                if self.seen(0, &plan.point) > pass {
                    continue;
                }
                match self.process(plan, 0, order, clock, until)? {
                    Step::Done => {}
                    Step::Stopped => return Ok(Some(End::Interrupted)),
                    Step::OutOfTime => {
                        let cut = "the time budget cut the search for the caches short";
                        self.book.note("levels", cut);
                        break 'passes;
                    }
                }
            }
            levels = whyslow_stats::record::scouted(&self.book.record);
            let as_claimed = claimed == 0 || levels.levels.len() == claimed + 1;
            let late = budget.is_some_and(|budget| self.started.elapsed() > budget.mul_f64(SHARE));
            if late || (pass + 1 >= FEWEST_SCOUTS && as_claimed) {
                break;
            }
        }
        for note in levels.notes {
            self.book.note("levels", note);
        }
        self.context.levels = levels.levels;
        Ok(None)
    }
}
