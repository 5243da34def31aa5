//! Nothing is lost without a word: names that are taken, limits that end other programs, files that are none.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use whyslow_model::store;

use crate::confined::{before_exec, limit};
use crate::env::{Said, TestEnv, measured, wait_for};

/// The records in `folder`.
fn records(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let whole = entries.filter(|p| p.extension().is_some_and(|e| e == "whyslow"));
    whole.filter(|path| store::read(path).is_ok()).count()
}

#[test]
fn loads_of_one_moment_each_keep_their_record() {
    let env = TestEnv::new();
    let start = |folder: &Path| {
        let mut command = env.whyslow("load -r 1 -w 0 -- true");
        command.current_dir(folder).stdout(Stdio::null());
        command.spawn().unwrap()
    };
    let all: Vec<_> = (0..6).map(|_| start(&env.path("."))).collect();
    for mut child in all {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(records(&env.path(".")), 6);
}

#[test]
fn a_record_that_grows_has_one_writer() {
    let env = TestEnv::new();
    let mut first = env
        .whyslow("run --only os.null_call --rounds 300 -o r")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_for("a process in the record", || {
        let record = store::read(&env.path("r")).ok()?;
        (measured(&record, "os.null_call") > 0).then_some(())
    });
    env.run("run --resume r")
        .refuses(&["r: ", "another whyslow"]);
    crate::confined::kill(first.id() as i32, libc::SIGINT);
    first.wait().unwrap();
    let kept = store::read(&env.path("r")).unwrap();
    assert!(measured(&kept, "os.null_call") > 0 && kept.footer.is_some());
}

#[test]
fn a_file_that_may_not_grow_is_as_a_full_disk() {
    let env = TestEnv::new();
    let mut command = env.whyslow("run --only os.null_call --rounds 2 --json -o r");
    before_exec(&mut command, || limit(libc::RLIMIT_FSIZE, 2 << 10));
    let said = Said::of(command.output().unwrap());
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("measuring goes on"), "{said:?}");
    assert!(said.err.contains("could not be kept"), "{said:?}");
    assert_eq!(measured(&said.json().record, "os.null_call"), 2);
}

#[test]
fn a_small_stack_is_enough() {
    let env = TestEnv::new();
    let mut command = env.whyslow("run --only os.null_call --rounds 1 --json -o r");
    before_exec(&mut command, || limit(libc::RLIMIT_STACK, 64 << 10));
    let said = Said::of(command.output().unwrap());
    assert_eq!(measured(&said.document().record, "os.null_call"), 1);
}

#[test]
fn what_is_no_file_is_not_waited_for() {
    let env = TestEnv::new();
    let made = Command::new("mkfifo").arg(env.path("pipe")).status();
    assert!(made.unwrap().success());
    for args in [
        "show pipe",
        "compare pipe pipe",
        "explain pipe",
        "report pipe -o page.html",
        "run --resume pipe",
        "show /dev/zero",
        "compare /dev/zero /dev/zero",
        "import /dev/zero",
        "import pipe",
    ] {
        let begun = Instant::now();
        let mut child = env.whyslow(args).spawn().unwrap();
        let ended = || child.try_wait().unwrap();
        let late = || begun.elapsed() > Duration::from_secs(20);
        let mut ended = ended;
        while ended().is_none() && !late() {
            std::thread::sleep(Duration::from_millis(10));
        }
        let hung = late();
        let _ = child.kill();
        let said = Said::of(child.wait_with_output().unwrap());
        assert!(!hung, "{args} hangs");
        said.refuses(&["not a file"]);
    }
}

#[test]
fn the_survey_of_the_host_runs_no_program_of_the_callers_path() {
    let env = TestEnv::new();
    let folder = env.path("bin");
    fs::create_dir(&folder).unwrap();
    for name in ["getconf", "gzip", "cat"] {
        let program = folder.join(name);
        fs::write(
            &program,
            format!("#!/bin/sh\ntouch {}\n", env.path("ran").display()),
        )
        .unwrap();
        fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    }
    for args in ["host", "doctor", "__sense"] {
        let mut command = env.whyslow(args);
        command.env("PATH", format!("{}:/usr/bin:/bin", folder.display()));
        command.output().unwrap();
        assert!(!env.path("ran").exists(), "{args}");
    }
}

#[test]
fn a_record_against_itself_is_no_difference() {
    let env = TestEnv::new();
    env.run("run --only os.null_call --rounds 3 -o r");
    let said = env.run("compare r r");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.err.contains("same record"), "{said:?}");
}

#[test]
fn an_experiment_without_records_has_a_page() {
    let env = TestEnv::new();
    let said = env.run("explain --experiment environment --blocks 3 --html page.html");
    // Beside other tests three blocks may leave the answer open.
    assert!(matches!(said.code, Some(0 | 3)), "{said:?}");
    let page = fs::read_to_string(env.path("page.html")).unwrap();
    assert!(page.contains("environment") && page.contains("</html>"));
}

#[test]
fn next_steps_name_the_records() {
    let env = TestEnv::new();
    env.run("run --only os.* --rounds 3 -o plain");
    fs::create_dir(env.path("my runs")).unwrap();
    let mut under = env.whyslow("__under seccomp=1000 --");
    under.arg(env!("CARGO_BIN_EXE_whyslow"));
    under.args([
        "run",
        "--only",
        "os.*",
        "--rounds",
        "3",
        "-o",
        "my runs/filtered",
    ]);
    under.output().unwrap();
    let mut explain = env.whyslow("explain plain");
    explain.arg("my runs/filtered");
    let said = Said::of(explain.output().unwrap());
    let line = said.out.lines().find(|l| l.contains("--experiment"));
    let line = line.unwrap_or_else(|| panic!("{said:?}"));
    assert!(
        line.contains("whyslow explain plain 'my runs/filtered' --experiment"),
        "{line}"
    );
}
