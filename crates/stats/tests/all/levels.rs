//! Levels found on simulated machines with known caches.

use crate::machine::{Dice, KIB, MIB, Machine, Noise, USUAL, play, sizes};
use proptest::prelude::*;
use whyslow_stats::InputError;
use whyslow_stats::levels::{Levels, Note, Policy, SizePoint, cut, cut_apart};

/// A machine measured many times, and how often and how accurately its levels were found.
struct Trial {
    repetitions: u64,
    right_count: u64,
    /// Ratio of capacity to truth, per boundary, for repetitions with the right count.
    ratios: Vec<Vec<f64>>,
    /// Intervals that contain the truth, per boundary.
    covered: Vec<u64>,
}

fn trial(machine: &Machine, to: u64, per_octave: u64, processes: usize, repetitions: u64) -> Trial {
    let truth: Vec<f64> = (0..machine.caches.len())
        .map(|k| machine.most_served(k))
        .collect();
    let mut trial = Trial {
        repetitions,
        right_count: 0,
        ratios: vec![Vec::new(); truth.len()],
        covered: vec![0; truth.len()],
    };
    for seed in 0..repetitions {
        let sizes = sizes(KIB, to, per_octave);
        let points = machine.measure(&sizes, processes, &USUAL, 7000 + seed);
        let found = cut(&points, seed).unwrap();
        if found.levels.len() != truth.len() + 1 {
            continue;
        }
        trial.right_count += 1;
        for (k, truth) in truth.iter().enumerate() {
            let edge = found.levels[k].boundary.as_ref().unwrap();
            trial.ratios[k].push(edge.capacity / truth);
            let interval = edge.capacity_interval;
            trial.covered[k] += u64::from(
                // The truth itself is simulated and accurate to half a percent.
                interval.lo <= truth * 1.005 && truth * 0.995 <= interval.hi,
            );
        }
    }
    trial
}

impl Trial {
    /// The count is right in 95 %, every capacity is within `bounds` (a factor, one per boundary)
    /// of the truth in nine of ten, and the intervals contain the truth in the share `coverage`.
    fn check(&self, bounds: &[f64], coverage: f64) {
        let (right, all) = (self.right_count as f64, self.repetitions);
        assert!(
            right >= 0.95 * all as f64,
            "count right in {right} of {all}"
        );
        for (k, (ratios, bound)) in self.ratios.iter().zip(bounds).enumerate() {
            let inside = |r: &&f64| (1.0 / bound..=*bound).contains(*r);
            let share = ratios.iter().filter(inside).count() as f64 / right;
            assert!(share >= 0.9, "boundary {k}, over truth: {ratios:?}");
            let covered = self.covered[k] as f64 / right;
            assert!(covered >= coverage, "boundary {k}: {covered} covered");
        }
    }
}

/// Intervals are nominally 95 %; 15 less is allowed for few repetitions and approximate shapes.
const COVERED: f64 = 0.8;

#[test]
fn zen_with_pages_at_random() {
    trial(&crate::machine::zen(), 256 * MIB, 2, 5, 40).check(&[1.001, 1.15, 1.08], COVERED);
    trial(&crate::machine::zen(), 256 * MIB, 4, 10, 20).check(&[1.001, 1.08, 1.05], COVERED);
}

/// Others leave a few MiB of the last cache, which then has no flat part of its own.
#[test]
fn a_cache_that_is_known_to_be_two() {
    const CLAIM: f64 = MIB as f64;
    let mut machine = crate::machine::zen();
    machine.caches[2].size = 5 * MIB;
    let noise = Noise {
        quiet: 0.02,
        loud: 0.5,
        outliers: 0.1,
    };
    let truth = [1, 2].map(|k| machine.most_served(k));
    let (mut joined, mut found, mut near) = (0, 0, 0);
    for seed in 0..150 {
        let points = machine.measure(&sizes(KIB, 256 * MIB, 2), 3, &noise, 7000 + seed);
        let at_once = cut(&points, seed).unwrap();
        let second = at_once.levels.get(1).and_then(|l| l.boundary.as_ref());
        if at_once.levels.len() != 3 || second.is_none_or(|b| b.capacity <= 1.25 * CLAIM) {
            continue;
        }
        joined += 1;
        let Some(apart) = cut_apart(&points, 1, 1.25 * CLAIM, seed).unwrap() else {
            continue;
        };
        found += 1;
        let capacity = |k: usize| apart.levels[k].boundary.as_ref().unwrap().capacity;
        near += u32::from((1..=2).all(|k| {
            let ratio: f64 = capacity(k) / truth[k - 1];
            (1.0 / 1.4..=1.4).contains(&ratio)
        }));
    }
    assert!(joined >= 10, "{joined}");
    assert!(10 * found >= 7 * joined, "{found} of {joined}");
    assert!(10 * near >= 8 * found, "{near} of {found}");
}

