//! What a run would measure here, without measuring.

use std::env;

use whyslow_host::HostRoot;
use whyslow_model::glob::Globs;
use whyslow_model::record::Skipped;
use whyslow_probes::{Intensity, PointPlan};

use crate::context::context;
use crate::levels;
use crate::plan::{Work, work};

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

/// The points that a run with `--only only_text` and `suite` would measure on this host.
pub fn outlook(intensity: Intensity, only_text: &str, suite: Option<&str>) -> Outlook {
    let root = HostRoot::live();
    let here = env::current_dir().unwrap_or_else(|_| "/".into());
    let state = root.state(&here, &env::temp_dir());
    let context = context(&root.facts(), &state, intensity);
    let only = Globs::parse(only_text);
    let Work { points, skipped } = work(&context, &only, only_text, suite, &[]);
    Outlook {
        points,
        skipped,
        by_levels: levels::needed_by(&only, suite),
    }
}
