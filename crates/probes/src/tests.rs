//! What every declaration must hold to.

use std::collections::BTreeSet;

use super::*;

#[test]
fn every_probe_is_declared_in_full() {
    let mut ids = BTreeSet::new();
    for probe in registry() {
        assert!(ids.insert(probe.id), "{} twice", probe.id);
        assert!(probe.id.contains('.'), "{}", probe.id);
        for text in [probe.what, probe.how] {
            assert!(
                text.ends_with('.') && text.len() > 20,
                "{}: {text}",
                probe.id
            );
        }
        assert!(
            !probe.title.is_empty() && !probe.causes.is_empty(),
            "{}",
            probe.id
        );
        assert!(probe.bounds.floor < probe.bounds.ceiling, "{}", probe.id);
    }
}

/// A host with two CPUs, claimed caches and measured levels.
fn context(intensity: Intensity) -> PlanContext {
    use whyslow_model::summary::{Interval, Level};
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
        intensity,
        cpus: vec![0, 1],
        placements: vec![PlacementClass {
            name: "same-llc".into(),
            pairs: vec![[0, 1]],
        }],
        line_bytes: 64,
        llc_bytes: 32 << 20,
        memory_bytes: 4 << 30,
        levels: vec![
            level("L1", 0.9, Some(48.0 * 1024.0)),
            level("L2", 3.5, Some(1024.0 * 1024.0)),
            level("L3", 12.0, Some(17.0 * 1024.0 * 1024.0)),
            level("DRAM", 140.0, None),
        ],
        thp: Ok(()),
        hugetlb: Err("the pool is empty".into()),
    }
}

#[test]
fn points_are_distinct_and_have_the_declared_parameters() {
    for intensity in [Intensity::Quick, Intensity::Standard, Intensity::Rigorous] {
        let ctx = context(intensity);
        for probe in registry() {
            let mut seen = BTreeSet::new();
            let offers = (probe.points)(&ctx);
            assert!(!offers.is_empty(), "{}", probe.id);
            for offer in offers {
                let Offer::Point(plan) = offer else { continue };
                assert!(seen.insert(plan.point.to_string()), "{} twice", plan.point);
                assert_eq!(plan.point.probe, probe.id);
                for (name, _) in &plan.point.params {
                    assert!(
                        probe.params.iter().any(|(n, _)| n == name),
                        "{}: {name}",
                        probe.id
                    );
                }
                assert!(plan.draws > 0 && plan.samples > 0);
            }
        }
    }
}

#[test]
fn bandwidth_takes_its_sizes_from_the_measured_levels() {
    let sizes = families::mem_bandwidth::level_sizes(&context(Intensity::Quick));
    let expected = [
        ("L1", 16 << 10),
        ("L2", 512 << 10),
        ("L3", 8 << 20),
        ("DRAM", 128 << 20),
    ];
    let expected: Vec<(String, u64)> = expected.map(|(n, s)| (n.to_owned(), s)).into();
    assert_eq!(sizes, expected);
}

#[test]
fn one_cpu_skips_with_a_reason() {
    let mut ctx = context(Intensity::Quick);
    ctx.cpus = vec![3];
    ctx.placements.clear();
    for id in ["cpu.core_to_core", "mem.bandwidth"] {
        let probe = probe(id).unwrap();
        let skips: Vec<_> = (probe.points)(&ctx)
            .into_iter()
            .filter_map(|o| match o {
                Offer::Skip(s) => Some(s.why),
                Offer::Point(_) => None,
            })
            .collect();
        assert!(
            skips.iter().any(|why| why.contains("two CPUs")),
            "{id}: {skips:?}"
        );
    }
}
