//! The step that fails a pull request: by its exit code and by what it writes into the job's summary.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::env::{Said, TestEnv};

/// The step in the test's folder, with a summary in it if asked for.
fn step(env: &TestEnv, args: &str, summary: bool) -> Said {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/ci/slowdown");
    let mut command = Command::new(script);
    command
        .args(args.split_whitespace())
        .current_dir(env.path(""))
        .env("WHYSLOW", env!("CARGO_BIN_EXE_whyslow"))
        .env_remove("STRICT")
        .env_remove("GITHUB_STEP_SUMMARY");
    if summary {
        command.env("GITHUB_STEP_SUMMARY", env.path("summary.md"));
    }
    Said::of(command.output().unwrap())
}

#[test]
fn only_what_is_really_slower_fails() {
    let env = TestEnv::new();
    // In turns in one record, as a job does it: runners differ from each other.
    let mut load = env.whyslow("load -n base -n head -r 6 -o r --against");
    let load = load
        .args(["sleep 0.2", "--", "sleep", "0.02"])
        .output()
        .unwrap();
    assert!(load.status.success(), "{:?}", Said::of(load));

    let said = step(&env, "r#cmd=base r#cmd=head", true);
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""), "{said:?}");
    let summary = fs::read_to_string(env.path("summary.md")).unwrap();
    assert!(
        summary.starts_with("### whyslow: **Really slower.**\n"),
        "{summary}"
    );
    assert!(summary.contains("▼ longer"), "{summary}");

    // The way back is faster, and so is no failure.
    let said = step(&env, "r#cmd=head r#cmd=base", false);
    assert_ne!(said.code, Some(1), "{said:?}");
    assert!(said.out.starts_with("### whyslow: "), "{said:?}");

    // Without anything to compare, it fails, and says why.
    let said = step(&env, "r#cmd=base missing", true);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("missing"), "{said:?}");
    assert_eq!(step(&env, "r", false).code, Some(2));
}
