//! The values of a comparison are those of the summary.

use crate::common::empty;
use proptest::prelude::*;
use whyslow_model::record::{
    Draw, Estimator, Mark, MarkKind, Outcome, Planned, Process, Randomization, Record, Series,
    ValueRule,
};
use whyslow_model::{Better, Unit};
use whyslow_stats::record::{Part, summarise, values};

fn planned(point: &str, unit: Unit, value: ValueRule) -> Planned {
    Planned {
        estimator: Default::default(),
        between_runs: 0.0,
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

fn less() -> ValueRule {
    ValueRule::Less {
        from: "a".into(),
        less: "b".into(),
    }
}

/// What one sample is made of: its time, and a number that decides marks, classes and what is missing.
type Raw = (f64, u8);

/// Raw samples without end.
struct Dice<'r>(std::iter::Cycle<std::slice::Iter<'r, Raw>>);

impl Dice<'_> {
    fn next(&mut self) -> Raw {
        *self.0.next().unwrap()
    }

    /// A series of four samples; with `classes`, each is in a class by chance.
    fn series(&mut self, name: &str, classes: bool, zeros: bool) -> Series {
        let drawn: Vec<Raw> = (0..4).map(|_| self.next()).collect();
        let marks = drawn.iter().enumerate().filter(|(_, (_, m))| *m < 2);
        let place = |m: u8| match m % 4 {
            0 => [90.0, 90.0],
            1 => [20.0, 90.0],
            _ => [20.0, 20.0],
        };
        Series {
            name: name.into(),
            work: if zeros { 1.0 } else { 7.0 },
            ns: drawn
                .iter()
                .map(|(ns, m)| {
                    if zeros && m.is_multiple_of(2) {
                        0.0
                    } else {
                        *ns
                    }
                })
                .collect(),
            marks: marks
                .map(|(i, (_, m))| Mark {
                    sample: i as u32,
                    what: [MarkKind::Switches, MarkKind::Faults][usize::from(*m)],
                    count: 1,
                })
                .collect(),
            handover_ns: drawn
                .iter()
                .filter(|_| classes)
                .map(|(_, m)| place(*m))
                .collect(),
            slots: Vec::new(),
        }
    }
}

/// A record of points of every rule, with times, marks, classes, zeros and missing series from `raw`.
fn record(raw: &[Raw]) -> Record {
    let mut record = empty();
    record.plan.points = vec![
        planned("x.single", Unit::Ns, ValueRule::Single),
        planned("x.best", Unit::GbPerS, ValueRule::Best),
        planned("x.less", Unit::Ns, less()),
        planned("x.each", Unit::Ns, ValueRule::Each),
        planned("x.count", Unit::Count, ValueRule::Single),
        planned("x.far{cpus=2}", Unit::Ns, ValueRule::Single),
        planned("x.far_best{cpus=2}", Unit::GbPerS, ValueRule::Best),
        planned("x.far_less{cpus=2}", Unit::Ns, less()),
        planned("x.never", Unit::Ns, ValueRule::Single),
    ];
    let never = record.plan.points.len() - 1;
    let mut dice = Dice(raw.iter().cycle());
    for round in 1..6 {
        for planned in &record.plan.points[..never] {
            let one = matches!(planned.value, ValueRule::Single);
            let names: &[&str] = if one { &[""] } else { &["a", "b"] };
            let classes = planned.point.get("cpus").is_some();
            let draws = (0..2).map(|_| Draw {
                series: names
                    .iter()
                    // One in six is missing: a process may lack either of two.
                    .filter(|_| one || dice.next().1 != 5)
                    .copied()
                    .collect::<Vec<_>>()
                    .into_iter()
                    .map(|n| dice.series(n, classes, planned.unit == Unit::Count))
                    .collect(),
                ..Draw::default()
            });
            record.processes.push(Process {
                round,
                order: 0,
                point: planned.point.clone(),
                at_ms: 0.0,
                wall_ms: 1.0,
                randomization: Randomization::default(),
                ghz: None,
                slots: None,
                outcome: Outcome::Draws(draws.collect()),
            });
        }
    }
    record
}

