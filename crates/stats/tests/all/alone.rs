//! Batches with a busy SMT sibling are left out by the dispatch rate, never by their times.

use crate::common::empty;
use whyslow_model::record::{
    Draw, Mark, MarkKind, Outcome, Planned, Process, Randomization, Record, Series, ValueRule,
};
use whyslow_model::{Better, Unit};
use whyslow_stats::record::{Alone, Cores, Slots, summarise, values, values_as_measured};

const POINT: &str = "os.null_call";

fn planned(value: ValueRule) -> Planned {
    Planned {
        estimator: Default::default(),
        between_runs: 0.0,
        point: POINT.parse().unwrap(),
        unit: Unit::Ns,
        better: Better::Lower,
        value,
        size_bytes: None,
        usual_marks: Vec::new(),
        title: None,
        symbol: None,
    }
}

/// Batches that take 100 ns, and 150 with a busy SMT sibling, as given by `beside`.
fn series(name: &str, beside: &[bool]) -> Series {
    let slots = |beside: &bool| if *beside { [5.9, 3.1] } else { [5.9, 6.0] };
    Series {
        name: name.into(),
        work: 1.0,
        ns: beside
            .iter()
            .map(|b| if *b { 150.0 } else { 100.0 })
            .collect(),
        marks: Vec::new(),
        handover_ns: Vec::new(),
        slots: beside.iter().map(slots).collect(),
    }
}

fn process(round: u32, series: Vec<Series>) -> Process {
    Process {
        round,
        order: 0,
        point: POINT.parse().unwrap(),
        at_ms: 0.0,
        wall_ms: 1.0,
        randomization: Randomization {
            cpus: vec![0],
            ..Randomization::default()
        },
        ghz: None,
        slots: None,
        outcome: Outcome::Draws(
            series
                .into_iter()
                .map(|s| Draw {
                    frames: None,
                    series: vec![s],
                })
                .collect(),
        ),
    }
}

fn record(value: ValueRule, processes: Vec<Process>) -> Record {
    let mut record = empty();
    record.plan.points.push(planned(value));
    record.processes = processes;
    record
}

/// Two draws of ten batches per process; the sibling is busy for `first` of the first and all of the second.
fn met(first: usize) -> Vec<Series> {
    let some: Vec<bool> = (0..10).map(|i| i < first).collect();
    vec![series("", &some), series("", &[true; 10])]
}

#[test]
fn batches_beside_a_neighbor_are_left_out_and_counted() {
    let run = record(
        ValueRule::Single,
        (1..=4).map(|round| process(round, met(6))).collect(),
    );
    let summary = summarise(&run);
    let point = &summary.points[0];
    assert!(point.processes.iter().all(|ns| (ns - 100.0).abs() < 1e-9));
    assert_eq!(point.processes.len(), 4);
    assert_eq!((point.samples, point.left_out, point.beside), (80, 64, 64));
    // As measured, one draw of 150 and one with that median.
    let all = values_as_measured(&run);
    assert!((all[0].processes[0].value - 150.0).abs() < 1e-9);
    assert!(all[0].processes[0].slots < Some(4.0));
    let alone = values(&run);
    assert!((alone[0].processes[0].value - 100.0).abs() < 1e-9);
    assert_eq!(alone[0].processes[0].slots, Some(5.9));

    let slots = Slots::of(&run).unwrap();
    assert!((slots.shared - 0.8).abs() < 1e-9);
    assert_eq!((slots.best, slots.when_shared), (6.0, Some(3.1)));
    assert!((slots.mean - (0.8 * 3.1 + 0.2 * 5.9)).abs() < 1e-9);
    assert_eq!(Cores::of([&run]).shared([&run]), Some(slots.shared));
}

#[test]
fn a_process_that_was_never_alone_goes_if_enough_others_were() {
    let mut processes: Vec<Process> = (1..=4).map(|round| process(round, met(6))).collect();
    processes.push(process(5, met(10)));
    let run = record(ValueRule::Single, processes.clone());
    assert_eq!(summarise(&run).points[0].processes.len(), 4);
    // It keeps its position, so that others keep theirs.
    assert_eq!(Alone::of(&run).record.processes.len(), 5);

    // With two undisturbed ones, all stay as measured: no mixture.
    let two = record(ValueRule::Single, processes[2..].to_vec());
    let point = &summarise(&two).points[0];
    assert_eq!(
        (point.processes.len(), point.left_out, point.beside),
        (3, 0, 0)
    );
    assert!(point.processes.iter().all(|ns| *ns > 149.0));
}

#[test]
fn an_interruption_while_alone_is_no_batch_to_take() {
    // Of the four undisturbed batches in each process, three are interrupted and long.
    let mut of = met(6);
    for sample in 6..9 {
        of[0].ns[sample as usize] = 900.0;
        of[0].marks.push(Mark {
            sample,
            what: MarkKind::Switches,
            count: 1,
        });
    }
    let run = record(
        ValueRule::Single,
        (1..=3).map(|round| process(round, of.clone())).collect(),
    );
    let point = &summarise(&run).points[0];
    assert!(point.processes.iter().all(|ns| (*ns - 100.0).abs() < 1e-9));
    assert_eq!((point.left_out, point.beside), (57, 48));
}