#[test]
fn zen_with_pages_spread_evenly() {
    trial(&crate::machine::zen_even(), 256 * MIB, 2, 5, 40).check(&[1.001, 1.001, 1.1], COVERED);
    trial(&crate::machine::zen_even(), 256 * MIB, 4, 10, 20).check(&[1.001, 1.001, 1.03], COVERED);
}

#[test]
fn intel_with_a_sloping_third_level() {
    trial(&crate::machine::intel(), 256 * MIB, 2, 5, 40).check(&[1.001, 1.12, 1.2], COVERED);
    trial(&crate::machine::intel(), 256 * MIB, 4, 10, 20).check(&[1.001, 1.06, 1.1], COVERED);
}

#[test]
fn arm_without_a_third_level() {
    trial(&crate::machine::arm(), 256 * MIB, 2, 5, 40).check(&[1.001, 1.15], COVERED);
    trial(&crate::machine::arm(), 256 * MIB, 4, 10, 20).check(&[1.001, 1.08], COVERED);
}

#[test]
fn four_caches() {
    trial(&crate::machine::four_levels(), 1024 * MIB, 2, 5, 40)
        .check(&[1.001, 1.001, 1.15, 1.45], COVERED);
}

#[test]
fn a_direct_mapped_board_cache() {
    // With so soft an edge, size and softness are hard to separate under noise: 5 % too small on
    // average, which the interval does not include.
    trial(&crate::machine::alpha(), 64 * MIB, 4, 10, 40).check(&[1.001, 1.15], 0.6);
}

#[test]
fn a_single_level_stays_single() {
    for seed in 0..40 {
        let points = crate::machine::flat().measure(&sizes(KIB, 24 * KIB, 2), 5, &USUAL, seed);
        let found = cut(&points, seed).unwrap();
        assert_eq!(found.levels.len(), 1);
        assert!(found.levels[0].boundary.is_none());
        assert!((found.levels[0].latency / 1.2 - 1.0).abs() < 0.05);
    }
}

/// `machine` without noise: mean latency over many placements.
fn exact(machine: &Machine, sizes: &[u64]) -> Vec<SizePoint> {
    let mut dice = Dice::new(5);
    let mut mean = |size: u64| {
        let mut lower = machine.caches[0].latency;
        let mut latency = lower;
        for (k, cache) in machine.caches.iter().enumerate() {
            let upper = machine
                .caches
                .get(k + 1)
                .map_or(machine.memory, |c| c.latency);
            let miss: f64 = (0..100).map(|_| play(cache, size, &mut dice)).sum();
            latency += (upper - lower) * miss / 100.0;
            lower = upper;
        }
        latency
    };
    let point = |&size: &u64| SizePoint {
        size,
        log_latency: vec![mean(size).ln(); 3],
    };
    sizes.iter().map(point).collect()
}

#[test]
fn the_cache_behind_a_soft_edge_is_recovered() {
    let found = cut(&exact(&crate::machine::zen(), &sizes(KIB, 256 * MIB, 4)), 1).unwrap();
    let edge = found.levels[2].boundary.as_ref().unwrap();
    assert!((edge.full_size / (24 * MIB) as f64 - 1.0).abs() < 0.05);
    assert!((12.0..22.0).contains(&edge.ways) && edge.policy == Policy::Lru);
    assert!(!edge.hard);

    let found = cut(
        &exact(&crate::machine::alpha(), &sizes(KIB, 64 * MIB, 4)),
        1,
    )
    .unwrap();
    let edge = found.levels[1].boundary.as_ref().unwrap();
    assert!((edge.full_size / (2 * MIB) as f64 - 1.0).abs() < 0.05);
    assert!(edge.ways < 1.3);
}

