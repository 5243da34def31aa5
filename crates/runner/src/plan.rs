//! From the registry and the host to the points of a run.

use whyslow_model::glob::Globs;
use whyslow_model::record::{Plan, Planned, Skipped};
use whyslow_model::{Point, Unit};
use whyslow_probes::{CpuChoice, Offer, PlanContext, PointPlan, Probe, registry};

use crate::request::Request;

/// The points of a run with how to measure them, and what was left out.
#[derive(Debug, Default)]
pub(crate) struct Work {
    pub(crate) points: Vec<PointPlan>,
    pub(crate) skipped: Vec<Skipped>,
}

/// What is said of a probe that offers nothing and does not say why.
const NO_REASON: &str = "this host offers no point of it";

/// Asks every probe that the globs may select. With a suite its points are taken; without, a point
/// beyond the default set only when a glob names parameters, so that `mem.latency` stays what a plain
/// run measures, or when it names a probe that is not part of a plain run at all.
pub(crate) fn work(
    ctx: &PlanContext,
    only: &Globs,
    only_text: &str,
    suite: Option<&str>,
    copies: &[u32],
) -> Work {
    let names_parameters = only_text.contains('{');
    let mut work = Work::default();
    for probe in registry().filter(|p| only.may_select(p.id)) {
        let offers = (probe.points)(ctx);
        let plans = || offers.iter().filter_map(Offer::plan);
        let named = only_text.split(',').any(|glob| glob.trim() == probe.id);
        let asked_for = names_parameters || (named && plans().all(|plan| plan.extra));
        let wanted = |plan: &PointPlan| match suite {
            Some(suite) => probe.in_suite(plan, suite),
            None => !plan.extra || asked_for,
        };
        // Where nothing of a probe is wanted nobody misses what it cannot do here.
        let missed = plans().next().is_none() || plans().any(wanted);
        for offer in offers {
            match offer {
                Offer::Point(plan) => {
                    if wanted(&plan) && only.selects(&plan.point) {
                        work.points.extend(copied(probe, &plan, copies));
                        work.points.push(plan);
                    }
                }
                Offer::Skip(skipped) => {
                    let point = skipped.what.parse::<Point>();
                    if missed && point.map_or(true, |point| only.selects(&point)) {
                        work.skipped.push(skipped);
                    }
                }
            }
        }
    }
    work
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

impl Work {
    /// What goes into the record.
    pub(crate) fn declared(&self, rounds: u32) -> Plan {
        let points = self.points.iter().filter_map(|plan| {
            let probe = whyslow_probes::probe(&plan.point.probe)?;
            Some(Planned {
                point: plan.point.clone(),
                unit: probe.unit,
                better: probe.better,
                value: plan.value.clone(),
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
    use whyslow_probes::Intensity;

    /// One CPU; its second level is too small for points of its own.
    fn small_host() -> PlanContext {
        let level = |name: &str, latency, capacity: Option<f64>| Level {
            name: name.into(),
            latency_ns: Interval {
                value: latency,
                range: None,
            },
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
            levels: vec![
                level("L1", 1.0, Some(48.0 * 1024.0)),
                level("L2", 4.0, Some(50.0 * 1024.0)),
                level("DRAM", 100.0, None),
            ],
            thp: Ok(()),
            hugetlb: Err("the pool is empty".into()),
        }
    }

    #[test]
    fn a_probe_of_extra_points_is_measured_by_name_where_some_of_it_cannot_be() {
        let only = "mem.stream";
        let work = work(&small_host(), &Globs::parse(only), only, None, &[]);
        assert!(!work.skipped.is_empty() && !work.points.is_empty());
    }

    fn left_out(only: &str, suite: Option<&str>) -> Vec<String> {
        let work = work(&small_host(), &Globs::parse(only), only, suite, &[]);
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
            ("no levels", with(|c| c.levels.clear())),
            ("one level", with(|c| c.levels.truncate(1))),
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
                    c.levels.clear();
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
            let work = work(&ctx, &Globs::default(), "", None, &[]);
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
