//! Summaries of whole records.

use std::collections::BTreeMap;

use crate::common::{empty, process, series};
use whyslow_model::record::{
    Failure, FailureKind, Line, Mark, MarkKind, Outcome, Plan, Planned, Process, Record, ValueRule,
};
use whyslow_model::summary::{PointSummary, Summary};
use whyslow_model::{Better, Point, Unit};
use whyslow_stats::record::{levels, reasons, scouted, summarise, values};

fn record(planned: Vec<Planned>, processes: Vec<Process>) -> Record {
    let mut record = empty();
    record.add(Line::Plan(Plan {
        sized_by: None,
        beyond_bytes: None,
        points: planned,
        skipped: Vec::new(),
        rounds: 5,
    }));
    for process in processes {
        record.add(Line::Process(Box::new(process)));
    }
    record
}

fn planned(point: &str, unit: Unit, value: ValueRule) -> Planned {
    Planned {
        estimator: Default::default(),
        between_runs: 0.0,
        point: point.parse().unwrap(),
        unit,
        better: Better::Lower,
        value,
        size_bytes: None,
        usual_marks: Vec::new(),
        title: None,
        symbol: None,
    }
}

fn only(summary: &Summary) -> &PointSummary {
    assert_eq!(summary.points.len(), 1);
    &summary.points[0]
}

#[test]
fn the_scout_is_no_part_of_a_value() {
    let point = "os.null_call";
    let run = vec![
        process(0, point, vec![series("", 1.0, &[900.0])]),
        process(1, point, vec![series("", 1.0, &[100.0])]),
        process(2, point, vec![series("", 1.0, &[100.0])]),
    ];
    let summary = summarise(&record(
        vec![planned(point, Unit::Ns, ValueRule::Single)],
        run,
    ));
    let value = only(&summary).value.unwrap();
    assert!((value.value - 100.0).abs() < 1e-9);
    assert_eq!(only(&summary).processes.len(), 2);
}

#[test]
fn marked_samples_are_left_out_and_counted_unless_usual() {
    let point = "os.null_call";
    let mut disturbed = series("", 1.0, &[100.0, 500.0, 100.0]);
    disturbed.marks.push(Mark {
        sample: 1,
        what: MarkKind::Switches,
        count: 1,
    });
    let run = vec![
        process(1, point, vec![disturbed.clone()]),
        process(2, point, vec![disturbed]),
    ];
    let mut plan = planned(point, Unit::Ns, ValueRule::Single);
    let strict = summarise(&record(vec![plan.clone()], run.clone()));
    assert_eq!((only(&strict).samples, only(&strict).left_out), (6, 2));
    plan.usual_marks.push(MarkKind::Switches);
    let usual = summarise(&record(vec![plan], run));
    assert_eq!(only(&usual).left_out, 0);
}

#[test]
fn the_best_series_is_chosen_over_all_processes() {
    let point = "mem.bandwidth{op=read,level=L1,cpus=1}";
    // "wild" wins in one process, "steady" in the mean. Work 1000 bytes: 1 GB/s is 1000 ns.
    let run = vec![
        process(
            1,
            point,
            vec![
                series("wild", 1000.0, &[5.0]),
                series("steady", 1000.0, &[10.0]),
            ],
        ),
        process(
            2,
            point,
            vec![
                series("wild", 1000.0, &[90.0]),
                series("steady", 1000.0, &[10.0]),
            ],
        ),
    ];
    let summary = summarise(&record(
        vec![planned(point, Unit::GbPerS, ValueRule::Best)],
        run,
    ));
    let found = only(&summary);
    assert_eq!(found.from.as_deref(), Some("steady"));
    assert!((found.value.unwrap().value - 100.0).abs() < 1e-9);
    assert_eq!(found.series.len(), 2, "all are kept");
}

#[test]
fn intervals_of_rates_are_in_order() {
    let point = "cpu.clock";
    let run = (1..=4)
        .map(|r| process(r, point, vec![series("", 1000.0, &[250.0 + f64::from(r)])]))
        .collect();
    let summary = summarise(&record(
        vec![planned(point, Unit::Ghz, ValueRule::Single)],
        run,
    ));
    let value = only(&summary).value.unwrap();
    let [lo, hi] = value.range.unwrap();
    assert!(lo < value.value && value.value < hi, "{value:?}");
}

