//! Comparisons of made-up runs whose clock moved, and whose cores others used.

use crate::common::{Dice, add, empty, find, named, on};
use whyslow_compare::{Options, compare, is_real};
use whyslow_model::comparison::{Comparison, Verdict};
use whyslow_model::record::{Outcome, Record};
use whyslow_model::{Better, Unit};

/// Ten processes a point on a clock about `ghz`: one that takes 1,000 cycles (with `more` of them), as a
/// time and as a rate, one that takes 1,000 ns, and the clock itself.
fn run(id: &str, seed: u64, ghz: f64, more: f64) -> Record {
    let mut record = on(empty(), id);
    let mut dice = Dice::new(seed);
    let mut clocks = Vec::new();
    let mut point = |name: &str, unit: Unit, better: Better, value: &dyn Fn(f64) -> f64| {
        let here: Vec<f64> = (0..10)
            .map(|_| ghz * (0.006 * dice.normal()).exp())
            .collect();
        let values = here
            .iter()
            .map(|ghz| value(*ghz) * (0.001 * dice.normal()).exp());
        let values: Vec<f64> = values.collect();
        add(&mut record, name, unit, better, None, &values);
        clocks.extend(here);
    };
    point("os.null", Unit::Ns, Better::Lower, &|ghz| {
        1000.0 * more / ghz
    });
    point("mem.near", Unit::GbPerS, Better::Higher, &|ghz| {
        16.0 * ghz / more
    });
    point("mem.far", Unit::Ns, Better::Lower, &|_| 1000.0);
    point("cpu.clock", Unit::Ghz, Better::Higher, &|ghz| ghz);
    for (process, ghz) in record.processes.iter_mut().zip(clocks) {
        process.ghz = Some([ghz, ghz]);
    }
    record
}

fn compared(a: &Record, b: &Record, undisturbed: bool) -> Comparison {
    let options = Options {
        undisturbed,
        ..Options::default()
    };
    compare(&[named("a", a)], &[named("b", b)], &options).unwrap()
}

#[test]
fn what_follows_a_wandering_clock_is_compared_at_one() {
    let (a, b) = (run("host", 1, 4.0, 1.0), run("host", 2, 3.9, 1.0));
    let found = compared(&a, &b, true);
    let clock = found.clock.unwrap();
    assert!((clock.at.unwrap() - 3.95).abs() < 0.01, "{clock:?}");
    assert_eq!(clock.points, 2);
    for point in ["os.null", "mem.near"] {
        let point = find(&found, point);
        assert!(!is_real(&point.verdict), "{point:?}");
        assert_eq!(point.at_ghz, clock.at);
    }
    // Time is time where nothing follows the clock, and the clock itself is what it is.
    assert_eq!(find(&found, "mem.far").at_ghz, None);
    let own = find(&found, "cpu.clock");
    assert_eq!(own.at_ghz, None);
    assert!(matches!(own.verdict, Verdict::Slower { .. }), "{own:?}");

    let plain = compared(&a, &b, false);
    let null = find(&plain, "os.null");
    assert!(matches!(null.verdict, Verdict::Slower { .. }), "{null:?}");
    assert_eq!(plain.clock.unwrap().at, None);
}

#[test]
fn a_change_is_seen_through_it() {
    let (a, b) = (run("host", 1, 3.9, 1.0), run("host", 2, 4.0, 1.02));
    let found = compared(&a, &b, true);
    let null = find(&found, "os.null");
    assert!(matches!(null.verdict, Verdict::Slower { .. }), "{null:?}");
    assert!((null.ratio.unwrap() - 1.02).abs() < 0.003, "{null:?}");
    let near = find(&found, "mem.near");
    assert!((near.ratio.unwrap() - 1.0 / 1.02).abs() < 0.003, "{near:?}");
}

#[test]
fn another_clock_or_host_is_no_wandering() {
    let a = run("host", 1, 4.0, 1.0);
    let slow = compared(&a, &run("host", 2, 3.5, 1.0), true);
    assert_eq!(slow.clock.unwrap().at, None);
    let null = find(&slow, "os.null");
    assert!(matches!(null.verdict, Verdict::Slower { .. }), "{null:?}");
    assert!(
        compared(&a, &run("other", 2, 3.9, 1.0), true)
            .clock
            .is_none()
    );
}

/// Ten processes a point that take 1,000 ns (with `more` of it), `beside` of which had a neighbor on their
/// core, who makes them take half as long again.
fn on_cores(id: &str, seed: u64, more: f64, beside: usize) -> Record {
    let mut record = on(empty(), id);
    let mut dice = Dice::new(seed);
    let shared = |i: usize| i < beside;
    let values = (0..10).map(|i| {
        let slow = if shared(i) { 1.5 } else { 1.0 };
        1000.0 * more * slow * (0.01 * dice.normal()).exp()
    });
    let values: Vec<f64> = values.collect();
    add(
        &mut record,
        "os.null",
        Unit::Ns,
        Better::Lower,
        None,
        &values,
    );
    for (i, process) in record.processes.iter_mut().enumerate() {
        let slots = if shared(i) { 3.2 } else { 5.8 };
        process.slots = Some([slots, slots]);
        process.randomization.cpus = vec![0];
    }
    record
}