#[test]
fn a_hard_edge_is_the_last_size_that_fits() {
    let found = cut(
        &exact(&crate::machine::zen_even(), &sizes(KIB, 128 * MIB, 2)),
        1,
    )
    .unwrap();
    let edges: Vec<_> = found
        .levels
        .iter()
        .filter_map(|l| l.boundary.as_ref())
        .collect();
    let expected = [
        (48 * KIB, 64 * KIB),
        (MIB, 1536 * KIB),
        (24 * MIB, 32 * MIB),
    ];
    assert_eq!(edges.len(), 3);
    for (edge, (fits, next)) in edges.iter().zip(expected) {
        assert!(edge.hard);
        assert_eq!((edge.capacity, edge.rises_from), (fits as f64, Some(fits)));
        let interval = edge.capacity_interval;
        assert_eq!((interval.lo, interval.hi), (fits as f64, next as f64));
    }
}

/// A measured curve; the file names the source.
fn guest() -> Vec<SizePoint> {
    rows(include_str!("../data/zen5-guest-4k.txt"))
}

fn rows(text: &str) -> Vec<SizePoint> {
    text.lines()
        .filter(|row| !row.starts_with('#'))
        .map(|row| {
            let (size, times) = row.split_once(' ').unwrap();
            let log = |ns: &str| ns.parse::<f64>().unwrap().ln();
            SizePoint {
                size: size.parse().unwrap(),
                log_latency: times.split(' ').map(log).collect(),
            }
        })
        .collect()
}

#[test]
fn a_measured_curve() {
    let found = cut(&guest(), 1).unwrap();
    assert_eq!(found.levels.len(), 4, "{found:?}");
    let edge = |k: usize| found.levels[k].boundary.as_ref().unwrap();
    assert_eq!(edge(0).capacity, (48 * KIB) as f64);
    // L2 is 1 MiB; with these pages latency rises beyond 512 KiB.
    assert!((0.5..0.85).contains(&(edge(1).capacity / MIB as f64)));
    assert!((0.9..1.3).contains(&(edge(1).full_size / MIB as f64)));
    // The processes saw an L3 of 4 to 9 MiB, depending on other guests.
    let third = edge(2).capacity_interval;
    assert!(third.lo > (4 * MIB) as f64 && third.hi < (10 * MIB) as f64);
    assert!(found.notes.is_empty(), "{:?}", found.notes);
}

#[test]
fn a_curve_measured_among_neighbors() {
    let found = cut(&rows(include_str!("../data/zen3-guest-4k.txt")), 1).unwrap();
    assert_eq!(found.levels.len(), 4, "{found:?}");
    let edge = |k: usize| found.levels[k].boundary.as_ref().unwrap();
    assert!(edge(0).rises_from.unwrap() <= 32 * KIB);
    // L2 is 512 KiB, partly used by a busy SMT sibling.
    assert!((0.3..0.9).contains(&(edge(1).capacity / (512 * KIB) as f64)));
}

#[test]
fn order_of_sizes_and_unit_of_time_do_not_matter() {
    let points = crate::machine::arm().measure(&sizes(KIB, 64 * MIB, 2), 5, &USUAL, 3);
    let plain = cut(&points, 9).unwrap();
    assert_eq!(plain, cut(&points, 9).unwrap());
    let backwards: Vec<SizePoint> = points.iter().rev().cloned().collect();
    assert_eq!(plain, cut(&backwards, 9).unwrap());
    // Cycles at 4 GHz instead of ns.
    let mut cycles = points;
    for value in cycles.iter_mut().flat_map(|p| &mut p.log_latency) {
        *value += 4.0_f64.ln();
    }
    let cycles = cut(&cycles, 9).unwrap();
    assert_eq!(cycles.levels.len(), plain.levels.len());
    for (a, b) in cycles.levels.iter().zip(&plain.levels) {
        assert!((a.latency / b.latency / 4.0 - 1.0).abs() < 0.01);
    }
}

