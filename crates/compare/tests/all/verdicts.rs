//! Comparisons of made-up runs: what is found, what is not, and what is said about it.

use crate::common::{Dice, Run, add, empty, find, named, on, process};
use whyslow_compare::selfcheck::selfcheck;
use whyslow_compare::{CompareError, FailOn, Named, Options, Outcome, compare, is_real, outcome};
use whyslow_model::comparison::{
    Comparison, PointComparison, Repeated, Size, SpreadLevel, Verdict,
};
use whyslow_model::glob::Globs;
use whyslow_model::host::Known;
use whyslow_model::record::{Estimator, Record, ValueRule};
use whyslow_model::{Better, Point, Unit};

fn run(seed: u64, draw_sd: f64, value: impl Fn(usize) -> f64) -> Record {
    let run = Run {
        points: 40,
        processes: 10,
        draws: 3,
        samples: 8,
        draw_sd,
        seed,
    };
    run.record(value)
}

fn one(a: &Record, b: &Record) -> Comparison {
    compare(&[named("a", a)], &[named("b", b)], &Options::default()).unwrap()
}

/// The host of the report's tests, under another id and boot.
fn booted(record: Record, id: &str, boot: &str) -> Record {
    let mut record = on(record, id);
    record.host.as_mut().unwrap().boot_id = Known::Is(boot.into());
    record
}

#[test]
fn like_machines_look_alike() {
    let reports_with_any = (0..20)
        .filter(|seed| {
            let (a, b) = (
                run(100 + seed, 0.005, |_| 100.0),
                run(900 + seed, 0.005, |_| 100.0),
            );
            one(&a, &b).points.iter().any(|p| is_real(&p.verdict))
        })
        .count();
    // 5 % of reports by design: one, three at most.
    assert!(reports_with_any <= 3, "{reports_with_any} of 20");
}

#[test]
fn planted_slowdowns_are_found_and_sized() {
    let mut found = [0; 2];
    for seed in 0..10 {
        let a = run(1000 + seed, 0.003, |_| 100.0);
        let b = run(2000 + seed, 0.003, |i| [102.0, 105.0, 100.0][i.min(2)]);
        let comparison = one(&a, &b);
        for (i, count) in found.iter_mut().enumerate() {
            let point = find(&comparison, &format!("os.call{{n={i}}}"));
            *count += usize::from(matches!(point.verdict, Verdict::Slower { .. }));
        }
        let five = find(&comparison, "os.call{n=1}");
        let Verdict::Slower { size } = five.verdict else {
            panic!("{:?}", five.verdict)
        };
        assert!(size != Size::Negligible);
        let [lo, hi] = five.range.unwrap();
        assert!(lo < 1.07 && hi > 1.03 && comparison.rules.selected_coverage > 0.95);
    }
    // 2 % among forty points at a spread of 1 %; 5 % always.
    assert!(found[0] >= 6, "{found:?}");
    assert_eq!(found[1], 10);
}

#[test]
fn one_process_beside_ten_tells_what_is_far_and_nothing_else() {
    let a = run(1, 0.005, |_| 100.0);
    let mut b = run(2, 0.005, |i| [500.0, 105.0, 100.0][i.min(2)]);
    let alone = ["os.call{n=0}", "os.call{n=1}"];
    let mut kept = [false; 2];
    b.processes.retain(|process| {
        let point = process.point.to_string();
        let first = alone.iter().position(|p| *p == point);
        first.is_none_or(|i| !std::mem::replace(&mut kept[i], true))
    });
    let comparison = one(&a, &b);
    let [far, near] = alone.map(|point| find(&comparison, point));
    assert_eq!((far.b.units.len(), near.b.units.len()), (1, 1));
    let Verdict::Slower { size: Size::Above } = far.verdict else {
        panic!("{far:#?}")
    };
    let [lo, hi] = far.range.unwrap();
    assert!(lo < 4.8 && lo > 2.0 && hi > 5.2, "{lo} {hi}");
    assert!(
        matches!(near.verdict, Verdict::Untested { .. }),
        "{near:#?}"
    );
    assert_eq!((near.p, near.range), (None, None));
}

#[test]
fn looks_at_the_other_side_cost_a_part_of_the_level() {
    let (a, mut b) = (run(1, 0.005, |_| 100.0), run(2, 0.005, |_| 100.0));
    let plain = one(&a, &b).rules;
    assert!((plain.level - plain.q).abs() < 1e-12);
    b.header.against = whyslow_compare::known_as(&a);
    // The p-value of 1.985 standard errors.
    for looked in [one(&a, &b).rules, one(&b, &a).rules] {
        assert!((looked.level - 0.04714).abs() < 1e-5, "{looked:?}");
    }
    b.header.against = "another record".into();
    assert!((one(&a, &b).rules.level - 0.05).abs() < 1e-12);
}

