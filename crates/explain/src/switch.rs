//! What a cause declares of its experiment.

use whyslow_model::experiment::{Sensed, Tried};

/// How a cause is switched on and off on a live host. Conditions are those of the crate `conditions`,
/// written `seccomp=200`; points are as `whyslow list` writes them, with `{L2}` for a size that is
/// the second-level cache's.
///
/// Three kinds of processes are compared. The *reference* never met the switch. *Off* has all that the
/// switch needs, set to nothing: against the reference it is the placebo, and what remains of the
/// difference. *On* has the cause.
#[derive(Debug)]
pub struct Switch {
    /// What is switched, to fill "switching ... on and off".
    pub what: &'static str,
    /// What it needs beside a user's rights; empty for nothing. One that changes the whole machine says
    /// so here and is tried only when it is named.
    pub needs: &'static str,
    /// Does it change the whole machine, and not only processes of ours?
    pub global: bool,
    /// Points that it must move; the first is the one that decides.
    pub moves: &'static [&'static str],
    /// What the reference measures in place of each of those; empty for the same.
    pub reference_points: &'static [&'static str],
    /// What off measures in place of each of those; empty for the same.
    pub off_points: &'static [&'static str],
    /// Points that it must not move.
    pub spares: &'static [&'static str],
    /// Conditions of the reference.
    pub reference: &'static [&'static str],
    /// Conditions without the cause.
    pub off: &'static [&'static str],
    /// Conditions with less of the cause, ascending.
    pub doses: &'static [&'static [&'static str]],
    /// Conditions with the cause.
    pub on: &'static [&'static str],
    /// Must pinned work run on the first usable CPU, as the conditions say where neighbors are?
    pub first_cpu: bool,
    /// Is the switch in the points alone, so that only their processes show whether it took?
    pub in_points: bool,
    /// Draws a process: one, as blocks are what is repeated, but where the draw of pages itself is the cause.
    pub draws: u32,
    /// Length of a batch, ns, where that of the points is too short to be hit.
    pub batch_ns: Option<f64>,
    /// The manipulation check: what shows, in what processes see, that the switch took; or what was seen
    /// in its place.
    pub took: fn(off: &Sensed, on: &Sensed) -> Result<String, NotTaken>,
}

/// Why a switch does not count as switched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotTaken {
    /// Processes see the same with the cause as without, or something else than it makes.
    #[error("{0}")]
    Otherwise(String),
    /// What would show it is not shown on this host.
    #[error("{0}")]
    Unseen(String),
    /// The cause declares no check.
    #[error("this switch has no check")]
    NoCheck,
}

/// Stands in a point for the size of this host's second-level cache.
pub(crate) const SECOND_LEVEL: &str = "{L2}";

impl Switch {
    /// A switch that only inherited conditions make; to be filled in.
    pub(crate) const INHERITED: Switch = Switch {
        what: "",
        needs: "",
        global: false,
        moves: &[],
        reference_points: &[],
        off_points: &[],
        spares: &[],
        reference: &[],
        off: &["nothing"],
        doses: &[],
        on: &[],
        first_cpu: false,
        in_points: false,
        draws: 1,
        batch_ns: None,
        took: |_, _| Err(NotTaken::NoCheck),
    };
}

/// What both kinds of processes found by trying, off and on.
///
/// # Errors
/// When one of them could not try it: whether the switch took is then unknown.
pub(crate) fn tried(
    off: &Sensed,
    on: &Sensed,
    what: &str,
    of: impl Fn(&Tried) -> Option<f64>,
) -> Result<[f64; 2], NotTaken> {
    match (of(&off.tried), of(&on.tried)) {
        (Some(off), Some(on)) => Ok([off, on]),
        _ => Err(unseen(format!("{what}: not sensed here"))),
    }
}

/// Says that `what` was seen as wanted, or not.
pub(crate) fn seen(took: bool, what: String) -> Result<String, NotTaken> {
    if took {
        Ok(what)
    } else {
        Err(NotTaken::Otherwise(what))
    }
}

/// Says that what would show it is not shown here.
pub(crate) fn unseen(what: impl Into<String>) -> NotTaken {
    NotTaken::Unseen(what.into())
}