fn has(found: &Levels, note: impl Fn(&Note) -> bool) -> bool {
    found.notes.iter().any(note)
}

#[test]
fn one_bad_size_is_an_outlier_and_no_level() {
    let mut points = guest();
    for value in &mut points[16].log_latency {
        *value += 1.0;
    }
    let found = cut(&points, 1).unwrap();
    assert_eq!(found.levels.len(), 4);
    assert!(has(&found, |n| *n == Note::Outlier(256 * KIB)));
}

#[test]
fn notes_say_what_is_missing() {
    // The curve ends at the start of the second step.
    let cut_short = cut(&guest()[..20], 1).unwrap();
    assert_eq!(cut_short.levels.len(), 2);
    assert!(has(&cut_short, |n| *n == Note::StillRising));

    let mut points = guest();
    points[5].log_latency.clear();
    for point in &mut points {
        point.log_latency.truncate(1);
    }
    let found = cut(&points, 1).unwrap();
    assert!(has(&found, |n| *n == Note::FewProcesses));
    assert!(has(&found, |n| *n == Note::SizesWithoutValues(1)));
    assert_eq!(found.levels.len(), 4);
}

#[test]
fn more_processes_make_intervals_narrower() {
    let machine = crate::machine::zen();
    let noise = Noise {
        outliers: 0.0,
        ..USUAL
    };
    let width = |processes: usize| {
        let total: f64 = (0..5)
            .map(|seed| {
                let points = machine.measure(&sizes(KIB, 256 * MIB, 2), processes, &noise, seed);
                let found = cut(&points, seed).unwrap();
                let memory = found.levels.last().unwrap();
                memory.latency_interval.hi / memory.latency_interval.lo - 1.0
            })
            .sum();
        total / 5.0
    };
    assert!(width(30) < 0.8 * width(5));
}

#[test]
fn bad_input_is_refused() {
    let point = |size: u64, value: f64| SizePoint {
        size,
        log_latency: vec![value],
    };
    let with = |bad: SizePoint| cut(&[point(1, 0.0), point(2, 0.0), point(4, 0.0), bad], 0);
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e3] {
        assert!(matches!(
            with(point(8, value)),
            Err(InputError::NotALogLatency(_))
        ));
    }
    assert_eq!(with(point(2, 0.0)), Err(InputError::BadSize(2)));
    assert_eq!(with(point(0, 0.0)), Err(InputError::BadSize(0)));
    let few = InputError::TooFewSizes {
        found: 1,
        needed: 3,
    };
    assert_eq!(cut(&[point(1, 0.0)], 0), Err(few));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Any curve, however absurd, gives ordered levels or an error.
    #[test]
    fn any_curve_gives_ordered_levels(
        curve in prop::collection::btree_map(
            1_u64..1 << 40,
            prop::collection::vec(-50.0_f64..50.0, 0..4),
            0..20,
        ),
        seed: u64,
    ) {
        let points: Vec<SizePoint> = curve
            .into_iter()
            .map(|(size, log_latency)| SizePoint { size, log_latency })
            .collect();
        let used = points.iter().filter(|p| !p.log_latency.is_empty()).count();
        match cut(&points, seed) {
            Err(_) => prop_assert!(used < 3),
            Ok(found) => {
                prop_assert_eq!(found.fitted.len(), used);
                let (last, others) = found.levels.split_last().unwrap();
                prop_assert!(last.boundary.is_none());
                for pair in found.levels.windows(2) {
                    prop_assert!(pair[0].latency < pair[1].latency);
                }
                for level in &found.levels {
                    let interval = level.latency_interval;
                    prop_assert!(level.latency.is_finite() && level.latency > 0.0);
                    prop_assert!(interval.lo <= level.latency && level.latency <= interval.hi);
                }
                for level in others {
                    let edge = level.boundary.as_ref().unwrap();
                    let interval = edge.capacity_interval;
                    prop_assert!(edge.capacity.is_finite() && edge.capacity > 0.0);
                    prop_assert!(interval.lo <= edge.capacity && edge.capacity <= interval.hi);
                }
            }
        }
    }
}
