//! `whyslow tune libc -- COMMAND`: what the command copies is counted, and what the curves say of it is said.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::env::{Said, TestEnv, need};
use crate::schema::errors;

fn tune(env: &TestEnv, args: &str, command: &[&str]) -> Said {
    crate::tune::tune(env, &format!("libc {args}"), command)
}

#[test]
fn what_a_command_copies_is_counted_and_forecast() {
    let env = TestEnv::new();
    let source = "../routines/tests/counts/known.c";
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    let program = env.path("known");
    let built = Command::new("cc")
        .arg("-o")
        .args([&program, &source])
        .status();
    let built = built.is_ok_and(|status| status.success());
    if !need(built, "a C compiler (cc)") {
        return;
    }
    let program = program.to_str().unwrap();
    let said = tune(&env, "--repeat 4 --format json", &[program, "fork"]);
    if said.code == Some(2) && said.err.contains("C library") {
        need(false, "a C library whose copies have settings");
        return;
    }
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.err.contains("forecast: copies of this program take"),
        "{said:?}"
    );
    let json: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(errors("tune-libc", &json), Vec::<String>::new());
    let copies = &json["copies"];
    let classes = copies["classes"].as_array().unwrap();
    let own = |least: u64, distance: &str| {
        let own = classes.iter().find(|class| {
            let caller = class["caller"].as_str().unwrap();
            class["least_bytes"] == least && class["distance"] == distance && caller == program
        });
        own.map(|class| (class["calls"].as_u64(), class["bytes"].as_u64()))
    };
    // Of the program and the child that it forks.
    assert_eq!(
        own(16384, "1-31"),
        Some((Some(600), Some(600 * 16384))),
        "{said:?}"
    );
    assert_eq!(
        own(65536, "32-63"),
        Some((Some(22), Some(22 * 65536))),
        "{said:?}"
    );
    assert!(
        json["forecast"]["now_s"].as_f64().unwrap() > 0.0,
        "{said:?}"
    );
    assert!(copies["run_s"].as_f64().unwrap() > 0.0, "{said:?}");
    // A forecast is of settings, and what decides is what was measured with them.
    let tried = json["command"].is_object();
    assert_eq!(json["forecast"]["with_s"].is_number(), tried, "{said:?}");
}

#[test]
fn a_command_that_cannot_run_is_said_before_anything_is_measured() {
    let env = TestEnv::new();
    for (command, wanted) in [
        (&["/no/such/program"][..], "/no/such/program: "),
        (&["sh", "-c", "exit 3"], "the run ended with exit status: 3"),
    ] {
        let said = tune(&env, "", command);
        assert_eq!(said.code, Some(2), "{said:?}");
        let known = said.err.contains(wanted) || said.err.contains("C library");
        assert!(known, "{said:?}");
        assert_eq!(said.err.trim_end().lines().count(), 1, "{said:?}");
    }
}
