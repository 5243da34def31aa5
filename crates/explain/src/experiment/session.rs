//! Experiments, one after the other.

use whyslow_model::experiment::{Experiment, Sensed, Trial};
use whyslow_model::record::Skipped;
use whyslow_runner::{RunError, TrialPlan, TrialStep};

use super::choice::Switchable;
use super::layout::Layout;
use super::{ExperimentError, adjust, did_not_take, judge};

/// The host that experiments are made on.
pub trait Lab {
    /// What a process under `conditions` sees of its surroundings.
    ///
    /// # Errors
    /// When none can be put under them, in the words of the condition.
    fn look(&self, conditions: &[String]) -> Result<Sensed, String>;

    /// Measures what `plan` says, and reports each step to `on`.
    ///
    /// # Errors
    /// When nothing can be measured, or the user stopped it before there was anything to tell.
    fn measure(
        &self,
        plan: &TrialPlan,
        on: &mut dyn FnMut(TrialStep<'_>),
    ) -> Result<Trial, RunError>;

    /// Did the user ask to stop?
    fn stopped(&self) -> bool;

    /// Bytes of its second-level cache, where it claims one.
    fn second_level(&self) -> Option<u64>;
}

/// Progress of experiments.
#[derive(Debug)]
pub enum ExperimentStep<'a> {
    /// It is found out whether the cause can be switched here.
    Looking {
        /// The cause.
        cause: &'static str,
    },
    /// A process is measured.
    Measuring {
        /// The cause.
        cause: &'static str,
        /// How far its experiment is.
        step: TrialStep<'a>,
    },
}

/// What was tried, and what could not be.
#[derive(Debug, Default)]
pub struct Experiments {
    /// Experiments, whatever they show.
    pub done: Vec<Experiment>,
    /// Causes without one, and why.
    pub not_tried: Vec<Skipped>,
}

/// Tries `causes` in `lab`, one after the other, until the user stops it. `on` is told of every step.
pub fn try_all(
    causes: &[Switchable],
    lab: &dyn Lab,
    blocks: u32,
    on: &mut dyn FnMut(ExperimentStep<'_>),
) -> Experiments {
    let mut tried = Experiments::default();
    for &cause in causes {
        on(ExperimentStep::Looking { cause: cause.0.id });
        match one(cause, lab, blocks, on) {
            Ok(experiment) => tried.done.push(experiment),
            // Whatever a process that the signal reached first reports.
            Err(_) if lab.stopped() => {
                let why = ExperimentError::Stopped;
                tried.not_tried.push(not_tried(cause, &why));
            }
            Err(why) => tried.not_tried.push(not_tried(cause, &why)),
        }
        if lab.stopped() {
            break;
        }
    }
    adjust(&mut tried.done);
    tried
}

/// One experiment; or why it cannot be made here.
fn one(
    (cause, switch): Switchable,
    lab: &dyn Lab,
    blocks: u32,
    on: &mut dyn FnMut(ExperimentStep<'_>),
) -> Result<Experiment, ExperimentError> {
    let layout = Layout::of(switch, blocks, lab.second_level())?;
    let look = |arm: usize| {
        let saw = lab.look(layout.conditions(arm));
        saw.map_err(ExperimentError::Conditions)
    };
    // A switch that does not take is not worth a minute of measuring.
    if !switch.in_points
        && let Err(saw) = (switch.took)(&look(layout.off())?, &look(layout.on())?)
    {
        return Ok(did_not_take(cause, switch, &saw.to_string()));
    }
    let mut on_step = |step: TrialStep<'_>| {
        on(ExperimentStep::Measuring {
            cause: cause.id,
            step,
        });
    };
    let measured = lab.measure(layout.plan(), &mut on_step)?;
    Ok(judge(cause, switch, &layout, &measured))
}

fn not_tried((cause, switch): Switchable, why: &ExperimentError) -> Skipped {
    Skipped {
        what: cause.id.to_owned(),
        why: match (why, switch.needs) {
            (ExperimentError::Stopped, _) | (_, "") => why.to_string(),
            (_, needs) => format!("{why} (needs {needs})"),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::path::Path;

    use whyslow_host::{HostRoot, Live};
    use whyslow_model::experiment::ExperimentVerdict;

    use super::*;
    use crate::causes::nothing;
    use crate::switch::{NotTaken, Switch};

    const SWITCH: Switch = Switch {
        what: "something that a test makes up",
        needs: "root",
        moves: &["os.null_call"],
        on: &["seccomp=200"],
        took: |_, _| Ok("it took".to_owned()),
        ..Switch::INHERITED
    };

    /// A host where every worker ends early, by a signal to stop if `stops`.
    struct Bare {
        sees: Result<(), String>,
        stops: bool,
        looks: Cell<u32>,
        measured: Cell<u32>,
    }

    impl Bare {
        fn new() -> Bare {
            Bare {
                sees: Ok(()),
                stops: false,
                looks: Cell::new(0),
                measured: Cell::new(0),
            }
        }

        fn tried(&self, switch: &'static Switch) -> Experiments {
            let causes = [(&nothing::CAUSE, switch), (&nothing::CAUSE, switch)];
            try_all(&causes, self, 3, &mut |_| ())
        }
    }

    impl Lab for Bare {
        fn look(&self, _: &[String]) -> Result<Sensed, String> {
            self.looks.set(self.looks.get() + 1);
            let root = HostRoot::at("a folder that is not there", Live::nothing());
            let nowhere = Path::new("/");
            self.sees.clone().map(|()| Sensed {
                state: root.state(nowhere, nowhere),
                tried: Default::default(),
            })
        }

        fn measure(
            &self,
            _: &TrialPlan,
            _: &mut dyn FnMut(TrialStep<'_>),
        ) -> Result<Trial, RunError> {
            self.measured.set(self.measured.get() + 1);
            Err(RunError::Nothing("a worker ended early".to_owned()))
        }

        fn stopped(&self) -> bool {
            self.stops && self.measured.get() > 0
        }

        fn second_level(&self) -> Option<u64> {
            None
        }
    }

    #[test]
    fn a_switch_that_does_not_take_is_not_measured() {
        const BROKEN: Switch = Switch {
            took: |_, _| Err(NotTaken::Otherwise("the same on and off".to_owned())),
            ..SWITCH
        };
        let lab = Bare::new();
        let tried = lab.tried(&BROKEN);
        assert_eq!((lab.looks.get(), lab.measured.get()), (4, 0));
        assert_eq!(tried.done[0].verdict, ExperimentVerdict::Undecided);
        assert_eq!(tried.done[0].manipulation.text, "the same on and off");
    }

    #[test]
    fn what_cannot_be_tried_says_what_it_needs() {
        let mut lab = Bare::new();
        lab.sees = Err("seccomp=200: no".to_owned());
        for tried in lab.tried(&SWITCH).not_tried {
            assert_eq!(tried.why, "seccomp=200: no (needs root)");
        }
        const SIZED: Switch = Switch {
            moves: &["mem.latency{size={L2}}"],
            needs: "",
            ..SWITCH
        };
        let tried = Bare::new().tried(&SIZED);
        assert_eq!(
            tried.not_tried[0].why,
            "the host claims no second-level cache"
        );
    }

    #[test]
    fn a_stop_by_the_user_is_no_fault_of_the_host_and_ends_all() {
        let mut lab = Bare::new();
        lab.stops = true;
        let [only] = &lab.tried(&SWITCH).not_tried[..] else {
            panic!("it goes on");
        };
        assert_eq!(only.why, "stopped before there was anything to tell");
    }
}