#[test]
fn processes_beside_a_neighbor_are_left_out() {
    // Ten percent more, which neighbors of half as much again would hide.
    let (a, b) = (on_cores("host", 1, 1.0, 4), on_cores("host", 2, 1.1, 3));
    let found = compared(&a, &b, true);
    let null = find(&found, "os.null");
    assert_eq!(null.left_out, Some([4, 3]));
    assert!(matches!(null.verdict, Verdict::Slower { .. }), "{null:?}");
    assert!((null.ratio.unwrap() - 1.1).abs() < 0.02, "{null:?}");
    let core = found.core.unwrap();
    assert!((core.shared[0] - 0.4).abs() < 1e-9 && core.points == 1);

    let plain = compared(&a, &b, false);
    let null = find(&plain, "os.null");
    assert!(
        !is_real(&null.verdict) && null.left_out.is_none(),
        "{null:?}"
    );
    assert_eq!(plain.core.unwrap().least, None);
}

#[test]
fn neighbors_of_one_side_alone_are_a_finding() {
    let (a, b) = (on_cores("host", 1, 1.0, 0), on_cores("host", 2, 1.0, 10));
    let found = compared(&a, &b, true);
    let null = find(&found, "os.null");
    assert!(
        is_real(&null.verdict) && null.left_out.is_none(),
        "{null:?}"
    );
    assert_eq!(found.core.unwrap().least, None);
    // Too few are left of those who had one most of the time.
    let (a, b) = (on_cores("host", 1, 1.0, 8), on_cores("host", 2, 1.0, 8));
    assert_eq!(find(&compared(&a, &b, true), "os.null").left_out, None);
    // A point of which only one side met them, in runs that met as many: not compared, and it says why.
    let runs = |seed: u64, null: usize, open: usize| {
        let mut record = on_cores("host", seed, 1.0, null);
        let other = on_cores("host", seed + 10, 1.0, open);
        let values: Vec<f64> = (0..10)
            .map(|i| if i < open { 1500.0 } else { 1000.0 } + i as f64)
            .collect();
        add(
            &mut record,
            "os.open_close",
            Unit::Ns,
            Better::Lower,
            None,
            &values,
        );
        for (process, like) in record.processes[10..].iter_mut().zip(other.processes) {
            process.slots = like.slots;
        }
        record
    };
    let found = compared(&runs(1, 0, 9), &runs(2, 9, 0), true);
    for point in ["os.null", "os.open_close"] {
        let point = find(&found, point);
        assert!(
            matches!(&point.verdict, Verdict::NotComparable { why } if why.contains("of 9 of 10")),
            "{point:?}"
        );
    }
    // Several times as long, or less in spite of it, is no neighbor's doing.
    for more in [4.0, 0.4] {
        let mut slow = runs(2, 9, 0);
        for process in &mut slow.processes[..10] {
            let Outcome::Draws(draws) = &mut process.outcome else {
                continue;
            };
            let times = draws.iter_mut().flat_map(|d| &mut d.series);
            times.flat_map(|s| &mut s.ns).for_each(|ns| *ns *= more);
        }
        let found = compared(&runs(1, 0, 9), &slow, true);
        let null = find(&found, "os.null");
        assert!(is_real(&null.verdict), "{more}: {null:?}");
    }
}

/// Ten processes of ten batches that take 1,000 ns (with `more` of it), half as long again in the first `beside`.
fn of_batches(id: &str, seed: u64, more: f64, beside: usize) -> Record {
    let mut record = on(empty(), id);
    let mut dice = Dice::new(seed);
    add(
        &mut record,
        "os.null",
        Unit::Ns,
        Better::Lower,
        None,
        &[1.0; 10],
    );
    for process in &mut record.processes {
        process.randomization.cpus = vec![0];
        let Outcome::Draws(draws) = &mut process.outcome else {
            continue;
        };
        let randomization = 1000.0 * more * (0.01 * dice.normal()).exp();
        let of = |i: usize| {
            if i < beside {
                (1.5, [5.8, 3.2])
            } else {
                (1.0, [5.8, 5.9])
            }
        };
        let series = &mut draws[0].series[0];
        series.ns = (0..10).map(|i| randomization * of(i).0).collect();
        series.slots = (0..10).map(|i| of(i).1).collect();
    }
    record
}

#[test]
fn batches_beside_a_neighbor_are_left_out_of_both_sides() {
    // In the middle of a process the neighbor is there or not; and it hides a tenth more.
    for (more, real) in [(1.0, false), (1.1, true)] {
        let (a, b) = (
            of_batches("host", 1, 1.0, 6),
            of_batches("host", 2, more, 4),
        );
        let found = compared(&a, &b, true);
        let null = find(&found, "os.null");
        assert_eq!(is_real(&null.verdict), real, "{null:?}");
        assert!((null.ratio.unwrap() - more).abs() < 0.02, "{null:?}");
        let core = found.core.unwrap();
        assert!(core.left_out && core.shared == [0.6, 0.4], "{core:?}");
        let plain = compared(&a, &b, false);
        let null = find(&plain, "os.null");
        assert!(
            null.ratio.unwrap() < 0.8 && !plain.core.unwrap().left_out,
            "{null:?}"
        );
    }
    // Where one side met a neighbor always, that is what differs.
    let always = of_batches("host", 2, 1.0, 10);
    let found = compared(&of_batches("host", 1, 1.0, 0), &always, true);
    assert!(is_real(&find(&found, "os.null").verdict));
    let said = |found: &Comparison| {
        let mut texts = found.objections.iter().map(|o| &o.text);
        texts.any(|text| text.contains("beside nearly all batches of B alone"))
    };
    assert!(said(&found), "{:?}", found.objections);
    assert!(!found.core.as_ref().unwrap().left_out);
    let both = compared(&always, &of_batches("host", 3, 1.0, 10), true);
    assert!(!said(&both), "{:?}", both.objections);
}
