//! A host that lacks nothing: what a probe offers there tells what it would offer anywhere.

use whyslow_model::record::SizedBy;
use whyslow_model::summary::{Interval, Level};

use crate::probe::{
    CacheLevel, HugePages, Intensity, Offer, PlacementClass, PlanContext, PointPlan, Probe,
};

/// A typical server: latency in ns, effective size in bytes and CPUs that share each level; memory last.
const LEVELS: [(&str, f64, Option<u64>); 4] = [
    ("L1", 1.0, Some(48 << 10)),
    ("L2", 4.0, Some(2 << 20)),
    ("L3", 20.0, Some(32 << 20)),
    ("DRAM", 100.0, None),
];

impl PlanContext {
    /// A host on which every probe that has points in some run has them: two CPUs on one cache, three
    /// levels found, 64 GiB, huge pages of both kinds, page colors.
    pub fn complete(intensity: Intensity) -> PlanContext {
        let level = |&(name, latency, bytes): &(&str, f64, Option<u64>)| Level {
            name: name.to_owned(),
            latency_ns: Interval {
                value: latency,
                range: None,
            },
            huge_pages: false,
            capacity_bytes: bytes.map(|bytes| Interval {
                value: bytes as f64,
                range: None,
            }),
            rises_from_bytes: None,
            claimed_bytes: bytes,
        };
        let cache = |bytes: u64| CacheLevel {
            bytes: Some(bytes),
            sharing: if bytes > 4 << 20 { 2 } else { 1 },
        };
        PlanContext {
            intensity,
            cpus: vec![0, 1],
            placements: vec![PlacementClass {
                name: "same-llc".to_owned(),
                pairs: vec![[0, 1]],
            }],
            colors: Some(16),
            line_bytes: 64,
            llc_bytes: 32 << 20,
            nodes: Vec::new(),
            llcs: 1,
            caches: LEVELS.iter().filter_map(|l| l.2).map(cache).collect(),
            memory_bytes: 64 << 30,
            sized_by: Some(SizedBy::Curve(LEVELS.iter().map(level).collect())),
            beyond_bytes: None,
            thp: Ok(()),
            hugetlb: Ok(HugePages {
                page_bytes: 2 << 20,
                free: 1024,
            }),
        }
    }
}

impl Probe {
    /// Its points on a host that lacks nothing.
    pub fn complete_points(&self, intensity: Intensity) -> Vec<PointPlan> {
        let offers = (self.points)(&PlanContext::complete(intensity));
        let plans = offers.into_iter().filter_map(|offer| match offer {
            Offer::Point(plan) => Some(plan),
            Offer::Skip(_) => None,
        });
        plans.collect()
    }

    /// Does a plain run, without globs and suites, measure some of it where the host lacks nothing?
    /// This must not depend on what this host lacks: what is absent for that reason is named.
    pub fn in_a_plain_run(&self) -> bool {
        let points = self.complete_points(Intensity::Quick);
        points.iter().any(|plan| !plan.extra)
    }
}
