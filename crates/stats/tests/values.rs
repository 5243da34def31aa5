//! The lean values of a comparison are those of the summary.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod common;

use common::empty;
use proptest::prelude::*;
use whyslow_model::record::{
    Draw, Luck, Mark, MarkKind, Outcome, Planned, Process, Record, Series, ValueRule,
};
use whyslow_model::{Better, Unit};
use whyslow_stats::record::{Part, summarise, values};

fn planned(point: &str, unit: Unit, value: ValueRule) -> Planned {
    Planned {
        point: point.parse().unwrap(),
        unit,
        better: Better::Lower,
        value,
        size_bytes: None,
        usual_marks: vec![MarkKind::Faults],
        title: None,
        symbol: None,
    }
}

/// A record of one point of each rule, with times, marks and hand-overs from `raw`.
fn record(raw: &[(f64, u8)]) -> Record {
    let mut record = empty();
    let less = ValueRule::Less {
        from: "a".into(),
        less: "b".into(),
    };
    record.plan.points = vec![
        planned("x.single", Unit::Ns, ValueRule::Single),
        planned("x.best", Unit::GbPerS, ValueRule::Best),
        planned("x.less", Unit::Ns, less),
        planned("x.far{cpus=2}", Unit::Ns, ValueRule::Single),
        planned("x.never", Unit::Ns, ValueRule::Single),
    ];
    let mut raw = raw.iter().cycle();
    for round in 0..4 {
        for planned in &record.plan.points[..4] {
            let two = matches!(planned.value, ValueRule::Best | ValueRule::Less { .. });
            let mut series = |name: &str| {
                let drawn: Vec<(f64, u8)> = (0..4).map(|_| *raw.next().unwrap()).collect();
                let marks = drawn.iter().enumerate().filter(|(_, (_, m))| *m < 2);
                Series {
                    name: name.into(),
                    work: 7.0,
                    ns: drawn.iter().map(|(ns, _)| *ns).collect(),
                    marks: marks
                        .map(|(i, (_, m))| Mark {
                            sample: i as u32,
                            what: [MarkKind::Switches, MarkKind::Faults][usize::from(*m)],
                            count: 1,
                        })
                        .collect(),
                    handover_ns: match planned.point.get("cpus") {
                        Some(_) => vec![[if round % 2 == 0 { 20.0 } else { 90.0 }; 2]; 4],
                        None => vec![],
                    },
                    slots: Vec::new(),
                }
            };
            let names: &[&str] = if two { &["a", "b"] } else { &[""] };
            let draws = (0..2).map(|_| Draw {
                series: names.iter().map(|n| series(n)).collect(),
                ..Draw::default()
            });
            record.processes.push(Process {
                round,
                order: 0,
                point: planned.point.clone(),
                at_ms: 0.0,
                wall_ms: 1.0,
                luck: Luck::default(),
                ghz: None,
                slots: None,
                outcome: Outcome::Draws(draws.collect()),
            });
        }
    }
    record
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn lean_values_are_those_of_the_summary(
        raw in prop::collection::vec((50.0..150.0_f64, 0..6u8), 40..90),
    ) {
        let record = record(&raw);
        let summary = summarise(&record);
        let values = values(&record);
        prop_assert!(values.iter().all(|v| v.planned.point.probe != "x.never"));
        for point in &summary.points {
            let lean = values.iter().filter(|v| v.planned.point == point.point);
            for lean in lean {
                let logs: f64 = lean.processes.iter().map(|p| p.value.ln()).sum();
                let mean = (logs / lean.processes.len() as f64).exp();
                match &lean.part {
                    Part::Class { name, .. } => {
                        let class = point.classes.iter().find(|c| &c.class == name).unwrap();
                        prop_assert!((mean / class.value.value - 1.0).abs() < 1e-9);
                    }
                    _ => {
                        let found: Vec<f64> = lean.processes.iter().map(|p| p.value).collect();
                        prop_assert_eq!(found.len(), point.processes.len());
                        for (f, w) in found.iter().zip(&point.processes) {
                            prop_assert!((f - w).abs() < 1e-9 * w.abs().max(1.0));
                        }
                        prop_assert_eq!(&lean.from, &point.from);
                    }
                }
            }
        }
        let far = values.iter().filter(|v| matches!(v.part, Part::Class { .. }));
        prop_assert_eq!(far.count(), 2);
    }
}