/// A TLB cost of processes whose sparse loads took `sparse` where the packed ones took 1 ns.
fn tlb(sparse: &[f64]) -> Record {
    let point = "mem.tlb{count=16,pages=4k}";
    let rule = ValueRule::Less {
        from: "sparse".into(),
        less: "packed".into(),
    };
    let run = sparse.iter().zip(1..).map(|(ns, round)| {
        let both = vec![series("sparse", 1.0, &[*ns]), series("packed", 1.0, &[1.0])];
        process(round, point, both)
    });
    record(vec![planned(point, Unit::Ns, rule)], run.collect())
}

#[test]
fn a_difference_below_zero_is_not_known_and_the_reason_is_said() {
    // All below, as many, one process alone, and one far off among three.
    for sparse in [
        &[0.99, 0.98, 0.97][..],
        &[1.0, 1.0, 1.0],
        &[0.9, 1.2, 0.8, 1.1],
        &[0.5],
        &[1.2, 1.3, 0.4],
    ] {
        let run = tlb(sparse);
        let summary = summarise(&run);
        let found = only(&summary);
        assert_eq!(found.value, None, "{sparse:?}");
        assert!(found.processes.is_empty() && found.modes.is_empty());
        let below = sparse.iter().filter(|ns| **ns <= 1.0).count();
        let said = format!("in {below} of {} processes", sparse.len());
        assert!(found.failures[0].contains(&said), "{:?}", found.failures);
        assert!(values(&run).is_empty());
        assert_eq!(reasons(&run, &found.point), found.failures);
    }
}

#[test]
fn a_difference_that_is_above_zero_over_all_is_known() {
    // One of many below zero is chance: leaving it out would leave what chance did the other way.
    let summary = summarise(&tlb(&[1.5, 1.6, 1.4, 1.5, 1.6, 1.4, 1.5, 0.9]));
    let found = only(&summary);
    let value = found.value.unwrap();
    assert!((value.value - 0.425).abs() < 1e-9, "{value:?}");
    assert!(value.range.unwrap()[0] > 0.0);
    assert_eq!(found.processes.len(), 8);
}

#[test]
fn a_difference_above_zero_in_every_process_has_an_interval_above_zero() {
    let point = "ctx.ring{procs=2,size=0,place=free}";
    let rule = ValueRule::Less {
        from: "ring".into(),
        less: "own".into(),
    };
    // On one CPU or on two, depending on the scheduler: the arithmetic interval would include
    // negative values.
    let run = [2.0, 2.0, 38.0, 40.0]
        .iter()
        .zip(1..)
        .map(|(ns, r)| {
            let both = vec![series("ring", 1.0, &[1.0 + ns]), series("own", 1.0, &[1.0])];
            process(r, point, both)
        })
        .collect();
    let summary = summarise(&record(vec![planned(point, Unit::Ns, rule)], run));
    let value = only(&summary).value.unwrap();
    let [lo, hi] = value.range.unwrap();
    assert!(
        0.0 < lo && lo < value.value && value.value < hi,
        "{value:?}"
    );
    assert!((value.value - 8.83).abs() < 0.01, "{value:?}");
}

/// A process on two CPUs, with samples labeled by core-to-core latency.
fn on_two(round: u32, ns: f64, around: [f64; 2]) -> Process {
    let mut run = series("", 1000.0, &[ns, ns]);
    run.handover_ns = vec![around; 2];
    process(
        round,
        "mem.bandwidth{op=read,level=DRAM,cpus=all}",
        vec![run],
    )
}

#[test]
fn places_are_never_averaged() {
    let point = "mem.bandwidth{op=read,level=DRAM,cpus=all}";
    let plan = || vec![planned(point, Unit::GbPerS, ValueRule::Single)];
    let run = vec![
        on_two(1, 20.0, [25.0, 26.0]),
        on_two(2, 10.0, [120.0, 118.0]),
        on_two(3, 14.0, [24.0, 121.0]),
        on_two(4, 20.0, [27.0, 23.0]),
    ];
    let summary = summarise(&record(plan(), run.clone()));
    let found = only(&summary);
    assert_eq!(found.value, None, "two classes have no common value");
    let classes: BTreeMap<&str, f64> = found
        .classes
        .iter()
        .map(|c| (c.class.as_str(), c.value.value))
        .collect();
    assert!((classes["near"] - 50.0).abs() < 1e-9 && (classes["far"] - 100.0).abs() < 1e-9);
    assert!(classes.contains_key("moved"));
    // near, far, (moved), near.
    assert_eq!(summary.topology_moves, 2);

    let near: Vec<Process> = run
        .into_iter()
        .filter(|p| p.round != 2 && p.round != 3)
        .collect();
    let summary = summarise(&record(plan(), near));
    assert!((only(&summary).value.unwrap().value - 50.0).abs() < 1e-9);
    assert_eq!(summary.topology_moves, 0);
}

