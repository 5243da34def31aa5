//! Nodes over time whose steps are known.

use whyslow_model::history::AveragingVerdict;

use super::*;
use crate::folder::Stamp;
use crate::index::MemoryIndex;
use crate::measurement::{Indexed, Measurement, PointValue};

/// Values without a pattern, between -1 and 1, the same in every run.
fn chance(seed: usize) -> f64 {
    let hash = blake3::hash(&seed.to_le_bytes());
    let bytes: [u8; 4] = hash.as_bytes()[..4].try_into().unwrap();
    f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX) * 2.0 - 1.0
}

/// Hourly records of a node with four points in each of three families; `log` is added to the second from each record on.
fn index(records: usize, seed: usize, log: impl Fn(usize) -> f64) -> MemoryIndex {
    let file = |n: usize| {
        let values = (0..12).map(|p| PointValue {
            point: format!("os.p{p}{{size={p}}}"),
            family: FAMILIES[p / 4].0,
            log: p as f64
                + 0.02 * chance(seed + 97 * n + 7919 * p)
                + 0.01 * chance(seed + 31 * n + 104_729 * (p / 4))
                + if p / 4 == 1 { log(n) } else { 0.0 },
            variance: Some(1e-4),
            processes: 5,
        });
        Indexed {
            path: format!("n1/{n:04}.whyslow"),
            stamp: Stamp {
                size: 1,
                modified_ns: 1,
            },
            content: Ok(Measurement {
                node: "n1".to_owned(),
                started: format!("2026-01-{:02}T{:02}:00:00Z", 1 + n / 24, n % 24),
                hardware: vec![HardwareFact {
                    name: "CPU".to_owned(),
                    value: if n < 2 { "old" } else { "new" }.to_owned(),
                }],
                settings: Vec::new(),
                values: values.collect(),
            }),
        }
    };
    let files: Vec<Indexed> = (0..records).map(file).collect();
    let mut index = MemoryIndex::default();
    index.put(&files).unwrap();
    index
}

fn found(index: &mut MemoryIndex) -> NodeHistory {
    history(index, "n1", &Wanted::Families).unwrap().unwrap()
}

#[test]
fn a_planted_step_is_named_with_its_time_and_size() {
    let mut index = index(42, 1, |n| if n >= 30 { 0.05 } else { 0.0 });
    let all = found(&mut index);
    assert_eq!((all.records, all.other_hardware), (40, 2));
    assert_eq!(all.first, "2026-01-01T02:00:00Z");
    let steps: Vec<(&str, usize)> = all
        .series
        .iter()
        .map(|s| (s.name.as_str(), s.steps.len()))
        .collect();
    assert_eq!(
        steps,
        [(FAMILIES[0].0, 0), (FAMILIES[1].0, 1), (FAMILIES[2].0, 0)]
    );
    let step = &all.series[1].steps[0];
    assert_eq!(
        (step.after.as_str(), step.before.as_str()),
        ("2026-01-02T05:00:00Z", "2026-01-02T06:00:00Z")
    );
    let range = step.range.unwrap();
    assert!(
        range[0] < 0.05_f64.exp() && 0.05_f64.exp() < range[1],
        "{step:?}"
    );
    assert!(all.series[1].noise.unwrap() < 0.02);
    // A point alone, by its name.
    let one = Wanted::Points(&|name| name == "os.p5{size=5}");
    let one = history(&mut index, "n1", &one).unwrap().unwrap();
    assert_eq!(one.series.len(), 1);
    let steps = &one.series[0].steps;
    assert!(steps.iter().any(|s| s.before == step.before), "{steps:?}");
    assert!(
        history(&mut index, "n2", &Wanted::Families)
            .unwrap()
            .is_none()
    );
}

#[test]
fn nodes_without_a_step_show_one_in_no_more_than_accepted() {
    let shown = (0..200).filter(|seed| {
        let all = found(&mut index(32, 1_000 * seed, |_| 0.0));
        all.series.iter().any(|series| !series.steps.is_empty())
    });
    // 5 % of 200 with three standard errors of 3.1.
    let shown = shown.count();
    assert!((1..=19).contains(&shown), "{shown} of 200");
}

#[test]
fn averages_are_said_to_improve_only_where_records_support_it() {
    let verdict = |records: usize, log: &dyn Fn(usize) -> f64| {
        found(&mut index(records, 5, log)).series[1]
            .averaging
            .clone()
    };
    assert_eq!(verdict(12, &|_| 0.0).verdict, AveragingVerdict::NotMeasured);
    let still = verdict(200, &|_| 0.0);
    assert_eq!(still.verdict, AveragingVerdict::AtLeast, "{still:?}");
    assert_eq!(still.spacing_s, Some(3600.0));
    // A slow swing of 2 % over 100 hours.
    let swing = |n: usize| 0.02 * (n as f64 / 100.0 * std::f64::consts::TAU).sin();
    let found = found(&mut index(400, 5, swing));
    let drifts = &found.series[1];
    assert!(drifts.wanders || !drifts.steps.is_empty(), "{drifts:?}");
    assert!(!found.series[0].wanders && found.series[0].steps.is_empty());
}

#[test]
fn records_that_lack_points_count_with_those_they_have() {
    let mut index = MemoryIndex::default();
    let logs =
        |n: usize| [(0, 1.0), (1, 5.0), (2, 9.0)].map(|(p, level)| (p, level + 0.1 * n as f64));
    for n in 0..10 {
        let own = logs(n).into_iter().filter(|(p, _)| n != 4 || *p != 2);
        let values = own.map(|(p, log)| PointValue {
            point: format!("os.p{p}"),
            family: FAMILIES[0].0,
            log,
            variance: None,
            processes: 1,
        });
        let file = Indexed {
            path: format!("n1/{n}.whyslow"),
            stamp: Stamp {
                size: 1,
                modified_ns: 1,
            },
            content: Ok(Measurement {
                node: "n1".to_owned(),
                started: format!("2026-01-01T{n:02}:00:00Z"),
                hardware: Vec::new(),
                settings: Vec::new(),
                values: values.collect(),
            }),
        };
        index.put(&[file]).unwrap();
    }
    let values = &found(&mut index).series[0].values;
    for (a, b) in values.iter().zip(&values[1..]) {
        let step = (b.times_longer / a.times_longer).ln();
        assert!((step - 0.1).abs() < 1e-6, "{a:?} {b:?}");
    }
}
