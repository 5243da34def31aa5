//! Which points take their sizes from the levels that the scout finds.

use whyslow_model::glob::Globs;
use whyslow_model::id;

/// Probes that need the scout's levels before they can name their points.
const PROBES: [&str; 4] = [
    id::MEM_BANDWIDTH,
    id::MEM_LIBC,
    id::MEM_PARALLELISM,
    id::MEM_STREAM,
];

/// Does the probe take sizes from the levels that the scout finds?
pub(crate) fn of_levels(id: &str) -> bool {
    PROBES.contains(&id)
}

/// Suites of which no point needs them.
const SUITES_WITHOUT: [&str; 2] = ["byte", "apps"];

/// The probes of a run that need the levels; without any, the scout is not worth its time.
pub(crate) fn needed_by(only: &Globs, suite: Option<&str>) -> Vec<&'static str> {
    if suite.is_some_and(|suite| SUITES_WITHOUT.contains(&suite)) {
        return Vec::new();
    }
    let selected = PROBES.into_iter().filter(|probe| only.may_select(probe));
    selected.collect()
}