#[test]
fn the_best_of_some_series_is_no_value_of_a_place() {
    let point = "mem.bandwidth{op=read,level=DRAM,cpus=all}";
    // In class `far`, the better of two shapes was never measured.
    let both = |round, ns: f64, far: &[bool]| {
        let shape = |name: &str, ns: f64, far: bool| {
            let mut run = series(name, 1000.0, &[ns, ns]);
            run.handover_ns = vec![[if far { 120.0 } else { 25.0 }; 2]; 2];
            run
        };
        let shapes = vec![shape("u64", 2.0 * ns, far[0]), shape("avx", ns, far[1])];
        process(round, point, shapes)
    };
    let near = [false, false];
    let run = vec![
        both(1, 20.0, &near),
        both(2, 20.0, &[true, false]),
        both(3, 20.0, &near),
    ];
    let run = record(vec![planned(point, Unit::GbPerS, ValueRule::Best)], run);
    let summary = summarise(&run);
    let found = only(&summary);
    let classes: Vec<&str> = found.classes.iter().map(|c| c.class.as_str()).collect();
    assert_eq!(classes, ["near"]);
    assert!((found.value.unwrap().value - 50.0).abs() < 1e-9);
    let values = values(&run);
    assert_eq!(values.len(), 1);
    assert_eq!(values[0].from.as_deref(), Some("avx"));
}

#[test]
fn failures_are_reasons_and_not_zeros() {
    let point = "os.read";
    let mut failed = process(1, point, Vec::new());
    failed.outcome = Outcome::Failed(Failure {
        how: FailureKind::Unavailable,
        why: "/dev/zero: no such file".into(),
    });
    let mut again = failed.clone();
    again.round = 2;
    let summary = summarise(&record(
        vec![planned(point, Unit::Ns, ValueRule::Single)],
        vec![failed, again],
    ));
    assert_eq!(only(&summary).value, None);
    assert_eq!(only(&summary).failures, ["/dev/zero: no such file"]);
}

#[test]
fn a_curve_in_a_record_gives_named_levels() {
    let sizes: Vec<u64> = (10..28).map(|k| 1 << k).collect();
    let latency = |size: u64| match size {
        0..=0x8000 => 1.0,
        0x8001..=0x10_0000 => 4.0,
        _ => 100.0,
    };
    let point = |size: u64| {
        Point::new("mem.latency")
            .with("size", whyslow_model::size::format(size))
            .with("order", "random")
            .with("pages", "4k")
            .to_string()
    };
    let run = |round| {
        let one =
            |&size: &u64| process(round, &point(size), vec![series("", 1.0, &[latency(size)])]);
        sizes.iter().map(one).collect::<Vec<_>>()
    };
    let of_rounds = record(Vec::new(), [run(1), run(2), run(3)].concat());
    let cut = levels(&of_rounds);
    let names: Vec<&str> = cut.levels.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["L1", "L2", "DRAM"]);
    let capacity = |k: usize| cut.levels[k].capacity_bytes.unwrap().value as u64;
    assert_eq!((capacity(0), capacity(1)), (0x8000, 0x10_0000));
    // Processes of rounds tell the levels before the plan as those of the scout do.
    assert_eq!(
        scouted(&of_rounds).levels.len(),
        levels(&of_rounds).levels.len()
    );
}

/// Chases of two sizes per octave on `pages`, which take `latency(size)` ns, in rounds 1 to 3.
fn chases(pages: &str, latency: impl Fn(u64) -> f64) -> Vec<Process> {
    let mut processes = Vec::new();
    for round in 1..=3 {
        for size in (10..=28).flat_map(|k| [1u64 << k, 3 << (k - 1)]) {
            let point = Point::new("mem.latency")
                .with("size", whyslow_model::size::format(size))
                .with("order", "random")
                .with("pages", pages);
            let value = latency(size) * (1.0 + f64::from(round) * 1e-3);
            let series = vec![series("", 1.0, &[value])];
            processes.push(process(round, &point.to_string(), series));
        }
    }
    processes
}