/// The middle of process values: of their logarithms where they have some.
fn middle(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    if values.iter().all(|v| *v > 0.0) {
        (values.iter().map(|v| v.ln()).sum::<f64>() / n).exp()
    } else {
        values.iter().sum::<f64>() / n
    }
}

fn alike(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(1.0)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]
    #[test]
    fn values_of_a_comparison_are_those_of_the_summary(
        raw in prop::collection::vec((50.0..150.0_f64, 0..6u8), 40..90),
    ) {
        let record = record(&raw);
        let summary = summarise(&record);
        let values = values(&record);
        prop_assert!(values.iter().all(|v| v.planned.point.probe != "x.never"));
        for point in &summary.points {
            let of_it: Vec<_> = values.iter().filter(|v| v.planned.point == point.point).collect();
            let id = point.point.to_string();
            let mut parts = 0;
            for lean in &of_it {
                let found: Vec<f64> = lean.processes.iter().map(|p| p.value).collect();
                match &lean.part {
                    Part::Class { name, .. } => {
                        let class = point.classes.iter().find(|c| &c.class == name).unwrap();
                        prop_assert!(alike(middle(&found), class.value.value), "{id} {name}");
                        prop_assert_eq!(&lean.from, &class.from);
                    }
                    Part::Series(name) => {
                        let series = point.series.iter().find(|s| &s.name == name).unwrap();
                        prop_assert!(alike(middle(&found), series.value.value), "{id} {name}");
                        parts += 1;
                    }
                    Part::Whole => {
                        prop_assert!(alike(middle(&found), point.value.unwrap().value), "{id}");
                        prop_assert_eq!(&lean.from, &point.from);
                    }
                }
                if point.value.is_some() {
                    prop_assert_eq!(&found.len(), &point.processes.len(), "{}", id);
                    for (f, w) in found.iter().zip(&point.processes) {
                        prop_assert!(alike(*f, *w), "{id}: {found:?}, {:?}", point.processes);
                    }
                }
            }
            // Nothing that one has and the other lacks.
            prop_assert_eq!(point.value.is_some(), of_it.len() == 1 && parts == 0, "{}", id);
            let settled = point.classes.iter().filter(|c| c.class != "moved");
            let in_classes = of_it.iter().filter(|v| matches!(v.part, Part::Class { .. }));
            prop_assert_eq!(settled.count(), in_classes.count(), "{}", id);
            let series = if point.point.probe == "x.each" { point.series.len() } else { 0 };
            prop_assert_eq!(parts, series, "{}", id);
        }
    }
}

fn one_point(rule: ValueRule, processes: Vec<Vec<Series>>) -> Record {
    let mut record = empty();
    record.plan.points = vec![planned("ctx.ring", Unit::Ns, rule)];
    for (round, series) in (1..).zip(processes) {
        record.processes.push(Process {
            round,
            order: 0,
            point: "ctx.ring".parse().unwrap(),
            at_ms: 0.0,
            wall_ms: 1.0,
            randomization: Randomization::default(),
            ghz: None,
            slots: None,
            outcome: Outcome::Draws(vec![Draw {
                series,
                ..Draw::default()
            }]),
        });
    }
    record
}

fn times(name: &str, ns: &[f64], handover_ns: &[f64]) -> Series {
    Series {
        name: name.into(),
        work: 1.0,
        ns: ns.to_vec(),
        marks: Vec::new(),
        handover_ns: handover_ns.iter().map(|h| [*h, *h]).collect(),
        slots: Vec::new(),
    }
}

/// The values of the only point, by the comparison's way and by the summary's.
fn both_ways(record: &Record) -> (Vec<f64>, Vec<f64>) {
    let lean = values(record);
    let lean = lean[0].processes.iter().map(|p| p.value).collect();
    (lean, summarise(record).points[0].processes.clone())
}

