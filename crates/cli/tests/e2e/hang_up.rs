//! A terminal that is closed: what ran on it ends, keeps what it measured, and leaves nothing.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};

use whyslow_model::record::End;
use whyslow_model::store;

use crate::confined::{before_exec, kill, own_session, terminal};
use crate::env::{TestEnv, wait_for};
use crate::experiments::ended;

/// Starts `command` as the first of a terminal, as `ssh -t` does, whose other end this gives.
fn on_a_terminal(mut command: Command) -> (Child, File) {
    let (ours, theirs) = terminal();
    command
        .stdin(theirs.try_clone().unwrap())
        .stdout(theirs)
        // Progress would fill the terminal, which is not read.
        .stderr(Stdio::null());
    before_exec(&mut command, own_session);
    let child = command.spawn().unwrap();
    drop(command);
    (child, ours)
}

fn nothing_is_left(env: &TestEnv) {
    assert_eq!(fs::read_dir(env.path("tmp")).unwrap().count(), 0);
}

#[test]
fn a_run_keeps_its_record() {
    let env = TestEnv::new();
    let (mut child, terminal) =
        on_a_terminal(env.whyslow("run --only os.* --rounds 1000 --seed 7 -o r"));
    let measured = || Some(store::read(&env.path("r")).ok()?.processes.len());
    wait_for("processes", || (measured()? > 3).then_some(()));
    drop(terminal);
    let status = wait_for("the end", || child.try_wait().unwrap());
    assert_eq!(status.code(), Some(130), "{status:?}");
    let record = store::read(&env.path("r")).unwrap();
    assert_eq!(record.footer.unwrap().end, End::Interrupted);
    nothing_is_left(&env);
}

#[test]
fn a_colored_program_ends_and_its_files_go() {
    let env = TestEnv::new();
    let mut command = env.whyslow("color run -- /bin/sh -c");
    command.arg("echo $$ > pid; exec sleep 1000");
    let (mut child, terminal) = on_a_terminal(command);
    let program: i32 = wait_for("the program", || {
        let pid = fs::read_to_string(env.path("pid")).ok()?;
        pid.trim().parse().ok()
    });
    drop(terminal);
    let status = wait_for("the end", || child.try_wait().unwrap());
    assert_eq!(status.signal(), Some(libc::SIGHUP), "{status:?}");
    let gone = ended(program);
    kill(program, libc::SIGKILL);
    assert!(gone, "the program goes on");
    let named = format!("whyslow-color-{}-", child.id());
    let left = fs::read_dir("/dev/shm").unwrap().flatten();
    let left = left.filter(|e| e.file_name().to_string_lossy().starts_with(&named));
    assert_eq!(left.count(), 0);
    nothing_is_left(&env);
}
