//! `whyslow explain --experiment`: switches causes on and off on this host.

use std::sync::atomic::Ordering;
use std::time::Duration;

use whyslow_explain::{ExperimentStep, Experiments, Lab, Switchable};
use whyslow_host::HostRoot;
use whyslow_model::experiment::{Sensed, Trial};
use whyslow_runner::{Request, RunError, TrialPlan, TrialStep, look_around, trial};

use crate::commands::put_back::PutBack;
use crate::progress::Progress;

/// Longest that a first look at a condition may take.
const LOOK: Duration = Duration::from_secs(20);

/// This host.
struct Here<'a> {
    request: &'a Request,
    second_level: Option<u64>,
}

impl Lab for Here<'_> {
    fn look(&self, conditions: &[String]) -> Result<Sensed, String> {
        look_around(&self.request.worker, conditions, LOOK).map_err(|why| why.to_string())
    }

    fn measure(
        &self,
        plan: &TrialPlan,
        on: &mut dyn FnMut(TrialStep<'_>),
    ) -> Result<Trial, RunError> {
        trial(plan, self.request, on)
    }

    fn stopped(&self) -> bool {
        self.request.stop.load(Ordering::Relaxed)
    }

    fn second_level(&self) -> Option<u64> {
        self.second_level
    }
}

/// Tries causes, with a bar.
pub(super) fn try_all(causes: &[Switchable], request: &Request, blocks: u32) -> Experiments {
    let here = Here {
        request,
        second_level: HostRoot::live().facts().data_cache_bytes(2),
    };
    let progress = Progress::new();
    let _put_back = PutBack::begin();
    let mut on_step = |step: ExperimentStep<'_>| match step {
        ExperimentStep::Looking { cause } => {
            progress.says(&format!("{cause}: looking whether it can be switched"));
        }
        ExperimentStep::Measuring { cause, step } => {
            let text = format!("{cause}  {}", step.next);
            progress.step(step.done, step.total, &text);
        }
    };
    let tried = whyslow_explain::try_all(causes, &here, blocks, &mut on_step);
    progress.done();
    tried
}
