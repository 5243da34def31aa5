//! Causes that processes themselves saw, in made-up records of one host.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

#[path = "../../compare/tests/common/mod.rs"]
mod common;

use common::{Dice, add, empty, named, on};
use whyslow_compare::{Options, compare};
use whyslow_explain::explain;
use whyslow_model::explanation::{CauseVerdict, Explanation, Finding};
use whyslow_model::host::Known;
use whyslow_model::record::{Mark, MarkKind, Outcome, Record};
use whyslow_model::state::{HostCpuTime, Inherited, Neighbours};
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

/// A quiet run, and a ring of processes that the scheduler lets take so many ns.
fn ring(seed: u64, ns: f64) -> Record {
    let mut record = run(seed, 8.0, 1.0);
    let mut dice = Dice::new(seed);
    let values: Vec<f64> = (0..10).map(|_| ns * (0.05 * dice.normal()).exp()).collect();
    let point = "ctx.ring{procs=2,size=0,cpus=free}";
    add(&mut record, point, Unit::Ns, Better::Lower, None, &values);
    record
}

#[test]
fn where_the_scheduler_puts_processes_is_no_cause_by_itself() {
    let found = explained(&ring(1, 1500.0), &ring(2, 20_000.0));
    assert_eq!(found.causes[0].cause, "nothing", "{found:#?}");
    let woken = cause(&found, "cross-cpu-wakeup");
    assert_eq!(woken.verdict, CauseVerdict::CannotTell);
    // In another boot anything may have changed that no fact tells of.
    let mut other = ring(2, 20_000.0);
    other.host.as_mut().unwrap().boot_id = Known::Is("another".into());
    let found = explained(&ring(1, 1500.0), &other);
    assert_eq!(found.causes[0].cause, "cross-cpu-wakeup", "{found:#?}");
}

/// The same beside others that use so many CPUs; so many of ten batches of every process on one CPU wait for it.
fn beside(mut record: Record, cpus: f64, waiting: u32) -> Record {
    record.neighbours = Some(Neighbours {
        wall_s: 10.0,
        host: Known::Is(HostCpuTime {
            total_s: 20.0,
            busy: 0.5,
            steal: 0.0,
            idle: 0.5,
        }),
        ours_cpu_s: Known::Is(8.0),
        others_cpu_s: Known::Is(10.0 * cpus),
        top: Known::Is(Vec::new()),
    });
    for process in &mut record.processes {
        process.randomization.cpus = vec![0];
        let Outcome::Draws(draws) = &mut process.outcome else {
            continue;
        };
        for series in draws.iter_mut().flat_map(|d| &mut d.series) {
            series.ns = series.ns.repeat(10);
            let mark = |sample| Mark {
                sample,
                what: MarkKind::RunDelayNs,
                count: 1_000_000,
            };
            series.marks = (0..waiting).map(mark).collect();
        }
    }
    record
}

#[test]
fn somebody_beside_is_said_though_his_batches_are_left_out() {
    let quiet = beside(run(1, 8.0, 1.0), 0.01, 1);
    let found = explained(&quiet, &beside(run(2, 8.0, 1.0), 1.4, 4));
    assert_eq!(found.causes[0].cause, "cpu-neighbor", "{found:#?}");
    assert!(found.answer.contains("1.40 in B"), "{found:#?}");
    assert!(found.answer.contains("40 % in B"), "{found:#?}");
    // Work on another CPU, for which no batch had to wait.
    let found = explained(&quiet, &beside(run(2, 8.0, 1.0), 1.0, 1));
    assert_eq!(found.causes[0].cause, "memory-neighbor", "{found:#?}");
    // A host's own chores.
    let found = explained(&quiet, &beside(run(2, 8.0, 1.0), 0.04, 1));
    assert_eq!(found.causes[0].cause, "nothing", "{found:#?}");
}

/// A quiet run, with work of which two processes do `times` that of one.
fn scaled(seed: u64, times: f64) -> Record {
    let mut record = run(seed, 8.0, 1.0);
    for (procs, work) in [(1, 1.0), (2, times)] {
        let point = format!("smp.mandelbrot{{procs={procs}}}");
        // Of one unit of work over all processes.
        let values = [1e6 / work; 10];
        add(&mut record, &point, Unit::Ns, Better::Lower, None, &values);
    }
    record
}