/// An L3 used up by other guests: the remaining curve on small pages has a step caused by page walks.
#[test]
fn a_step_that_huge_pages_do_not_show_is_no_level() {
    let small = |size: u64| -> f64 {
        match size {
            0..=0x8000 => 1.0,
            0x8001..=0x10_0000 => 4.0,
            0x10_0001..=0x200_0000 => 150.0,
            _ => 280.0,
        }
    };
    let named = |processes: Vec<Process>| {
        let cut = levels(&record(Vec::new(), processes));
        let names: Vec<String> = cut.levels.iter().map(|l| l.name.clone()).collect();
        (names.join(" "), cut)
    };
    let huge = chases("thp", |size| small(size).min(165.0));
    let (names, cut) = named([chases("4k", small), huge].concat());
    assert_eq!(names, "L1 L2 DRAM", "{cut:?}");
    let memory = &cut.levels[2];
    // Of all sizes from four times L2 on: on small pages it would be one end of the walks or the other.
    assert!(
        memory.huge_pages && (150.0..165.0).contains(&memory.latency_ns.value),
        "{memory:?}"
    );
    assert_eq!(memory.capacity_bytes, None);
    assert!(
        cut.notes.iter().any(|n| n.contains("TLB misses")),
        "{:?}",
        cut.notes
    );
    // If huge pages show it too, it is a cache; without them this is unknown.
    let (names, _) = named([chases("4k", small), chases("thp", small)].concat());
    assert_eq!(names, "L1 L2 L3 DRAM");
    let (names, cut) = named(chases("4k", small));
    assert_eq!(names, "L1 L2 L3 DRAM");
    assert!(!cut.levels[3].huge_pages, "{cut:?}");
}

/// One size per octave of a real curve: it once gave a single level, "DRAM" of 3.4 ns.
#[test]
fn a_curve_that_climbs_is_never_one_level() {
    let latencies = [
        0.94, 0.93, 0.93, 0.94, 0.94, 0.94, 3.32, 3.28, 3.26, 3.79, 6.37, 10.2, 12.0, 14.1, 108.0,
        135.0, 145.0, 159.0, 174.0,
    ];
    let curve = |round: u32| {
        let sizes = (10..).zip(latencies);
        let one = |(k, latency): (u32, f64)| {
            let point = Point::new("mem.latency")
                .with("size", whyslow_model::size::format(1 << k))
                .with("order", "random")
                .with("pages", "4k")
                .to_string();
            let value = latency * (1.0 + f64::from(round) * 1e-3);
            process(round, &point, vec![series("", 1.0, &[value])])
        };
        sizes.map(one).collect::<Vec<_>>()
    };
    let cut = levels(&record(Vec::new(), [curve(1), curve(2), curve(3)].concat()));
    if let [only] = cut.levels.as_slice() {
        panic!("one level: {only:?}");
    }
    assert!(
        cut.levels.len() > 1 || cut.notes[0].contains("too few"),
        "{cut:?}"
    );
}

#[test]
fn an_empty_record_has_an_empty_summary() {
    let summary = summarise(&record(Vec::new(), Vec::new()));
    assert_eq!(summary, Summary::default());
}

/// A guest whose L3 of 32 MiB held 6: memory follows at once, and page walks rise from 140 to 260 ns over a decade of
/// sizes. Huge pages show no step there; it once was called an L4 of 35 MiB.
#[test]
fn page_walks_beyond_a_contested_cache_are_no_level() {
    // Two sizes an octave from 1 KiB on; one an octave from 256 KiB on.
    let small = "1.08 1.08 1.08 1.08 1.08 1.08 1.08 1.08 1.08 1.09 1.15 3.8 3.8 3.81 3.8 3.81 3.82 4.39 5.14 6.87 8.8 12 \
        13.3 14.8 15.6 29.6 112 143 145 155 172 185 189 215 247 251 260 260";
    let huge = "3.81 4.8 8.87 13.3 15.7 103 130 139 149 155 162";
    let read = |text: &str| -> Vec<f64> {
        text.split_whitespace()
            .map(|ns| ns.parse().unwrap())
            .collect()
    };
    let (small, huge) = (read(small), read(huge));
    let place = |size: u64| 2 * (size.ilog2() as usize - 10) + usize::from(!size.is_power_of_two());
    let of_small = chases("4k", |size| small[place(size)]);
    let of_huge = chases("thp", |size| {
        huge[(size.ilog2() as usize).saturating_sub(18)]
    });
    let cut = levels(&record(Vec::new(), [of_small, of_huge].concat()));
    let names: Vec<&str> = cut.levels.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["L1", "L2", "L3", "DRAM"], "{cut:?}");
    assert!(cut.notes.iter().any(|n| n.contains("TLB misses")));
}
