//! Suites and copies: which points a run takes, and that several copies really work at once.

use std::thread::available_parallelism;

use whyslow_model::record::FailureKind;

use crate::env::{TestEnv, assert_complete, failures, need};

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

/// Whole programs: each is measured, or the one line says which program is missing.
#[test]
fn apps_are_measured_or_named_as_missing() {
    let env = TestEnv::new();
    let document = env
        .run("run --suite apps --rounds 1 --json -o r")
        .document();
    assert_complete(&document.record);
    let missing = failures(&document.record, FailureKind::Unavailable);
    for line in &missing {
        assert!(
            line.contains("not installed") || line.contains("codec"),
            "{line}"
        );
    }
    for kind in [
        FailureKind::Crashed,
        FailureKind::Hung,
        FailureKind::Refused,
    ] {
        assert_eq!(failures(&document.record, kind), [""; 0]);
    }
    let measured = document.summary.points.iter().filter(|p| p.value.is_some());
    assert_eq!(
        measured.count() + missing.len(),
        document.record.plan.points.len()
    );
    // Programs that every Linux has, and those that CI installs.
    let is_measured = |point: &str| {
        let mut points = document.summary.points.iter();
        points.any(|p| p.point.probe == point && p.value.is_some())
    };
    assert!(is_measured("app.gzip"), "{missing:?}");
    for (point, program) in [
        ("app.compile", "cc"),
        ("app.xz", "xz"),
        ("app.sqlite", "sqlite3"),
        ("app.video", "ffmpeg"),
    ] {
        if need(whyslow_probes::tools::find(program).is_ok(), program) {
            assert!(is_measured(point), "{point}: {missing:?}");
        }
    }
}

/// What is printed is what a run would take.
#[test]
fn lists_the_points_of_a_run() {
    let env = TestEnv::new();
    let listed = env.run("list --points os.*");
    let planned = env
        .run("run --only os.* --rounds 1 --json -o r")
        .document()
        .record
        .plan;
    let planned: Vec<String> = planned.points.iter().map(|p| p.point.to_string()).collect();
    let listed: Vec<&str> = listed
        .out
        .lines()
        .filter(|l| !l.contains("left out"))
        .collect();
    assert_eq!(listed, planned);
    let suite = env.run("list --points --suite byte");
    assert!(
        suite.out.lines().any(|l| l == "cpu.arith{type=short}"),
        "{suite:?}"
    );
}