fn near(found: &[f64], wanted: &[f64]) -> bool {
    found.len() == wanted.len() && found.iter().zip(wanted).all(|(f, w)| alike(*f, *w))
}

#[test]
fn a_difference_is_within_a_process() {
    let record = one_point(
        less(),
        vec![
            vec![times("a", &[10.0], &[]), times("b", &[1.0], &[])],
            vec![times("a", &[20.0], &[])],
            vec![times("a", &[30.0], &[]), times("b", &[3.0], &[])],
        ],
    );
    let (lean, summed) = both_ways(&record);
    assert!(near(&lean, &[9.0, 27.0]), "{lean:?}");
    assert!(near(&summed, &[9.0, 27.0]), "{summed:?}");
    // What gives no value is said.
    let said = summarise(&record).points[0].failures.join(" ");
    assert!(said.contains("'b'") && said.contains("1 of 3"), "{said}");
}

#[test]
fn a_difference_without_either_series_has_its_reason() {
    let record = one_point(less(), vec![Vec::new(), Vec::new()]);
    let summary = &summarise(&record).points[0];
    assert_eq!(summary.value, None);
    let said = summary.failures.join(" ");
    assert!(
        said.contains("'a' and 'b'") && said.contains("all 2"),
        "{said}"
    );
}

#[test]
fn a_difference_is_within_a_process_in_each_class_too() {
    let (near_ns, far_ns) = (20.0, 90.0);
    // The CPUs of the second went away between its two series.
    let record = one_point(
        less(),
        vec![
            vec![
                times("a", &[10.0, 50.0], &[near_ns, far_ns]),
                times("b", &[1.0, 5.0], &[near_ns, far_ns]),
            ],
            vec![
                times("a", &[20.0], &[near_ns]),
                times("b", &[2.0], &[far_ns]),
            ],
            vec![
                times("a", &[30.0, 60.0], &[near_ns, far_ns]),
                times("b", &[3.0, 6.0], &[near_ns, far_ns]),
            ],
        ],
    );
    let found = values(&record);
    let of = |k: usize| {
        found[k]
            .processes
            .iter()
            .map(|p| p.value)
            .collect::<Vec<_>>()
    };
    assert!(
        near(&of(0), &[9.0, 27.0]) && near(&of(1), &[45.0, 54.0]),
        "{found:?}"
    );
    let classes = &summarise(&record).points[0].classes;
    assert!(
        alike(classes[0].value.value, middle(&[9.0, 27.0])),
        "{classes:?}"
    );
    assert!(
        alike(classes[1].value.value, middle(&[45.0, 54.0])),
        "{classes:?}"
    );
}

#[test]
fn the_low_estimator_is_near_the_fastest_batches() {
    let slowed = times("a", &[10.0, 10.1, 19.0, 30.0, 40.0], &[]);
    let mut record = one_point(ValueRule::Single, vec![vec![slowed]]);
    assert!(near(&both_ways(&record).0, &[19.0]));
    record.plan.points[0].estimator = Estimator::Low;
    let (lean, summed) = both_ways(&record);
    assert!(
        near(&lean, &[10.04]) && near(&summed, &[10.04]),
        "{lean:?} {summed:?}"
    );
}

#[test]
fn the_best_is_of_series_that_were_measured_again() {
    // "b" was dropped after a first process in which it happened to be the fastest.
    let record = one_point(
        ValueRule::Best,
        vec![
            vec![times("a", &[10.0], &[]), times("b", &[9.9], &[])],
            vec![times("a", &[10.2], &[])],
            vec![times("a", &[10.1], &[])],
        ],
    );
    let (lean, summed) = both_ways(&record);
    assert!(near(&lean, &[10.0, 10.2, 10.1]), "{lean:?}");
    assert!(near(&summed, &[10.0, 10.2, 10.1]), "{summed:?}");
    assert_eq!(summarise(&record).points[0].from.as_deref(), Some("a"));
}
