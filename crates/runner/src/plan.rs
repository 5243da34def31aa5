//! From the registry and the host to the points of a run.

use whyslow_model::glob::{Glob, Globs};
use whyslow_model::record::{Plan, Planned, SizedBy, Skipped};
use whyslow_model::shell::quote;
use whyslow_model::{Point, Unit};
use whyslow_probes::{CpuChoice, Intensity, Offer, PlanContext, PointPlan, Probe, registry};

use crate::levels;
use crate::request::Request;

/// The points of a run with how to measure them, and what was left out.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    pub(crate) points: Vec<PointPlan>,
    pub(crate) skipped: Vec<Skipped>,
}

/// What is said of a probe that offers nothing and does not say why.
const NO_REASON: &str = "this host offers no point of it";

/// What each probe that the globs may select offers of what they ask for, and what is left out with its
/// reason: also a glob of which nothing came.
pub(crate) fn work(
    ctx: &PlanContext,
    only: &Globs,
    suite: Option<&str>,
    copies: &[u32],
) -> Selection {
    let mut work = offered(ctx, only, suite, copies);
    for glob in only.each() {
        let points = work.points.iter().any(|plan| glob.selects(&plan.point));
        let named = |skip: &Skipped| glob_selects_skip(glob, skip);
        if !points && !work.skipped.iter().any(named) {
            work.skipped.push(Skipped {
                what: glob.text().to_owned(),
                why: without_points(ctx, glob),
            });
        }
    }
    work
}

/// Asks every probe that the globs may select. With a suite its points are taken; without, what [`Asked`]
/// says of each glob.
fn offered(ctx: &PlanContext, only: &Globs, suite: Option<&str>, copies: &[u32]) -> Selection {
    let asked = Asked::new(only, suite);
    let mut work = Selection::default();
    for probe in registry().filter(|p| only.may_select(p.id)) {
        let (mut points, mut skipped) = (Vec::new(), Vec::new());
        for offer in (probe.points)(ctx) {
            match offer {
                Offer::Point(plan) if asked.wants(probe, &plan) => points.push(plan),
                Offer::Point(_) => {}
                Offer::Skip(skip) => skipped.push(skip),
            }
        }
        // Where nothing of a probe would be wanted even of a host that lacks nothing, what it cannot do
        // here is not missed. This host's own points alone would not tell: they may be the extra ones.
        let missed = !points.is_empty() || asked.wants_some(probe);
        if points.is_empty() && skipped.is_empty() {
            let (what, why) = (probe.id.to_owned(), NO_REASON.to_owned());
            skipped.push(Skipped { what, why });
        }
        for plan in points {
            work.points.extend(copied(probe, &plan, copies));
            work.points.push(plan);
        }
        skipped.retain(|skip| missed && selects_skip(only, skip));
        work.skipped.extend(skipped);
    }
    work
}

/// Why a glob that could have selected something has selected nothing.
fn without_points(ctx: &PlanContext, glob: &Glob) -> String {
    let by_levels = registry().any(|p| glob.may_select(p.id) && levels::of_levels(p.id));
    match &ctx.sized_by {
        Some(SizedBy::Curve(found)) if by_levels => {
            let names: Vec<&str> = found.iter().map(|level| level.name.as_str()).collect();
            format!(
                "selects no point here; the levels found are {}",
                names.join(", ")
            )
        }
        _ => "selects no point here".to_owned(),
    }
}

/// Which points a run is asked for.
struct Asked<'a> {
    only: &'a Globs,
    suite: Option<&'a str>,
    /// The globs that take extra points too.
    extras: Vec<&'a Glob>,
}

impl<'a> Asked<'a> {
    /// A glob takes points beyond the default set only when it names parameters, so that `mem.latency` and
    /// `mem.*` stay what a plain run measures, or when no probe that it matches is part of a plain run:
    /// `mem.stream` and `net.*` are then all that they can mean.
    fn new(only: &'a Globs, suite: Option<&'a str>) -> Self {
        let plain = |glob: &Glob| {
            let mut matched = registry().filter(|p| glob.may_select(p.id));
            matched.any(|p| p.in_a_plain_run())
        };
        let extras = only.each().iter();
        let extras = extras.filter(|glob| glob.names_parameters() || !plain(glob));
        Asked {
            only,
            suite,
            extras: extras.collect(),
        }
    }

