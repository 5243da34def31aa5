//! Suites and copies: which points a run takes, and that several copies really work at once.

use std::thread::available_parallelism;

use crate::env::{TestEnv, need};

/// Two copies of work that shares nothing do nearly twice as much in a unit of time.
#[test]
fn copies_work_at_once() {
    let cpus = available_parallelism().map_or(1, |n| n.get());
    if !need(cpus >= 2, "two CPUs") {
        return;
    }
    let mut ratios = Vec::new();
    // Another program may hold a CPU for a moment: a wide margin, and three tries.
    for turn in 0..3 {
        let env = TestEnv::new();
        let document = env
            .run("run --only os.null_call --copies 2 --rounds 5 --json -o r")
            .document();
        let value = |point: &str| document.summary.point(point).unwrap().value.unwrap().value;
        let ratio = value("os.null_call{copies=2}") / value("os.null_call");
        if (0.3..0.85).contains(&ratio) {
            return;
        }
        ratios.push((turn, ratio));
    }
    panic!("two copies took these shares of the time a call of one takes: {ratios:?}");
}

#[test]
fn a_copy_has_a_folder_of_its_own() {
    let env = TestEnv::new();
    let document = env
        .run("run --only os.open_close --copies 3 --rounds 2 --json -o r")
        .document();
    let point = document.summary.point("os.open_close{copies=3}").unwrap();
    assert!(
        point.failures.is_empty() && point.processes.len() == 2,
        "{point:?}"
    );
}

#[test]
fn a_suite_takes_its_rows_and_no_others() {
    let env = TestEnv::new();
    let document = env
        .run("run --suite lmbench --only os.* --rounds 1 --json -o r")
        .document();
    let points: Vec<String> = document
        .summary
        .points
        .iter()
        .map(|p| p.point.to_string())
        .collect();
    for wanted in [
        "os.null_call",
        "os.select{on=tcp,fds=100}",
        "os.signal_install",
    ] {
        assert!(
            points.iter().any(|p| p == wanted),
            "{wanted} is missing from {points:?}"
        );
    }
    assert_eq!(document.record.header.suite, "lmbench");
    let typo = env.run("run --suite lmbnech -o s");
    assert!(
        typo.code == Some(2) && typo.err.contains("lmbnech"),
        "{typo:?}"
    );
}