#[test]
fn undecided_says_what_it_would_take() {
    let mut a = empty();
    let mut b = empty();
    let spread = [90.0, 110.0, 95.0, 105.0, 100.0];
    let shifted: Vec<f64> = spread.iter().map(|v| v * 1.03).collect();
    let tight = [100.0, 100.1, 99.9, 100.05, 99.95];
    add(&mut a, "x.noisy", Unit::Ns, Better::Lower, None, &spread);
    add(&mut b, "x.noisy", Unit::Ns, Better::Lower, None, &shifted);
    add(&mut a, "x.tight", Unit::Ns, Better::Lower, None, &tight);
    add(&mut b, "x.tight", Unit::Ns, Better::Lower, None, &tight);
    let comparison = one(&a, &b);
    let noisy = find(&comparison, "x.noisy");
    let Verdict::Undecided { more: Some(more) } = noisy.verdict else {
        panic!("{:?}", noisy.verdict)
    };
    // 8 % of spread, 3 % of difference: about 16 (8 / 3)^2 a side, and more as two are tested.
    assert!((80..250).contains(&more), "{more}");
    // A noisy point has a wide margin for sizes, but is not the same by being noisy.
    assert!(noisy.margin > 0.1);
    assert_eq!(find(&comparison, "x.tight").verdict, Verdict::Same);
    assert_eq!(outcome(&comparison, FailOn::Any), Outcome::Undecided);
    assert_eq!(outcome(&comparison, FailOn::None), Outcome::Same);
}

#[test]
fn units_are_the_outermost_level_that_both_sides_repeated() {
    let boot = |host: &str, boot: &str, seed, shift: f64| {
        booted(run(seed, 0.003, |_| 100.0 * shift), host, boot)
    };
    // Boots differ by 1 %: processes alone would call that real.
    let a = [boot("h", "1", 1, 1.0), boot("h", "2", 2, 1.01)];
    let b = [boot("h", "3", 3, 1.0), boot("h", "4", 4, 1.01)];
    fn names(records: &[Record]) -> Vec<Named<'_>> {
        records.iter().map(|r| named("r", r)).collect()
    }
    let comparison = compare(&names(&a), &names(&b), &Options::default()).unwrap();
    assert_eq!(comparison.scope.level, Repeated::Boot);
    assert_eq!(comparison.points[0].a.units.len(), 2);
    assert_eq!((comparison.a.hosts, comparison.a.boots), (1, 2));
    // Two boots against one: processes, and the scope says what that leaves out.
    let comparison = compare(&names(&a), &names(&b[..1]), &Options::default()).unwrap();
    assert_eq!(comparison.scope.level, Repeated::Process);
    assert_eq!(comparison.points[0].a.units.len(), 20);
    assert!(comparison.scope.claims[2].contains("two boots"));
    let hosts = [boot("g", "5", 5, 1.0), boot("i", "6", 6, 1.0)];
    let others = [boot("j", "7", 7, 1.0), boot("k", "8", 8, 1.0)];
    let comparison = compare(&names(&hosts), &names(&others), &Options::default()).unwrap();
    assert_eq!(comparison.scope.level, Repeated::Host);
    assert_eq!(comparison.points[0].b.units.len(), 2);
}

#[test]
fn two_runs_are_not_told_apart_by_less_than_such_runs_drift() {
    let record = |started: &str, seed, shift: f64| {
        let mut record = booted(run(seed, 0.0, |_| 100.0 * shift), "h", "1");
        record.header.started = started.into();
        for planned in &mut record.plan.points {
            planned.between_runs = 0.02;
        }
        record
    };
    let real = |found: &Comparison| found.points.iter().filter(|p| is_real(&p.verdict)).count();
    let a = record("2026-01-01T00:00:00Z", 1, 1.0);
    let another = record("2026-01-01T00:10:00Z", 2, 1.03);
    let found = one(&a, &another);
    assert_eq!(real(&found), 0);
    let point = &found.points[0];
    // 2 % of either run, and a share of the spread of their processes: 0.15 of the variance of one, of four at most.
    drifts(point, 0.02 * 0.02 * 2.0);
    assert!(matches!(point.verdict, Verdict::Undecided { more: None }));
    assert!(
        found.scope.claims[1].contains("2.9 to 2.9 %"),
        "{:?}",
        found.scope.claims
    );
    assert!(real(&one(&a, &record("2026-01-01T00:10:00Z", 2, 1.15))) > 0);
    // Parts of one run have drifted alike, and each further run halves the variance.
    let part = record("2026-01-01T00:00:00Z", 2, 1.03);
    assert_eq!(one(&a, &part).points[0].between_runs, None);
    assert!(real(&one(&a, &part)) > 0);
    let third = record("2026-01-01T00:20:00Z", 3, 1.03);
    let two = [named("b", &another), named("c", &third)];
    let found = compare(&[named("a", &a)], &two, &Options::default()).unwrap();
    drifts(&found.points[0], 0.02 * 0.02 * 1.5);
}

