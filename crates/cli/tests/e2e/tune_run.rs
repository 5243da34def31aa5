//! `whyslow tune run`: a program behaves as it does without it, and what it copies is copied by our routines.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::confined::root;
use crate::env::{NOBODY, Said, TestEnv, copy_program, need};

/// Builds `tune/NAME.c`; None where there is no such compiler.
fn compile(compiler: &str, flags: &[&str], place: &Path) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/tune/copies.c");
    let built = Command::new(compiler)
        .args(flags)
        .arg("-o")
        .args([place, &source])
        .stderr(Stdio::null())
        .status();
    built
        .is_ok_and(|status| status.success())
        .then(|| place.to_owned())
}

/// `tune run -o report -- PROGRAM`, with the cache folder of the test's own.
fn tune_run(env: &TestEnv, program: &[&str]) -> Command {
    // A folder that others can write is not believed.
    let home = env.path("home");
    if DirBuilder::new().mode(0o700).create(&home).is_err() {
        assert!(home.is_dir());
    }
    let mut command = env.whyslow("tune run -o report --");
    command.args(program).env("HOME", home);
    command.env_remove("XDG_CACHE_HOME");
    command
}

fn report(env: &TestEnv, name: &str) -> String {
    let text = fs::read_to_string(env.path("report")).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.unwrap_or_else(|| panic!("no {name} in {text}"))
        .trim()
        .to_owned()
}

#[test]
fn a_program_says_and_ends_as_it_does_without() {
    let env = TestEnv::new();
    for script in [
        "echo out; echo err >&2; exit 7",
        "head -c 300000 /dev/zero | md5sum; seq 5000 | sort -r | tail -n 3",
        "cat; exit 0",
        "kill -TERM $$",
    ] {
        let words = ["sh", "-c", script];
        let plain = Command::new("sh").args(&words[1..]).output().unwrap();
        let said = tune_run(&env, &words).output().unwrap();
        assert_eq!(said.stdout, plain.stdout, "{script}");
        assert_eq!(said.stderr, plain.stderr, "{script}");
        assert_eq!(said.status, plain.status, "{script}");
        // The shell and what it started.
        let programs: u64 = report(&env, "programs that use it").parse().unwrap();
        assert!(programs >= 1, "{script}");
    }
}

#[test]
fn what_was_chosen_is_kept_and_remade_when_it_is_of_another_machine() {
    let env = TestEnv::new();
    let run = || {
        let said = Said::of(tune_run(&env, &["true"]).output().unwrap());
        assert_eq!(said.code, Some(0), "{said:?}");
        report(&env, "choice")
    };
    assert_eq!(run(), "measured in this run");
    assert_eq!(run(), "kept by an earlier run");
    let file = env.path("home/.cache/whyslow/routines");
    let text = fs::read_to_string(&file).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines[1] = "another CPU; another library";
    fs::write(&file, lines.join("\n") + "\n").unwrap();
    assert_eq!(run(), "measured in this run");
    assert_eq!(run(), "kept by an earlier run");
    fs::write(&file, &text[..text.len() / 2]).unwrap();
    assert_eq!(run(), "measured in this run");
}

#[test]
fn the_functions_that_a_program_calls_are_ours() {
    let env = TestEnv::new();
    for (compiler, flags) in [
        ("cc", &["-O1", "-fno-builtin"][..]),
        ("cc", &["-O2", "-D_FORTIFY_SOURCE=2"]),
        ("musl-gcc", &["-O1", "-fno-builtin"]),
    ] {
        let place = env.path("copies");
        let built = compile(compiler, flags, &place);
        let Some(program) = built else {
            need(compiler == "musl-gcc", "a C compiler (cc)");
            continue;
        };
        let program = program.to_str().unwrap();
        let plain = Said::of(Command::new(program).output().unwrap());
        let said = Said::of(tune_run(&env, &[program]).output().unwrap());
        assert_eq!(said.code, Some(0), "{compiler} {flags:?} {said:?}");
        assert_eq!(said.err, plain.err);
        // It says for each function which file it is in, and then what it did with it.
        let ours = said.out.matches(" library.so\n").count();
        assert_eq!(ours, 5, "{compiler} {flags:?} {said:?}");
        assert!(!plain.out.contains("library.so"), "{plain:?}");
        let done = |out: &str| out.lines().last().unwrap_or_default().to_owned();
        assert_eq!(done(&said.out), done(&plain.out));
        assert_eq!(report(&env, "programs that use it"), "1");
    }
}

#[test]
fn an_overflow_that_a_fortified_program_would_see_ends_it() {
    let env = TestEnv::new();
    let flags = ["-O2", "-D_FORTIFY_SOURCE=2"];
    let Some(program) = compile("cc", &flags, &env.path("copies")) else {
        need(false, "a C compiler (cc)");
        return;
    };
    for function in ["memcpy", "memmove", "memset"] {
        let words = [program.to_str().unwrap(), function];
        let plain = Command::new(words[0]).arg(function).output().unwrap();
        let said = tune_run(&env, &words).output().unwrap();
        assert_eq!(said.status, plain.status, "{function}");
        assert_eq!(said.stderr, plain.stderr, "{function}");
    }
}

#[test]
fn what_cannot_be_preloaded_is_refused_in_one_line() {
    let env = TestEnv::new();
    let refused = |words: &[&str], wanted: &str| {
        let said = Said::of(tune_run(&env, words).output().unwrap());
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains(wanted), "{said:?}");
        assert_eq!(said.err.trim_end().lines().count(), 1, "{said:?}");
        assert!(!env.path("report").exists());
    };
    refused(&["/no/such/program"], "/no/such/program: ");
    if let Some(program) = compile("cc", &["-static"], &env.path("static")) {
        refused(&[program.to_str().unwrap()], "is statically linked");
    }
    let said = Said::of(env.whyslow("tune run").output().unwrap());
    assert_eq!(said.code, Some(2), "{said:?}");
    if !root() {
        return;
    }
    // Of another user, and run as that user.
    let program = env.path("privileged");
    copy_program(Path::new("/bin/true"), &program);
    std::os::unix::fs::chown(&program, Some(NOBODY), None).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).unwrap();
    refused(&[program.to_str().unwrap()], "gains privileges");
}
