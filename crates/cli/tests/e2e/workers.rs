//! Workers that die, crash and hang: each costs its own sample and no other.

use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use whyslow_model::Record;
use whyslow_model::glob::Globs;
use whyslow_model::job::Fault;
use whyslow_model::record::{Build, End, FailureKind};
use whyslow_probes::Intensity;
use whyslow_runner::{Request, Target, WorkerCommand};

use crate::confined::kill;
use crate::env::{Said, TestEnv, failures, measured, noted, rounds_of, wait_for};

/// A process as `/proc/PID/stat` tells it.
#[derive(Debug)]
struct Stat {
    pid: i32,
    parent: i32,
    group: i32,
    zombie: bool,
}

/// All processes there are.
fn processes() -> Vec<Stat> {
    let entries = std::fs::read_dir("/proc").unwrap();
    let pids = entries.filter_map(|e| e.ok()?.file_name().to_str()?.parse::<i32>().ok());
    pids.filter_map(|pid| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in parentheses may hold anything; what follows it is numbers.
        let mut rest = stat[stat.rfind(')')? + 1..].split_whitespace();
        Some(Stat {
            pid,
            zombie: rest.next()? == "Z",
            parent: rest.next()?.parse().ok()?,
            group: rest.next()?.parse().ok()?,
        })
    })
    .collect()
}

/// The worker of `runner` that is at work.
pub(crate) fn worker_of(runner: &Child) -> i32 {
    let runner = runner.id() as i32;
    wait_for("a worker", || {
        // Between fork and exec it is not yet in its own group.
        let mut all = processes().into_iter();
        all.find(|p| p.parent == runner && p.group == p.pid && !p.zombie)
            .map(|p| p.pid)
    })
}

/// Waits until nothing of a worker's group is left.
pub(crate) fn gone(worker: i32) {
    wait_for("the end of a worker and its children", || {
        let left = processes().iter().any(|p| p.group == worker && !p.zombie);
        (!left).then_some(())
    });
}

/// Long enough at work for its worker to be found and killed: it links half a million lines.
const SLOW: &str = "mem.latency{size=32MiB,order=random,pages=4k}";

#[test]
fn a_killed_worker_costs_one_sample() {
    let env = TestEnv::new();
    let command = format!("run --only {SLOW},os.null_call --rounds 3 --json -o r");
    let runner = env.whyslow(&command).spawn().unwrap();
    // The slow one is the worker that still lives a moment after it was found.
    let worker = wait_for("the slow worker", || {
        let worker = worker_of(&runner);
        let pages = std::fs::read_to_string(format!("/proc/{worker}/statm")).ok()?;
        let mut pages = pages.split_whitespace().skip(1).map(|n| n.parse().ok());
        let (resident, shared): (u64, u64) = (pages.next()??, pages.next()??);
        // 16 MiB of its own: well into its buffer, which no null call has. The program itself may be larger.
        (resident - shared.min(resident) > 4096).then_some(worker)
    });
    kill(worker, libc::SIGKILL);
    let document = Said::of(runner.wait_with_output().unwrap()).document();
    let record = &document.record;
    let crashed = failures(record, FailureKind::Crashed);
    assert_eq!(crashed.len(), 1, "{crashed:?}");
    assert!(
        crashed[0].starts_with(SLOW) && crashed[0].contains("killed by signal 9"),
        "{crashed:?}"
    );
    assert!(
        noted(record, SLOW, "killed by signal 9"),
        "{:?}",
        record.notes
    );
    assert_eq!(
        rounds_of(record, SLOW),
        [1, 2, 3],
        "{:?} {:?}",
        record.notes,
        record.footer
    );
    assert_eq!(measured(record, SLOW), 2);
    assert_eq!(rounds_of(record, "os.null_call"), [1, 2, 3]);
    assert_eq!(record.footer.as_ref().unwrap().end, End::Complete);
}

#[test]
fn a_killed_worker_leaves_none_of_its_children() {
    let env = TestEnv::new();
    let runner = env
        .whyslow("run --only proc.shell,ctx.ring --rounds 2 --json -o r")
        .spawn()
        .unwrap();
    let worker = worker_of(&runner);
    kill(worker, libc::SIGKILL);
    gone(worker);
    let said = Said::of(runner.wait_with_output().unwrap());
    assert_eq!(
        failures(&said.document().record, FailureKind::Crashed).len(),
        1
    );
}

/// Runs `os.read` and `os.write` for three rounds with a fault planted in `os.read`.
fn with_fault(fault: Fault) -> (TestEnv, Record) {
    with_fault_and(fault, |_| {})
}

/// The same with a request that differs.
fn with_fault_and(fault: Fault, change: fn(&mut Request)) -> (TestEnv, Record) {
    let env = TestEnv::new();
    let mut request = Request {
        intensity: Intensity::Quick,
        rounds: Some(3),
        until: None,
        budget: None,
        firm: false,
        only: Globs::parse("os.read,os.write"),
        only_text: "os.read,os.write".into(),
        suite: None,
        copies: Vec::new(),
        against: None,
        seed: 1,
        target: Target::File(env.path("r")),
        version: "0".into(),
        build: Build {
            arch: "any".into(),
            libc: "any".into(),
            profile: "debug".into(),
            kernels: "any".into(),
        },
        worker: WorkerCommand {
            program: env!("CARGO_BIN_EXE_whyslow").into(),
            args: vec!["__worker".into()],
            faults: vec![("os.read".into(), fault)],
        },
        // Beyond twenty times the work: short for a test, long for a machine that is busy.
        patience: Duration::from_secs(2),
        stop: Arc::new(AtomicBool::new(false)),
    };
    change(&mut request);
    let finished = whyslow_runner::run(&request, &mut |_| {}).unwrap();
    assert_eq!(finished.kept.unwrap(), env.path("r"));
    (env, finished.record)
}