    fn wants(&self, probe: &Probe, plan: &PointPlan) -> bool {
        match self.suite {
            Some(suite) => probe.in_suite(plan, suite) && self.only.selects(&plan.point),
            None if plan.extra => self.extras.iter().any(|glob| glob.selects(&plan.point)),
            None => self.only.selects(&plan.point),
        }
    }

    /// Does it want some of `probe` where the host lacks nothing?
    fn wants_some(&self, probe: &Probe) -> bool {
        let all = probe.complete_points(Intensity::Rigorous);
        all.iter().any(|plan| self.wants(probe, plan))
    }
}

/// Was what could not be planned asked for? What it says of no single point is asked for with its probe.
fn selects_skip(only: &Globs, skip: &Skipped) -> bool {
    only.is_empty() || only.each().iter().any(|glob| glob_selects_skip(glob, skip))
}

fn glob_selects_skip(glob: &Glob, skip: &Skipped) -> bool {
    let id = skip.what.split('{').next().unwrap_or_default();
    match skip.what.parse::<Point>() {
        // A reason such as `level=*` stands for many points; so does a glob with parameters.
        Ok(point) if skip.what.contains('*') || point.params.is_empty() => glob.may_select(id),
        Ok(point) => glob.selects(&point),
        Err(_) => glob.may_select(id),
    }
}

/// Says which of the globs can select nothing here, whatever is found while measuring, in words for the
/// user; nothing where each may select something.
pub(crate) fn idle(ctx: &PlanContext, only: &Globs, suite: Option<&str>) -> Option<String> {
    let here = offered(ctx, only, suite, &[]);
    // What a host that lacks nothing has is no mistake: it is left out and named. Levels, too, are found
    // by measuring alone.
    let asked = Asked::new(only, suite);
    let elsewhere: Vec<Point> = registry()
        .flat_map(|p| {
            p.complete_points(ctx.intensity)
                .into_iter()
                .map(move |plan| (p, plan))
        })
        .filter(|(probe, plan)| asked.wants(probe, plan))
        .map(|(_, plan)| plan.point)
        .collect();
    let glob = only.each().iter().find(|glob| {
        let point = here.points.iter().any(|plan| glob.selects(&plan.point));
        let reason = |s: &Skipped| glob_selects_skip(glob, s);
        !point && !here.skipped.iter().any(reason) && !elsewhere.iter().any(|p| glob.selects(p))
    })?;
    let nothing = glob.selects_nothing(registry().map(|p| p.id));
    let of_suite = suite.map_or(String::new(), |s| format!(" (suite {s})"));
    let look = match registry().find(|p| glob.may_select(p.id)) {
        Some(probe) => {
            let points = quote(&format!("{}{{*}}", probe.id));
            format!("`whyslow list --points {points}` shows the points of this probe")
        }
        None => "`whyslow list` names the probes".to_owned(),
    };
    Some(format!("nothing to measure: {nothing}{of_suite}; {look}"))
}

/// `plan` with several copies at once, where that means anything: work on one CPU that is not the
/// CPU's clock.
fn copied(probe: &Probe, plan: &PointPlan, copies: &[u32]) -> Vec<PointPlan> {
    if plan.cpus != CpuChoice::One || probe.unit == Unit::Ghz {
        return Vec::new();
    }
    let with = |&count: &u32| PointPlan {
        point: plan.point.clone().with("copies", count),
        cpus: CpuChoice::Copies(count),
        ..plan.clone()
    };
    copies
        .iter()
        .filter(|&&count| count > 1)
        .map(with)
        .collect()
}

impl Selection {
    /// What goes into the record.
    pub(crate) fn declared(&self, rounds: u32, ctx: &PlanContext) -> Plan {
        let points = self.points.iter().filter_map(|plan| {
            let probe = whyslow_probes::probe(&plan.point.probe)?;
            Some(Planned {
                point: plan.point.clone(),
                unit: probe.unit,
                better: probe.better,
                value: plan.value.clone(),
                estimator: plan.estimator,
                between_runs: plan.between_runs,
                size_bytes: plan.size_bytes,
                usual_marks: probe.usual_marks.to_vec(),
                title: None,
                symbol: None,
            })
        });
        Plan {
            points: points.collect(),
            skipped: self.skipped.clone(),
            rounds,
            sized_by: ctx.sized_by.clone(),
            beyond_bytes: ctx.beyond_bytes,
        }
    }

