//! Under the system call filters that containers have.

use crate::confined::{before_exec, deny};
use crate::env::{Said, TestEnv, assert_complete, measured, noted};
use whyslow_model::record::FailureKind;

#[test]
fn without_userfaultfd_and_perf_event_open() {
    let env = TestEnv::new();
    let mut command = env.whyslow(
        "run --only os.*,cpu.clock,mem.latency{size=64KiB,order=random*} --rounds 1 --json -o r",
    );
    before_exec(
        &mut command,
        deny(
            &[libc::SYS_userfaultfd, libc::SYS_perf_event_open],
            libc::EPERM,
        ),
    );
    let document = Said::of(command.output().unwrap()).document();
    assert_complete(&document.record);
    assert_eq!(measured(&document.record, "os.null_call"), 1);
    // The record says that a filter was there.
    let security = &document.record.states[0].state.security;
    assert!(
        security.seccomp_filters.value().is_some_and(|&n| n >= 1),
        "{security:?}"
    );
}

#[test]
fn without_a_call_that_one_probe_measures() {
    let env = TestEnv::new();
    let mut command =
        env.whyslow("run --only os.null_call,os.stat,os.fstat --rounds 2 --json -o r");
    before_exec(&mut command, deny(&[libc::SYS_getppid], libc::EPERM));
    let record = Said::of(command.output().unwrap()).document().record;
    let failed = crate::env::failures(&record, FailureKind::Unavailable);
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert!(
        noted(&record, "os.null_call", "Operation not permitted"),
        "{failed:?}"
    );
    assert_eq!(measured(&record, "os.stat"), 2);
}

#[test]
fn without_the_affinity_calls_that_pin() {
    let env = TestEnv::new();
    let mut command = env.whyslow("run --only os.null_call --rounds 1 --json -o r");
    before_exec(
        &mut command,
        deny(&[libc::SYS_sched_setaffinity], libc::EPERM),
    );
    let record = Said::of(command.output().unwrap()).document().record;
    let said = noted(&record, "os.null_call", "Operation not permitted");
    assert!(
        said || measured(&record, "os.null_call") == 1,
        "{:?}",
        record.notes
    );
}

#[test]
fn where_no_worker_can_be_started_one_line_says_so() {
    let env = TestEnv::new();
    let mut command = env.whyslow("run --only os.null_call --rounds 1 -o r");
    let calls = [
        libc::SYS_clone,
        libc::SYS_clone3,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_fork,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_vfork,
    ];
    before_exec(&mut command, deny(&calls, libc::EAGAIN));
    Said::of(command.output().unwrap()).refuses(&["cannot be started as a worker"]);
    assert!(!env.path("r").exists(), "an empty record stays behind");
}