/// What a point that always fails leaves: two tries, a note that there is no third, and the other
/// point untouched.
fn given_up(record: &Record, kind: FailureKind, why: &str) {
    let failed = failures(record, kind);
    assert_eq!(failed.len(), 2, "{failed:?}");
    assert!(failed.iter().all(|f| f.contains(why)), "{failed:?}");
    assert!(noted(record, "os.read", why));
    assert!(noted(record, "os.read", "not tried again"));
    assert_eq!(measured(record, "os.read"), 0);
    assert_eq!(rounds_of(record, "os.write"), [1, 2, 3]);
    assert_eq!(record.footer.as_ref().unwrap().end, End::Complete);
}

#[test]
fn a_hung_worker_is_killed_and_named() {
    let (env, record) = with_fault(Fault::Hang);
    given_up(&record, FailureKind::Hung, "no answer within");
    assert_eq!(env.shown("r").record, record);
    // Workers of the other tests of this process come and go; a hung one would stay.
    wait_for("the end of the hung workers", || {
        let left = processes().into_iter().any(|p| {
            let line = std::fs::read(format!("/proc/{}/cmdline", p.pid)).unwrap_or_default();
            p.parent == std::process::id() as i32 && line.ends_with(b"__worker\0")
        });
        (!left).then_some(())
    });
}

#[test]
fn a_crashed_worker_is_named_with_its_signal() {
    let (env, record) = with_fault(Fault::Crash);
    given_up(&record, FailureKind::Crashed, "died of signal 6");
    assert_eq!(env.shown("r").record, record);
}

#[test]
fn a_worker_is_stopped_where_the_budget_ends() {
    let begun = Instant::now();
    let (env, record) = with_fault_and(Fault::Hang, |request| {
        request.patience = Duration::from_secs(600);
        request.budget = Some(Duration::from_secs(8));
        request.firm = true;
    });
    // Without the budget it would be patient for ten minutes.
    assert!(begun.elapsed() < Duration::from_secs(120));
    assert_eq!(record.footer.as_ref().unwrap().end, End::Budget);
    assert!(noted(&record, "os.read", "stopped by the time budget"));
    assert!(noted(&record, "budget", "os.read"), "{:?}", record.notes);
    assert!(failures(&record, FailureKind::Hung).is_empty());
    assert_eq!(env.shown("r").record, record);
}

#[test]
fn what_does_not_fit_into_the_budget_is_left_out_and_named() {
    let env = TestEnv::new();
    let begun = Instant::now();
    let said = env.run("run --only os.null_call,os.read,cpu.clock --rounds 10000 --budget 8 -o r");
    let took = begun.elapsed().as_secs_f64();
    assert_eq!(said.code, Some(0), "{said:?}");
    // Half and twice: tests run beside each other.
    assert!((4.0..16.0).contains(&took), "{took} s");
    let record = env.shown("r").record;
    assert_eq!(record.footer.as_ref().unwrap().end, End::Budget);
    assert!(noted(
        &record,
        "budget",
        "before every point had its 10000 processes"
    ));
    let last = record.processes.iter().map(|p| p.round).max().unwrap();
    for point in ["os.null_call", "os.read", "cpu.clock"] {
        let rounds = rounds_of(&record, point);
        let whole: Vec<u32> = (1..last).collect();
        assert!(rounds.starts_with(&whole), "{point}");
    }
}

#[test]
fn a_run_whose_last_round_was_whole_is_complete_whatever_the_time() {
    let begun = Instant::now();
    let budget = Duration::from_secs(4);
    let (_env, record) = with_fault_and(Fault::Hang, |request| {
        request.rounds = Some(1);
        // Less than its patience and the two looks that tell a hung worker take; a first round may go beyond it.
        request.budget = Some(Duration::from_secs(4));
    });
    assert!(begun.elapsed() > budget);
    assert_eq!(record.footer.as_ref().unwrap().end, End::Complete);
    assert!(!record.notes.iter().any(|note| note.about == "budget"));
}

#[test]
fn processes_that_were_asked_for_are_not_cut_by_a_usual_budget() {
    let env = TestEnv::new();
    let run = "run --quick --only os.null_call --rounds 2";
    for (args, budget) in [("-o free", None), ("--budget 30 -o bound", Some(30.0))] {
        let said = env.run(&format!("{run} {args}"));
        assert_eq!(said.code, Some(0), "{said:?}");
        let name = args.rsplit(' ').next().unwrap();
        let record = env.shown(name).record;
        assert_eq!(record.header.budget_s, budget, "{name}");
        assert_eq!(rounds_of(&record, "os.null_call"), [1, 2], "{name}");
    }
}
