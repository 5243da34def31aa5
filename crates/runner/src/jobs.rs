//! From the plan of a point to what one worker is told.

use std::collections::BTreeMap;
use std::path::Path;

use rand_xoshiro::rand_core::Rng;
use whyslow_model::job::{Fault, Job};
use whyslow_model::record::{ClockFacts, ValueRule};
use whyslow_probes::{PlanContext, PointPlan};

use crate::randomization;

/// What a run or an experiment decides of a job; all else follows from plan, host and randomization.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wish<'a> {
    pub(crate) draws: u32,
    pub(crate) samples: u32,
    pub(crate) batch_ns: f64,
    /// The series to measure; empty for all.
    pub(crate) only_series: &'a [String],
    /// The folder for files, given to points that need one.
    pub(crate) scratch: Option<&'a Path>,
    pub(crate) fault: Option<Fault>,
}

/// The job of one process of `plan`, whose randomization is drawn from `rng`. Its iterations are those that
/// [`Workers`](crate::workers::Workers) know.
pub(crate) fn job(
    context: &PlanContext,
    clock: ClockFacts,
    plan: &PointPlan,
    rng: &mut impl Rng,
    wish: Wish<'_>,
) -> Job {
    let scratch = wish.scratch.filter(|_| plan.scratch);
    Job {
        point: plan.point.clone(),
        randomization: randomization::draw(rng, &plan.cpus, &context.cpus),
        draws: wish.draws,
        samples: wish.samples,
        batch_ns: wish.batch_ns,
        iterations: BTreeMap::new(),
        only_series: wish.only_series.to_vec(),
        best_counts: plan.value == ValueRule::Best,
        clock: Some(clock),
        size_bytes: plan.size_bytes,
        llc_bytes: context.llc_at_most(),
        line_bytes: context.line_bytes,
        colors: context.colors,
        scratch: scratch.map(|path| path.display().to_string()),
        copy: None,
        fault: wish.fault,
    }
}
