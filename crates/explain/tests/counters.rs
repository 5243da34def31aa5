//! Causes that processes themselves saw, in made-up records of one host.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

#[path = "../../compare/tests/common/mod.rs"]
mod common;

use common::{Dice, add, empty, named, on};
use whyslow_compare::{Options, compare};
use whyslow_explain::explain;
use whyslow_model::explanation::{CauseVerdict, Explanation, Finding};
use whyslow_model::record::Record;
use whyslow_model::{Better, Unit};

/// Ten processes a point on cores that hand out `slots` a cycle; what a core does by itself takes `slower`
/// times as long.
fn run(seed: u64, slots: f64, slower: f64) -> Record {
    let mut record = on(empty(), "host");
    let mut dice = Dice::new(seed);
    for (point, value) in [
        ("cpu.arith{type=double}", 1.0 * slower),
        ("cpu.arith{type=int}", 0.3 * slower),
        ("cpu.dhrystone", 20.0 * slower),
        (
            "mem.latency{size=16KiB,order=random,pages=4k}",
            1.1 * slower,
        ),
        ("os.null_call", 100.0 * slower),
        ("mem.latency{size=256MiB,order=random,pages=4k}", 150.0),
    ] {
        let values: Vec<f64> = (0..10)
            .map(|_| value * (0.003 * dice.normal()).exp())
            .collect();
        add(&mut record, point, Unit::Ns, Better::Lower, None, &values);
    }
    for process in &mut record.processes {
        process.ghz = Some([4.0 * (0.001 * dice.normal()).exp(); 2]);
        process.slots = Some([slots * (0.01 * dice.normal()).exp(); 2]);
    }
    record
}

fn explained(a: &Record, b: &Record) -> Explanation {
    let found = compare(&[named("A", a)], &[named("B", b)], &Options::default()).unwrap();
    explain(&found, a, b)
}

fn cause<'a>(explanation: &'a Explanation, id: &str) -> &'a Finding {
    explanation.causes.iter().find(|c| c.cause == id).unwrap()
}

#[test]
fn a_core_that_was_shared_is_seen_in_its_slots() {
    let alone = run(1, 8.0, 1.0);
    let shared = explained(&alone, &run(2, 5.0, 1.2));
    let first = &shared.causes[0];
    assert_eq!(first.cause, "core-neighbor", "{shared:#?}");
    assert_eq!(first.verdict, CauseVerdict::Consistent);
    // As slow with all of its slots, it is something else.
    let slow = explained(&alone, &run(2, 8.0, 1.2));
    let other = cause(&slow, "core-neighbor");
    assert_eq!(other.verdict, CauseVerdict::Contradicted, "{other:?}");
    // And fewer slots that slowed nothing explain nothing.
    let free = explained(&alone, &run(2, 5.0, 1.0));
    let idle = cause(&free, "core-neighbor");
    assert_ne!(idle.verdict, CauseVerdict::Consistent, "{idle:?}");
}
