//! What a run would measure here, without measuring.

use std::env;

use whyslow_host::HostRoot;
use whyslow_model::glob::Globs;
use whyslow_model::record::Skipped;
use whyslow_probes::{Intensity, PointPlan};

use crate::context::context;
use crate::levels;
use crate::plan::{Selection, idle, work};
use crate::request::RunError;

/// The points of a run that has not begun.
#[derive(Debug)]
pub struct Outlook {
    /// Points that would be measured.
    pub points: Vec<PointPlan>,
    /// What would be left out, and why.
    pub skipped: Vec<Skipped>,
    /// Probes whose points take their sizes from the levels that the run finds first.
    pub by_levels: Vec<&'static str>,
}

/// The points that a run with `--only only` and `suite` would measure on this host.
///
/// # Errors
/// When one of the globs selects nothing here, in words for the user.
pub fn outlook(
    intensity: Intensity,
    only: &Globs,
    suite: Option<&str>,
) -> Result<Outlook, RunError> {
    let root = HostRoot::live();
    let here = env::current_dir().unwrap_or_else(|_| "/".into());
    let state = root.state(&here, &env::temp_dir());
    let context = context(&root.facts(), &state, intensity);
    if let Some(what) = idle(&context, only, suite) {
        return Err(RunError::Nothing(what));
    }
    let Selection { points, skipped } = work(&context, only, suite, &[]);
    Ok(Outlook {
        points,
        skipped,
        by_levels: levels::needed_by(only, suite),
    })
}
