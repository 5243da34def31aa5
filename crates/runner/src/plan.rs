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
        let beyond = |offer: &Offer| matches!(offer, Offer::Point(plan) if plan.extra);
        let named = only_text.split(',').any(|glob| glob.trim() == probe.id);
        let asked_for = names_parameters || (named && offers.iter().all(beyond));
        for offer in offers {
            match offer {
                Offer::Point(plan) => {
                    let wanted = match suite {
                        Some(suite) => probe.in_suite(&plan, suite),
                        None => !plan.extra || asked_for,
                    };
                    if wanted && only.selects(&plan.point) {
                        work.points.extend(copied(probe, &plan, copies));
                        work.points.push(plan);
                    }
                }
                Offer::Skip(skipped) => {
                    let point = skipped.what.parse::<Point>();
                    if point.map_or(true, |point| only.selects(&point)) {
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