/// The variance between runs of a point whose sides have four processes a run or more.
fn drifts(point: &PointComparison, declared: f64) {
    let part = |units: &[f64]| {
        let logs: Vec<f64> = units.iter().map(|v| v.ln()).collect();
        let n = logs.len() as f64;
        let mean = logs.iter().sum::<f64>() / n;
        logs.iter().map(|l| (l - mean).powi(2)).sum::<f64>() / (n - 1.0) / n
    };
    let within = part(&point.a.units) + part(&point.b.units);
    let wanted = declared + 0.15 * 4.0 * within;
    let found = point.between_runs.unwrap().powi(2);
    // Variances borrow a little from each other.
    assert!((found / wanted - 1.0).abs() < 0.03, "{found} for {wanted}");
}

#[test]
fn builds_and_hidden_factors_stand_first() {
    let a = booted(run(1, 0.003, |_| 100.0), "h", "1");
    let mut b = booted(run(2, 0.003, |_| 150.0), "h", "2");
    b.header.build.profile = "debug".into();
    let comparison = one(&a, &b);
    assert!(comparison.objections[0].forbids);
    let forbidden = |p: &whyslow_model::comparison::PointComparison| matches!(&p.verdict, Verdict::NotComparable { why } if why.contains("release in A, debug in B"));
    assert!(comparison.points.iter().all(forbidden));
    assert_eq!(outcome(&comparison, FailOn::Any), Outcome::Undecided);

    let mut other = a.clone();
    other.states[0].state.memory.thp.enabled = Known::Is("sometimes".into());
    let sides = [named("one", &a), named("two", &other)];
    let comparison = compare(&sides, &sides[..1], &Options::default()).unwrap();
    let text = &comparison
        .objections
        .iter()
        .find(|o| o.text.contains("hidden"));
    assert!(
        text.unwrap()
            .text
            .contains("records of A differ in memory.thp.enabled")
    );
    let comparison = one(&a, &other);
    assert_eq!(comparison.hosts.state[0].what, "memory.thp.enabled");
    assert!(comparison.hosts.facts.is_empty() && comparison.hosts.looked_at > 50);
}

#[test]
fn a_larger_spread_between_draws_is_a_finding() {
    let a = run(1, 0.002, |_| 100.0);
    let b = run(2, 0.03, |_| 100.0);
    let comparison = one(&a, &b);
    let found = (comparison.points.iter())
        .filter(|p| {
            p.spread
                .iter()
                .any(|s| s.level == SpreadLevel::Draw && s.b > 2.0 * s.a)
        })
        .count();
    assert!(found >= 35, "{found} of 40");
    let same = one(&a, &run(3, 0.002, |_| 100.0));
    let wrong: usize = same.points.iter().map(|p| p.spread.len()).sum();
    assert!(wrong <= 1, "{wrong}");
}

/// A point whose processes ran at the given core-to-core latencies.
fn placed(id: &str, handovers: &[f64]) -> Record {
    let mut record = booted(empty(), id, "1");
    add(
        &mut record,
        "ipc.pipe{cpus=far}",
        Unit::Ns,
        Better::Lower,
        None,
        &[],
    );
    let point: Point = "ipc.pipe{cpus=far}".parse().unwrap();
    let mut dice = Dice::new(handovers.len() as u64);
    for (round, handover) in handovers.iter().enumerate() {
        let ns = vec![handover * 10.0 * (0.01 * dice.normal()).exp()];
        process(&mut record, &point, round, vec![ns], &[*handover]);
    }
    record
}

#[test]
fn places_are_compared_only_with_their_like() {
    let near_far = [24.0, 120.0, 24.0, 120.0, 24.0, 120.0, 24.0, 120.0];
    let both = one(&placed("h", &near_far), &placed("h", &near_far));
    let parts: Vec<_> = both.points.iter().map(|p| p.part.as_deref()).collect();
    assert_eq!(parts, [Some("near"), Some("far")]);
    // One host, B all far: its only class is called near, and is held against A's far.
    let far = one(&placed("h", &near_far), &placed("h", &[120.0; 6]));
    assert!(
        matches!(&far.points[0].verdict, Verdict::NotComparable { why } if why.contains("24 or 120 ns apart"))
    );
    assert!(!matches!(
        far.points[1].verdict,
        Verdict::NotComparable { .. }
    ));
    assert!((far.points[1].ratio.unwrap() - 1.0).abs() < 0.05);
    let apart = one(&placed("h", &[24.0; 6]), &placed("h", &[120.0; 6]));
    assert!(matches!(
        apart.points[0].verdict,
        Verdict::NotComparable { .. }
    ));
    // Two hosts may well have other distances.
    let hosts = one(&placed("h", &[24.0; 6]), &placed("g", &[50.0; 6]));
    assert!(matches!(hosts.points[0].verdict, Verdict::Slower { .. }));
}

