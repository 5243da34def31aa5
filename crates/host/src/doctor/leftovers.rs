//! What runs that were killed left behind.

use whyslow_leftovers::{left_behind, places};
use whyslow_model::doctor::Finding;

use super::{Checker, Seen, good, run};

pub(super) const CHECKS: &[Checker] = &[("changes of this host", changes), ("leftovers", left)];

/// What undoes both.
const MEND: &str = "whyslow restore";

/// Folders that killed runs of this user left behind, wherever runs make any.
pub(super) fn folders() -> Vec<String> {
    let places = places();
    let found = places.iter().flat_map(|place| left_behind(place));
    found.map(|folder| folder.display().to_string()).collect()
}

fn changes(seen: &Seen) -> Finding {
    if seen.changes.is_empty() {
        return good("no experiment left any behind");
    }
    Finding::Spoils(run(
        format!(
            "an experiment was interrupted before it put back what stands in {}",
            seen.changes.join(" and ")
        ),
        "the host is measured with a setting or a control group of the experiment",
        MEND,
    ))
}

fn left(seen: &Seen) -> Finding {
    if seen.folders.is_empty() {
        return good("killed runs left no folders");
    }
    Finding::Limits(run(
        format!("killed runs left {}", seen.folders.join(" and ")),
        "they take room until the next run, which removes them too",
        MEND,
    ))
}
