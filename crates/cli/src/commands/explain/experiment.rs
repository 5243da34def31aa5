//! `whyslow explain --experiment`: switches causes on and off on this host.

use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Result, bail};
use whyslow_explain::causes::CAUSES;
use whyslow_explain::{Cause, Switch, adjust, did_not_take, judge, trial_plan};
use whyslow_host::HostRoot;
use whyslow_model::experiment::Experiment;
use whyslow_model::explanation::{CauseVerdict, Explanation};
use whyslow_model::record::Skipped;
use whyslow_runner::{Request, TrialStep, look_around, trial};

use crate::commands::restore::PutBack;
use crate::progress::Progress;

/// Blocks of an experiment: with ten, an effect of one and a half times the spread of a block is shown.
pub(crate) const BLOCKS: u32 = 10;

/// Longest that a first look at a condition may take.
const LOOK: Duration = Duration::from_secs(20);

/// What was tried, and what could not be.
#[derive(Debug, Default)]
pub(crate) struct Tried {
    pub(crate) done: Vec<Experiment>,
    pub(crate) skipped: Vec<Skipped>,
}

/// The causes to try: the one that is named, else those that `found` by records leaves open, else all
/// that can be switched without changing the machine.
pub(crate) fn chosen(
    named: &str,
    found: Option<&Explanation>,
) -> Result<Vec<(&'static Cause, &'static Switch)>> {
    let all = || CAUSES.iter().filter_map(|c| Some((*c, c.switch?)));
    if !named.is_empty() {
        if let Some(found) = all().find(|(c, _)| c.id == named) {
            return Ok(vec![found]);
        }
        let names: Vec<&str> = all().map(|(c, _)| c.id).collect();
        if CAUSES.iter().any(|c| c.id == named) {
            bail!(
                "'{named}' cannot be switched on a live host; these can: {}",
                names.join(", ")
            );
        }
        bail!(
            "'{named}' is no cause; those that can be switched are {}",
            names.join(", ")
        );
    }
    let safe = all().filter(|(_, s)| !s.global);
    let Some(found) = found else {
        return Ok(safe.collect());
    };
    // In the order of the explanation: the likeliest first.
    let open = found.causes.iter().filter(|c| {
        let open = c.verdict <= CauseVerdict::CannotTell && c.weight > 0.0;
        open && (c.verdict <= CauseVerdict::Consistent || !c.covers.is_empty())
    });
    let safe: Vec<_> = safe.collect();
    Ok(open
        .filter_map(|f| safe.iter().find(|(c, _)| c.id == f.cause).copied())
        .collect())
}

/// Tries them one after the other.
pub(crate) fn try_all(
    causes: &[(&'static Cause, &'static Switch)],
    request: &Request,
    blocks: u32,
) -> Result<Tried> {
    let mut tried = Tried::default();
    let progress = Progress::new();
    let _put_back = PutBack::begin();
    let stopped = || request.stop.load(Ordering::Relaxed);
    for (cause, switch) in causes {
        progress.says(&format!("{}: looking whether it can be switched", cause.id));
        match one(cause, switch, request, blocks, &progress) {
            Ok(experiment) => tried.done.push(experiment),
            Err(why) => tried.skipped.push(Skipped {
                what: cause.id.to_owned(),
                why: match switch.needs {
                    _ if stopped() => "stopped before there was anything to tell".to_owned(),
                    "" => why,
                    needs => format!("{why} (needs {needs})"),
                },
            }),
        }
        if stopped() {
            break;
        }
    }
    progress.done();
    adjust(&mut tried.done);
    Ok(tried)
}

/// One experiment; or why it cannot be made here.
fn one(
    cause: &Cause,
    switch: &Switch,
    request: &Request,
    blocks: u32,
    progress: &Progress,
) -> Result<Experiment, String> {
    let second_level = HostRoot::live().facts().data_cache_bytes(2);
    let plan = trial_plan(switch, blocks, second_level)?;
    let look = |arm: usize| {
        let conditions = plan.arms.get(arm).map_or(&[][..], Vec::as_slice);
        look_around(&request.worker, conditions, LOOK).map_err(|why| why.to_string())
    };
    let [off, on] = [1, plan.arms.len() - 1];
    // A switch that does not take is not worth a minute of measuring.
    if !switch.in_points
        && let Err(saw) = (switch.took)(&look(off)?, &look(on)?)
    {
        return Ok(did_not_take(cause, switch, saw));
    }
    let mut on_step = |step: TrialStep<'_>| {
        progress.step(
            step.done,
            step.total,
            &format!("{}  {}", cause.id, step.next),
        );
    };
    let measured = trial(&plan, request, &mut on_step).map_err(|e| e.to_string())?;
    Ok(judge(cause, switch, &plan, &measured))
}
