//! Shell scripts as workers.

use std::time::{Duration, Instant};

use whyslow_model::Point;

use super::*;

fn job() -> Job {
    Job::new(Point::new("os.null_call"))
}

/// What becomes of a worker that is this script.
fn worker(script: &str) -> Answer {
    let command = WorkerCommand {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        faults: Vec::new(),
    };
    let limits = Limits {
        patience: Duration::from_secs(5),
        until: None,
    };
    match run(&command, &job(), limits, &AtomicBool::new(false)).unwrap() {
        WorkerEnd::Answer(answer) => *answer,
        WorkerEnd::Stopped | WorkerEnd::OutOfTime(_) => panic!("it was not asked to stop"),
    }
}

const ANSWER: &str = r#"{"failed":{"how":"unavailable","why":"as a test"}}"#;

/// 200 KiB, which no pipe holds.
const MUCH: &str = "head -c 204800 /dev/zero | tr '\\0' x >&2";

#[test]
fn a_worker_that_says_much_is_heard_out() {
    let answered = worker(&format!("{MUCH}; echo '{ANSWER}'"));
    assert_eq!(answered, serde_json::from_str(ANSWER).unwrap());
    // Also where it goes on after its answer, with the pipe of the answer closed.
    let answered = worker(&format!("echo '{ANSWER}'; exec >&-; {MUCH}"));
    assert_eq!(answered, serde_json::from_str(ANSWER).unwrap());
}

#[test]
fn the_last_that_a_dying_worker_says_is_kept() {
    let Answer::Failed(failure) = worker(&format!(
        "{MUCH}; echo >&2; echo out of randomization >&2; exit 7"
    )) else {
        panic!("there is no answer");
    };
    let died = "the worker ended with code 7 and no answer: out of randomization";
    assert_eq!(failure.why, died);
}

#[test]
fn a_child_that_keeps_stderr_open_is_not_waited_for() {
    let begun = Instant::now();
    let answered = worker(&format!("sleep 20 >&- & echo '{ANSWER}'"));
    assert_eq!(answered, serde_json::from_str(ANSWER).unwrap());
    assert!(begun.elapsed() < Duration::from_secs(10));
}