#[test]
fn what_has_no_ratio_or_no_partner_is_said() {
    let mut a = empty();
    let mut b = empty();
    for record in [&mut a, &mut b] {
        let point: Point = "mem.tlb".parse().unwrap();
        add(record, "mem.tlb", Unit::Ns, Better::Lower, None, &[]);
        record.plan.points[0].value = ValueRule::Less {
            from: "x".into(),
            less: "y".into(),
        };
        for round in 0..3 {
            process(record, &point, round, vec![vec![1.0]], &[]);
            let whyslow_model::record::Outcome::Draws(draws) = &mut record.processes[round].outcome
            else {
                panic!()
            };
            draws[0].series[0].name = "x".into();
            let mut less = draws[0].series[0].clone();
            less.name = "y".into();
            less.ns = vec![1.5];
            draws[0].series.push(less);
        }
    }
    add(&mut a, "x.only", Unit::Ns, Better::Lower, None, &[1.0, 2.0]);
    // A row that counts is beside them, as without any value there is no comparison.
    let mut c = a.clone();
    for record in [&mut a, &mut c] {
        add(
            record,
            "x.count",
            Unit::Count,
            Better::Lower,
            None,
            &[0.0, 3.0],
        );
    }
    let comparison = one(&a, &c);
    assert!(
        matches!(&comparison.points[1].verdict, Verdict::NotComparable { why } if why.contains("zero or less"))
    );
    let unknown = &comparison.missing[0];
    assert_eq!(
        (unknown.point.probe.as_str(), unknown.lacks.as_str()),
        ("mem.tlb", "A and B")
    );
    let why = unknown.why.as_deref().unwrap();
    assert!(
        why.contains("in 3 of 3 processes 'x' took no longer than 'y'"),
        "{why}"
    );
    add(
        &mut b,
        "x.count",
        Unit::Count,
        Better::Lower,
        None,
        &[0.0, 3.0],
    );
    assert_eq!(one(&a, &b).missing[0].lacks, "B");
    assert_eq!(
        compare(
            &[named("a", &a)],
            &[named("b", &empty())],
            &Options::default()
        ),
        Err(CompareError::NothingInCommon { a: 2, b: 0 })
    );
    let only = Options {
        only: Globs::parse("cpu.*"),
        ..Options::default()
    };
    assert_eq!(
        compare(&[named("a", &a)], &[named("b", &b)], &only),
        Err(CompareError::NothingSelected)
    );
}

#[test]
fn a_record_against_itself_gives_about_the_promised_alarms() {
    let record = run(7, 0.005, |_| 100.0);
    let check = selfcheck(&record, &Globs::default(), 1).unwrap();
    let family = &check.families[0];
    assert_eq!((family.name.as_str(), family.points), ("os", 40));
    assert!((0.02..0.08).contains(&family.false_share), "{family:?}");
    assert!((0.92..0.98).contains(&family.coverage));
    assert!(family.found[1] > 0.95 && family.found[0] > family.false_share);
    assert!(check.reports_with_false < 0.15, "{check:?}");
    assert_eq!(selfcheck(&empty(), &Globs::default(), 1), None);
}

#[test]
fn points_planned_with_different_estimators_are_compared_by_medians() {
    let slowed = |_: usize| vec![vec![10.0, 10.1, 19.0, 30.0, 40.0]];
    let record = |estimator| {
        let mut record = on(empty(), "one");
        add(&mut record, "os.read", Unit::Ns, Better::Lower, None, &[]);
        record.plan.points[0].estimator = estimator;
        for round in 0..3 {
            let point = record.plan.points[0].point.clone();
            process(&mut record, &point, round, slowed(round), &[]);
        }
        record
    };
    let value = |a: &Record, b: &Record| {
        let found = one(a, b);
        let units = [&found.points[0].a.units, &found.points[0].b.units];
        let said = found
            .objections
            .iter()
            .any(|o| o.text.contains("estimator"));
        (units.map(|u| (u[0] * 100.0).round() / 100.0), said)
    };
    let (low, middle) = (record(Estimator::Low), record(Estimator::Middle));
    assert_eq!(value(&low, &low), ([10.04, 10.04], false));
    assert_eq!(value(&low, &middle), ([19.0, 19.0], true));
}