    /// Why there is nothing to measure.
    pub(crate) fn nothing(&self, request: &Request) -> String {
        match self.skipped.first() {
            Some(skipped) => format!("nothing to measure: {}: {}", skipped.what, skipped.why),
            None => format!(
                "nothing to measure: --only '{}' selects no point; see `whyslow list`",
                request.only_text
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whyslow_model::summary::{Interval, Level};

    /// One CPU; its second level is too small for points of its own.
    fn small_host() -> PlanContext {
        let level = |name: &str, latency, capacity: Option<f64>| Level {
            name: name.into(),
            latency_ns: Interval {
                value: latency,
                range: None,
            },
            huge_pages: false,
            capacity_bytes: capacity.map(|value| Interval { value, range: None }),
            rises_from_bytes: None,
            claimed_bytes: None,
        };
        PlanContext {
            intensity: Intensity::Quick,
            cpus: vec![0],
            placements: Vec::new(),
            colors: None,
            line_bytes: 64,
            llc_bytes: 1 << 20,
            nodes: Vec::new(),
            llcs: 1,
            caches: Vec::new(),
            memory_bytes: 1 << 30,
            sized_by: Some(SizedBy::Curve(vec![
                level("L1", 1.0, Some(48.0 * 1024.0)),
                level("L2", 4.0, Some(50.0 * 1024.0)),
                level("DRAM", 100.0, None),
            ])),
            beyond_bytes: None,
            thp: Ok(()),
            hugetlb: Err("the pool is empty".into()),
        }
    }

    #[test]
    fn a_probe_of_extra_points_is_measured_by_name_where_some_of_it_cannot_be() {
        let only = "mem.stream";
        let work = work(&small_host(), &Globs::parse(only), None, &[]);
        assert!(!work.skipped.is_empty() && !work.points.is_empty());
    }

    fn left_out(only: &str, suite: Option<&str>) -> Vec<String> {
        let work = work(&small_host(), &Globs::parse(only), suite, &[]);
        work.skipped.into_iter().map(|s| s.what).collect()
    }

    /// Hosts and moments that lack something.
    fn poor_hosts() -> Vec<(&'static str, PlanContext)> {
        let whole = small_host();
        let with = |change: fn(&mut PlanContext)| {
            let mut ctx = whole.clone();
            change(&mut ctx);
            ctx
        };
        vec![
            ("one CPU", whole.clone()),
            ("no levels", with(|c| c.sized_by = None)),
            (
                "one level",
                with(|c| {
                    if let Some(SizedBy::Curve(levels)) = &mut c.sized_by {
                        levels.truncate(1);
                    }
                }),
            ),
            (
                "levels by claims alone",
                with(|c| c.sized_by = Some(SizedBy::Claims)),
            ),
            ("no huge pages", with(|c| c.thp = Err("off".into()))),
            (
                "two CPUs of unknown placement",
                with(|c| c.cpus = vec![0, 1]),
            ),
            ("many CPUs", with(|c| c.cpus = (0..64).collect())),
            ("little memory", with(|c| c.memory_bytes = 0)),
            (
                "all that colors need",
                with(|c| {
                    c.colors = Some(16);
                    c.sized_by = None;
                }),
            ),
        ]
    }

    #[test]
    fn a_probe_of_a_plain_run_has_points_or_a_reason_on_every_host() {
        let belongs: Vec<&str> = registry()
            .filter(|probe| probe.in_a_plain_run())
            .map(|probe| probe.id)
            .collect();
        assert!(belongs.contains(&"mem.bandwidth") && !belongs.contains(&"mem.stream"));
        for (lacks, ctx) in poor_hosts() {
            let work = work(&ctx, &Globs::default(), None, &[]);
            for id in &belongs {
                let measured = work.points.iter().any(|p| p.point.probe == *id);
                let named = |s: &Skipped| s.what == *id || s.what.starts_with(&format!("{id}{{"));
                let reason = work.skipped.iter().find(|s| named(s));
                let own = reason.is_some_and(|s| s.why != NO_REASON && !s.why.is_empty());
                assert!(measured || own, "{lacks}: {id}: {reason:?}");
            }
        }
    }

    #[test]
    fn only_what_was_wanted_is_missed() {
        let has = |whats: &[String], probe: &str| whats.iter().any(|w| w.starts_with(probe));
        let plain = left_out("", None);
        assert!(has(&plain, "mem.bandwidth"), "{plain:?}");
        // A plain run has no point of it, wherever it is.
        assert!(!has(&plain, "mem.stream"), "{plain:?}");
        assert!(has(&left_out("mem.stream", None), "mem.stream"));
        assert!(has(&left_out("", Some("ramspeed")), "mem.stream"));
        assert!(!has(&left_out("", Some("byte")), "mem.stream"));
    }
}
