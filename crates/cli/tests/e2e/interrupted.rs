//! Runs that are ended before their time: nothing measured is lost, and they can be gone on with.

use std::process::{Child, Command, Stdio};

use whyslow_model::Record;
use whyslow_model::host::Known;
use whyslow_model::record::{End, Line};
use whyslow_model::store::{self, Journal};

use crate::confined::kill;
use crate::env::{Said, TestEnv, assert_complete, wait_for};
use crate::workers::{gone, worker_of};

/// Six points, for a second or two.
const LONG: &str = "run --only os.* --rounds 8 --seed 7 --json -o r";

/// Waits until the record on disk holds `processes` of them.
fn wait_for_processes(env: &TestEnv, processes: usize) {
    wait_for("the journal to grow", || {
        let record = store::read(&env.path("r")).ok()?;
        (record.processes.len() >= processes).then_some(())
    });
}

fn begin(env: &TestEnv) -> Child {
    let runner = env.whyslow(LONG).spawn().unwrap();
    wait_for_processes(env, 10);
    runner
}

/// Holds that `after` begins with all that was in `before`.
fn continues(before: &Record, after: &Record) {
    assert_eq!(before.header, after.header);
    assert_eq!(
        before.processes,
        after.processes[..before.processes.len()],
        "what was measured has changed"
    );
}

#[test]
fn killed_at_any_moment_it_is_readable_and_can_be_completed() {
    let env = TestEnv::new();
    let mut runner = begin(&env);
    let worker = worker_of(&runner);
    kill(runner.id() as i32, libc::SIGKILL);
    runner.wait().unwrap();
    gone(worker);

    let before = env.shown("r").record;
    assert!(before.footer.is_none());
    assert!(before.processes.len() >= 10);

    // Killed a second time while it goes on, and with its last line torn.
    let mut second = env.whyslow("run --resume r --json").spawn().unwrap();
    wait_for_processes(&env, before.processes.len() + 5);
    kill(second.id() as i32, libc::SIGKILL);
    second.wait().unwrap();
    let whole = std::fs::read(env.path("r")).unwrap();
    std::fs::write(env.path("r"), &whole[..whole.len() - 7]).unwrap();
    let between = env.shown("r").record;
    continues(&before, &between);

    let after = env.run("run --resume r --json").document().record;
    continues(&between, &after);
    assert_complete(&after);
    assert_eq!(after.footer.as_ref().unwrap().end, End::Complete);
    assert_eq!(env.shown("r").record, after);
    env.run("run --resume r")
        .refuses(&["complete", "nothing to resume"]);
}

#[test]
fn a_resumed_run_draws_what_it_would_have_drawn() {
    let env = TestEnv::new();
    let whole = env.run(&LONG.replace("-o r", "-o whole")).document().record;
    let mut runner = begin(&env);
    kill(runner.id() as i32, libc::SIGKILL);
    runner.wait().unwrap();
    let resumed = env.run("run --resume r --json").document().record;
    let drawn = |record: &Record| -> Vec<_> {
        let processes = record.processes.iter();
        processes
            .map(|p| (p.round, p.order, p.point.clone(), p.randomization.clone()))
            .collect()
    };
    assert_eq!(drawn(&whole), drawn(&resumed));
}

fn stopped_by(signal: i32) {
    let env = TestEnv::new();
    let runner = begin(&env);
    kill(runner.id() as i32, signal);
    let said = Said::of(runner.wait_with_output().unwrap());
    assert_eq!(said.code, Some(130), "{said:?}");
    assert!(said.err.contains("--resume r"), "{said:?}");
    let record = said.json().record;
    assert_eq!(record.footer.as_ref().unwrap().end, End::Interrupted);
    assert!(record.processes.len() >= 10);
    assert_eq!(env.shown("r").record, record);
    let after = env.run("run --resume r --json").document().record;
    continues(&record, &after);
    assert_complete(&after);
}

#[test]
fn ctrl_c_keeps_what_was_measured_and_says_how_to_go_on() {
    stopped_by(libc::SIGINT);
}

#[test]
fn so_does_a_shutdown() {
    stopped_by(libc::SIGTERM);
}

#[test]
fn so_does_a_closed_terminal() {
    stopped_by(libc::SIGHUP);
}

/// What `nohup` starts is to go on when the terminal is closed.
#[test]
fn where_hang_ups_are_ignored_they_stay_ignored() {
    let env = TestEnv::new();
    let plain = env.whyslow("run --only os.null_call --rounds 3 --seed 7 --json -o r");
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", "trap '' HUP; exec \"$@\"", "sh"])
        .arg(plain.get_program())
        .args(plain.get_args())
        .current_dir(env.path("."))
        .env("TMPDIR", env.path("tmp"))
        .env("XDG_STATE_HOME", env.path("state"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let runner = command.spawn().unwrap();
    wait_for_processes(&env, 1);
    kill(runner.id() as i32, libc::SIGHUP);
    let record = Said::of(runner.wait_with_output().unwrap())
        .document()
        .record;
    assert_eq!(record.footer.as_ref().unwrap().end, End::Complete);
}

#[test]
fn a_record_of_another_build_or_host_is_not_gone_on_with() {
    let env = TestEnv::new();
    let mut runner = begin(&env);
    kill(runner.id() as i32, libc::SIGKILL);
    runner.wait().unwrap();
    let begun = store::read(&env.path("r")).unwrap();
    type Change = fn(&mut Record);
    let changes: [(Change, &str); 4] = [
        (|r| r.header.version = "0.0".into(), "another build"),
        (|r| r.header.build.libc = "other".into(), "another build"),
        (
            |r| r.host.as_mut().unwrap().id.id = "other".into(),
            "another host",
        ),
        (
            |r| r.host.as_mut().unwrap().boot_id = Known::Is("other".into()),
            "last boot",
        ),
    ];
    for (i, (change, why)) in changes.into_iter().enumerate() {
        let mut record = begun.clone();
        change(&mut record);
        let name = format!("changed{i}");
        let mut journal = Journal::create(&env.path(&name)).unwrap();
        journal.add(&Line::Header(record.header)).unwrap();
        journal.add(&Line::Host(record.host.unwrap())).unwrap();
        drop(journal);
        env.run(&format!("run --resume {name}"))
            .refuses(&[why, &name]);
    }
}