#[test]
fn a_difference_takes_both_series_from_the_same_processes() {
    let of = |whole: usize, less: usize| {
        let some = |name: &str, beside: usize| {
            let beside: Vec<bool> = (0..10).map(|i| i < beside).collect();
            series(name, &beside)
        };
        let mut whole = some("whole", whole);
        whole.ns.iter_mut().for_each(|ns| *ns *= 3.0);
        vec![whole, some("less", less)]
    };
    let rule = ValueRule::Less {
        from: "whole".into(),
        less: "less".into(),
    };
    // One process had no undisturbed batch of the second: none of it counts.
    let processes = [of(4, 4), of(4, 4), of(0, 10), of(4, 4)];
    let numbered = processes.into_iter().zip(1..);
    let run = record(
        rule,
        numbered.map(|(of, round)| process(round, of)).collect(),
    );
    let point = &summarise(&run).points[0];
    assert_eq!(point.processes.len(), 3);
    assert!(point.processes.iter().all(|ns| (ns - 200.0).abs() < 1e-9));
    assert_eq!(values(&run)[0].processes.len(), 3);
}

#[test]
fn where_nobody_was_beside_nothing_changes() {
    let quiet = record(
        ValueRule::Single,
        (1..=4)
            .map(|round| process(round, vec![series("", &[false; 10])]))
            .collect(),
    );
    assert!(matches!(
        Alone::of(&quiet).record,
        std::borrow::Cow::Borrowed(_)
    ));
    assert_eq!(summarise(&quiet).points[0].left_out, 0);
}

/// A batch on two CPUs: their core-to-core latency, and whether an SMT sibling was busy.
type OnTwo = (f64, bool);

/// Batches on two CPUs that take 100 ns near and 200 far, and half as long again with a busy SMT
/// sibling.
fn on_two(round: u32, batches: &[OnTwo]) -> Process {
    let beside: Vec<bool> = batches.iter().map(|(_, beside)| *beside).collect();
    let mut all = series("", &beside);
    all.handover_ns = batches.iter().map(|(ns, _)| [*ns; 2]).collect();
    for (ns, (handover, _)) in all.ns.iter_mut().zip(batches) {
        *ns *= if *handover > NEAR { 2.0 } else { 1.0 };
    }
    let mut process = process(round, vec![all]);
    process.randomization.cpus = vec![0, 1];
    process.at_ms = f64::from(round);
    process
}

const NEAR: f64 = 10.0;
const FAR: f64 = 30.0;

#[test]
fn each_place_of_several_cpus_has_its_own_batches_alone() {
    // Far, every process was undisturbed for a while; near, two of four were.
    let far = [(FAR, true), (FAR, true), (FAR, true), (FAR, false)];
    let near = [(NEAR, true); 4];
    let some = [(NEAR, true), (NEAR, true), (NEAR, true), (NEAR, false)];
    let processes = (1..=4).map(|round| {
        let near = if round < 3 { near } else { some };
        on_two(round, &[far, near].concat())
    });
    let run = record(ValueRule::Single, processes.collect());
    let summary = summarise(&run);
    let point = &summary.points[0];
    assert_eq!((point.samples, point.left_out, point.beside), (32, 12, 12));
    let values: Vec<(&str, f64)> = point
        .classes
        .iter()
        .map(|class| (class.class.as_str(), class.value.value.round()))
        .collect();
    assert_eq!(values, [("near", 150.0), ("far", 200.0)]);
    // Each process changes class once, and changes back for the next, even if all its batches were
    // excluded.
    assert_eq!(summary.topology_moves, 7);
}

#[test]
fn a_mark_stays_with_its_batch() {
    let batches = [(FAR, true), (FAR, false), (FAR, false)];
    let mut processes: Vec<Process> = (1..=4).map(|round| on_two(round, &batches)).collect();
    for process in &mut processes {
        let Outcome::Draws(draws) = &mut process.outcome else {
            unreachable!();
        };
        let series = &mut draws[0].series[0];
        // A usual mark is part of the work.
        let mark = |sample, what| Mark {
            sample,
            what,
            count: 1,
        };
        series.marks = vec![mark(0, MarkKind::Switches), mark(2, MarkKind::Faults)];
    }
    let mut run = record(ValueRule::Single, processes);
    run.plan.points[0].usual_marks = vec![MarkKind::Faults];
    let alone = Alone::of(&run);
    let Outcome::Draws(draws) = &alone.record.processes[0].outcome else {
        unreachable!();
    };
    let series = &draws[0].series[0];
    assert_eq!(series.ns, [200.0; 2]);
    assert_eq!(series.handover_ns, [[FAR; 2]; 2]);
    assert_eq!(series.marks.len(), 1);
    assert_eq!(series.marks[0].sample, 1);
}

#[test]
fn what_several_cores_hand_out_is_held_against_the_same_several() {
    // CPU 1 is of a kind that dispatches half as much, which cannot be known from CPU 0 alone.
    let mut both: Vec<Process> = (1..=4)
        .map(|round| on_two(round, &[(FAR, false); 10]))
        .collect();
    for process in &mut both {
        let Outcome::Draws(draws) = &mut process.outcome else {
            unreachable!();
        };
        draws[0].series[0].slots = vec![[3.0, 3.0]; 10];
    }
    let one = (1..=4).map(|round| process(round, vec![series("", &[false; 10])]));
    let run = record(ValueRule::Single, both.into_iter().chain(one).collect());
    assert_eq!(summarise(&run).points[0].left_out, 0);
    // Values of several cores say nothing about one core.
    let slots = Slots::of(&run).unwrap();
    assert_eq!((slots.shared, slots.best), (0.0, 6.0));
    assert!((slots.mean - 5.9).abs() < 1e-9);
}
