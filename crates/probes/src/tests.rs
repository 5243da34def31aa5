//! Rules that every declaration must follow.

use std::collections::BTreeSet;

use whyslow_model::Unit;

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
        assert!(!probe.title.is_empty(), "{}", probe.id);
    }
}

/// Whatever a host does to a probe, that it is slow is a finding. (Under `strace -f` a call takes 1 ms.)
#[test]
fn no_probe_refuses_what_is_merely_slow() {
    const GHZ: f64 = 3.0;
    for probe in registry() {
        let believable = |value| guard::believable(value, probe.unit, &probe.bounds, GHZ);
        // From a day to one step of a slow clock; and rates likewise.
        let slow = match probe.unit {
            Unit::Ns => [8.64e13, 1e12, 1e10],
            _ => [1e-9, 1e-6, 1e-3],
        };
        for value in slow {
            assert!(believable(value).is_ok(), "{}: {value}", probe.id);
        }
        let fast = match probe.unit {
            Unit::Ns => probe.bounds.fastest / GHZ / 2.0,
            _ => probe.bounds.fastest * 2.0,
        };
        assert!(probe.bounds.fastest > 0.0, "{}", probe.id);
        for value in [
            fast,
            0.0,
            -261e3,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ] {
            assert!(believable(value).is_err(), "{}: {value}", probe.id);
        }
    }
}

/// A clock that is fine enough to look at cores with, and one that is not.
pub(crate) fn clocks() -> [whyslow_model::record::ClockFacts; 2] {
    [20.0, 4e3].map(|resolution_ns| whyslow_model::record::ClockFacts {
        resolution_ns,
        cost_ns: 20.0,
        loop_ns: 0.3,
        ghz: 3.0,
    })
}

/// A host with two CPUs, claimed caches and measured levels.
pub(crate) fn context(intensity: Intensity) -> PlanContext {
    use whyslow_model::record::SizedBy;
    use whyslow_model::summary::{Interval, Level};
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
        caches: [(48 << 10, 1), (1 << 20, 1), (32 << 20, 2)]
            .map(|(bytes, sharing)| CacheLevel {
                bytes: Some(bytes),
                sharing,
            })
            .to_vec(),
        memory_bytes: 4 << 30,
        sized_by: Some(SizedBy::Curve(vec![
            level("L1", 0.9, Some(48.0 * 1024.0)),
            level("L2", 3.5, Some(1024.0 * 1024.0)),
            level("L3", 12.0, Some(17.0 * 1024.0 * 1024.0)),
            level("DRAM", 140.0, None),
        ])),
        hugetlb: Err("the pool is empty".into()),
        ..PlanContext::complete(intensity)
    }
}

/// The levels of [`context`].
fn levels(ctx: &mut PlanContext) -> &mut Vec<whyslow_model::summary::Level> {
    match &mut ctx.sized_by {
        Some(whyslow_model::record::SizedBy::Curve(levels)) => levels,
        _ => unreachable!("the curve has levels there"),
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
    let ctx = context(Intensity::Quick);
    // Two CPUs share the third level.
    assert_eq!(sizes(&ctx, 1), ["16KiB", "256KiB", "8MiB", "128MiB"]);
    assert_eq!(sizes(&ctx, 2), ["16KiB", "256KiB", "4MiB", "128MiB"]);
}

/// The sizes of the levels, or a dash.
fn sizes(ctx: &PlanContext, threads: u64) -> Vec<String> {
    let sizes = crate::sizes::level_sizes(ctx, threads).into_iter();
    let text = |size: Result<u64, _>| size.map_or("-".into(), whyslow_model::size::format);
    sizes.map(|(_, size)| text(size)).collect()
}

#[test]
fn runs_of_one_host_take_the_same_sizes() {
    // Levels found on a noisy host in successive runs; other guests use the L3.
    let capacity = |ctx: &mut PlanContext, k: usize, bytes: f64| {
        levels(ctx)[k].capacity_bytes.as_mut().unwrap().value = bytes;
    };
    for (second, third) in [(638e3, 10e6), (1.1e6, 4.5e6), (0.9e6, 14e6), (360e3, 5e6)] {
        let mut ctx = context(Intensity::Quick);
        capacity(&mut ctx, 1, second);
        capacity(&mut ctx, 2, third);
        for (threads, third) in [(1, "2MiB"), (2, "2MiB")] {
            let expected = ["16KiB", "256KiB", third, "128MiB"];
            assert_eq!(sizes(&ctx, threads), expected, "{second} {third}");
        }
        // The end of L2 is lost in the noise.
        levels(&mut ctx).remove(1);
        assert_eq!(sizes(&ctx, 1), ["16KiB", "256KiB", "2MiB", "128MiB"]);
    }
    // No L3 visible, or too little of it for two CPUs.
    let mut ctx = context(Intensity::Quick);
    capacity(&mut ctx, 2, 3e6);
    assert_eq!(sizes(&ctx, 2), ["16KiB", "256KiB", "-", "128MiB"]);
    levels(&mut ctx).remove(2);
    assert_eq!(sizes(&ctx, 1), ["16KiB", "256KiB", "-", "128MiB"]);
    // Some of it acts with L2, which holds 1 MiB.
    capacity(&mut ctx, 1, 2.5e6);
    assert_eq!(sizes(&ctx, 1), ["16KiB", "256KiB", "2MiB", "128MiB"]);
    assert_eq!(sizes(&ctx, 2), ["16KiB", "256KiB", "-", "128MiB"]);
    // Without claims the curve decides.
    let mut ctx = context(Intensity::Quick);
    ctx.caches.clear();
    assert_eq!(sizes(&ctx, 1), ["16KiB", "256KiB", "4MiB", "128MiB"]);
}

#[test]
fn where_the_curve_shows_no_levels_the_claims_give_sizes() {
    let mut ctx = context(Intensity::Quick);
    ctx.sized_by = Some(whyslow_model::record::SizedBy::Claims);
    assert_eq!(sizes(&ctx, 1), ["16KiB", "256KiB", "8MiB", "128MiB"]);
    assert_eq!(sizes(&ctx, 2), ["16KiB", "256KiB", "4MiB", "128MiB"]);
    let bandwidth = probe("mem.bandwidth").unwrap();
    let named = |text: &str| {
        let offers = (bandwidth.points)(&ctx);
        offers
            .iter()
            .filter_map(Offer::plan)
            .any(|p| p.point.to_string().contains(text))
    };
    assert!(named("level=L3") && named("level=DRAM"));
}

#[test]
fn a_level_too_small_for_all_cpus_is_skipped_with_a_reason() {
    let mut ctx = context(Intensity::Quick);
    ctx.caches[2].sharing = 64;
    let sizes = crate::sizes::level_sizes(&ctx, 64);
    assert!(
        sizes[2].1.is_err_and(|why| why.contains("share")),
        "{sizes:?}"
    );
    // Four times two 32 MiB caches, shared by 64 CPUs.
    assert_eq!(sizes[3].1, Ok(4 << 20));
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