#[test]
fn work_that_scales_on_one_side_alone_tells_how_many_cpus_there_are() {
    let both = scaled(1, 2.0);
    let named = |found: &Explanation| {
        let likely = |c: &&Finding| c.verdict <= CauseVerdict::Consistent;
        let causes = found.causes.iter().filter(likely);
        causes.map(|c| c.cause.clone()).collect::<Vec<_>>()
    };
    let copies = "copies".to_owned();
    let found = explained(&both, &scaled(2, 1.0));
    assert!(named(&found).contains(&copies), "{found:#?}");
    // But not where other work came, for which batches had to wait.
    let found = explained(&beside(both, 0.01, 1), &beside(scaled(2, 1.0), 1.4, 4));
    assert!(!named(&found).contains(&copies), "{found:#?}");
}

#[test]
fn memory_of_one_boot_is_the_same() {
    let mut slow = run(2, 8.0, 1.0);
    for process in &mut slow.processes {
        if let Outcome::Draws(draws) = &mut process.outcome
            && process.point.get("size") == Some("256MiB")
        {
            for series in draws.iter_mut().flat_map(|d| &mut d.series) {
                series.ns.iter_mut().for_each(|ns| *ns *= 1.3);
            }
        }
    }
    let found = explained(&run(1, 8.0, 1.0), &slow);
    assert_eq!(cause(&found, "dram").verdict, CauseVerdict::CannotTell);
    assert_eq!(found.causes[0].cause, "memory-neighbor", "{found:#?}");
    slow.host.as_mut().unwrap().boot_id = Known::Is("another".into());
    let found = explained(&run(1, 8.0, 1.0), &slow);
    assert_eq!(cause(&found, "dram").verdict, CauseVerdict::Consistent);
}

/// The same with so many open files to copy, starting programs in `ms`.
fn starts(seed: u64, slots: u64, fork_ms: &[f64], exec_ms: f64) -> Record {
    let mut record = run(seed, 8.0, 1.0);
    let mut dice = Dice::new(seed);
    let exec: Vec<f64> = (0..10)
        .map(|_| exec_ms * 1e6 * (0.003 * dice.normal()).exp())
        .collect();
    let fork: Vec<f64> = fork_ms.iter().map(|ms| ms * 1e6).collect();
    for (point, values) in [
        ("proc.fork{image=static}", fork),
        ("proc.exec{image=static}", exec),
    ] {
        add(&mut record, point, Unit::Ns, Better::Lower, None, &values);
    }
    for at in &mut record.states {
        at.state.process = Some(Inherited {
            timer_slack_ns: Known::Is(50_000),
            personality: Known::Is("00000000".into()),
            huge_pages: None,
            open_file_slots: Some(Known::Is(slots)),
        });
    }
    record
}

#[test]
fn what_leans_speaks_with_what_moved() {
    let (few, many) = (
        starts(1, 512, &[0.05, 0.06], 0.11),
        starts(2, 16_384, &[0.35, 0.5], 0.55),
    );
    let found = explained(&few, &many);
    assert_eq!(found.causes[0].cause, "fork", "{found:#?}");
    let told: Vec<&str> = found.causes[0]
        .evidence
        .iter()
        .map(|e| e.text.as_str())
        .collect();
    let told = told.join("; ");
    assert!(told.contains("undecided: too few values"), "{told}");
    assert!(
        told.contains("process.open_file_slots: 512 in A, 16384 in B"),
        "{told}"
    );
}

#[test]
fn what_is_far_apart_is_no_silence() {
    let (few, more) = (
        starts(1, 512, &[0.05, 0.06], 0.11),
        starts(2, 512, &[0.11, 0.15], 0.11),
    );
    let answer = explained(&few, &more).answer;
    assert!(answer.contains("Nothing to explain"), "{answer}");
    let far = "But proc.fork{image=static} is 2.35 times as long: too few processes to tell";
    assert!(answer.contains(far), "{answer}");
}

/// The same at another priority.
fn niced(mut record: Record, nice: i32) -> Record {
    for at in &mut record.states {
        at.state.scheduler.nice = Known::Is(nice);
    }
    record
}

#[test]
fn a_lower_priority_waits_only_where_others_are() {
    let alone = beside(run(1, 8.0, 1.0), 0.01, 1);
    let slow = |nice, cpus| niced(beside(run(2, 8.0, 1.3), cpus, 1), nice);
    let found = explained(&niced(alone.clone(), 0), &slow(19, 1.0));
    assert_eq!(found.causes[0].cause, "scheduling", "{found:#?}");
    for (nice, cpus) in [(19, 0.01), (-5, 1.0)] {
        let found = explained(&niced(alone.clone(), 0), &slow(nice, cpus));
        let scheduling = cause(&found, "scheduling");
        assert_eq!(scheduling.verdict, CauseVerdict::CannotTell, "{found:#?}");
    }
}
