//! Which points take their sizes from the levels that the scout finds.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use whyslow_model::Point;
use whyslow_model::glob::{Glob, Globs};
use whyslow_probes::{Intensity, PlanContext, PointPlan, Probe, SUITES, registry};

/// A probe that needs the scout's levels before it can name all of its points.
struct ByLevels {
    probe: &'static Probe,
    /// Those that it has with them alone, on a host that lacks nothing else.
    points: Vec<PointPlan>,
}

/// All of them: whatever offers more points where levels are known. No list has to be kept in step with
/// the families.
static BY_LEVELS: LazyLock<Vec<ByLevels>> = LazyLock::new(|| {
    let of = |probe| {
        let points = with_levels_alone(probe);
        (!points.is_empty()).then_some(ByLevels { probe, points })
    };
    registry().filter_map(of).collect()
});

/// The points of `probe` that no host has before its levels are found.
fn with_levels_alone(probe: &Probe) -> Vec<PointPlan> {
    let without = PlanContext {
        sized_by: None,
        beyond_bytes: None,
        ..PlanContext::complete(Intensity::Rigorous)
    };
    let offers = (probe.points)(&without);
    let plans = offers.iter().filter_map(|offer| offer.plan());
    let before: BTreeSet<Point> = plans.map(|plan| plan.point.clone()).collect();
    let mut points = probe.complete_points(Intensity::Rigorous);
    points.retain(|plan| !before.contains(&plan.point));
    points
}

/// Does the probe take sizes from the levels that the scout finds?
pub(crate) fn of_levels(id: &str) -> bool {
    BY_LEVELS.iter().any(|by| by.probe.id == id)
}

/// Has `suite` points that need them? An unknown one may.
fn suite_needs(suite: &str) -> bool {
    let in_it = |by: &ByLevels| by.points.iter().any(|plan| by.probe.in_suite(plan, suite));
    BY_LEVELS.iter().any(in_it) || !SUITES.iter().any(|(name, _)| *name == suite)
}

/// The probes of a run that need the levels; without any, the scout is not worth its time.
pub(crate) fn needed_by(only: &Globs, suite: Option<&str>) -> Vec<&'static str> {
    if suite.is_some_and(|suite| !suite_needs(suite)) {
        return Vec::new();
    }
    let wanted =
        |by: &&ByLevels| only.is_empty() || only.each().iter().any(|glob| may_need(glob, by));
    let wanted = BY_LEVELS.iter().filter(wanted);
    wanted.map(|by| by.probe.id).collect()
}

/// May the glob select a point of a level? One that names sizes does not.
fn may_need(glob: &Glob, by: &ByLevels) -> bool {
    let names_some = || {
        // This host may have more levels than any that is known.
        glob.text().contains("level") || by.points.iter().any(|plan| glob.selects(&plan.point))
    };
    glob.may_select(by.probe.id) && (!glob.names_parameters() || names_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use whyslow_model::id;

    #[test]
    fn probes_and_suites_by_level_are_found() {
        let found: BTreeSet<&str> = BY_LEVELS.iter().map(|by| by.probe.id).collect();
        let expected = [
            id::MEM_BANDWIDTH,
            id::MEM_LIBC,
            id::MEM_PARALLELISM,
            id::MEM_STREAM,
        ];
        assert_eq!(found, BTreeSet::from(expected));
        let without = SUITES.iter().map(|(name, _)| *name);
        let without: BTreeSet<&str> = without.filter(|suite| !suite_needs(suite)).collect();
        assert_eq!(without, BTreeSet::from(["apps", "byte"]));
        assert!(needed_by(&Globs::default(), Some("byte")).is_empty());
        for none in ["os.*", "mem.bandwidth{*size=8MiB*}"] {
            assert_eq!(needed_by(&Globs::parse(none), None), [""; 0], "{none}");
        }
        let of_levels = needed_by(&Globs::parse("mem.bandwidth{*level=L9*}"), None);
        assert_eq!(of_levels, [id::MEM_BANDWIDTH]);
        assert_eq!(
            needed_by(&Globs::parse("mem.stream"), None),
            [id::MEM_STREAM]
        );
    }
}
