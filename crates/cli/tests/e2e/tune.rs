//! `whyslow tune`: what surely gains is found, what gains nothing is not recommended, and nothing is left behind.

use std::fs;

use serde_json::Value;

use crate::env::{Said, TestEnv};

/// A command whose time a variable of the test's own decides.
const BY_VARIABLE: &str = "if [ -z \"$WHYSLOW_FAST\" ]; then sleep 0.04; fi; sleep 0.01";

/// What `whyslow tune` says of a command.
pub(crate) fn tune(env: &TestEnv, args: &str, command: &[&str]) -> Said {
    let mut whyslow = env.whyslow(&format!("tune {args}"));
    Said::of(whyslow.arg("--").args(command).output().unwrap())
}

#[test]
fn a_variable_that_gains_is_found_and_the_line_that_keeps_it_is_told() {
    let env = TestEnv::new();
    let args = "--budget 30 --setting env:WHYSLOW_FAST=1 --format json";
    let said = tune(&env, args, &["sh", "-c", BY_VARIABLE]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let json: Value = serde_json::from_str(&said.out).unwrap();
    let tried = json["tried"].as_array().unwrap();
    assert_eq!(tried.len(), 1, "{said:?}");
    assert_eq!(tried[0]["verdict"], "gains", "{said:?}");
    let ratio = tried[0]["ratio"]["value"].as_f64().unwrap();
    assert!((0.05..0.8).contains(&ratio), "{ratio}");
    assert!(said.out.contains("WHYSLOW_FAST=1"), "{said:?}");
    // Records of the runs are gone with the answer.
    let names = |folder: &str| -> Vec<_> {
        let entries = fs::read_dir(env.path(folder)).unwrap().flatten();
        entries.map(|entry| entry.file_name()).collect()
    };
    assert_eq!(names(""), ["tmp"]);
    assert!(names("tmp").is_empty(), "{:?}", names("tmp"));
}

#[test]
fn what_gains_nothing_is_not_recommended() {
    let env = TestEnv::new();
    let args = "--budget 20 --setting env:WHYSLOW_NOTHING=1 --format json";
    // One in a hundred such commands is accused by chance alone, at the level of the intervals: never three times in a row.
    let recommends = |_| {
        let said = tune(&env, args, &["sleep", "0.03"]);
        assert_eq!(said.code, Some(0), "{said:?}");
        let json: Value = serde_json::from_str(&said.out).unwrap();
        json["tried"][0]["verdict"] == "gains"
    };
    assert!(!(0..3).all(recommends));
}

#[test]
fn bad_input_is_one_line() {
    let env = TestEnv::new();
    for (args, command, wanted) in [
        ("", "/no/such/program", "no such program"),
        ("--setting nosuch", "true", "no such setting"),
        ("--budget 3", "sleep 1", "too long for the budget"),
    ] {
        let words: Vec<&str> = command.split(' ').collect();
        let said = tune(&env, args, &words);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains(wanted), "{said:?}");
        assert_eq!(said.err.trim_end().lines().count(), 1, "{said:?}");
    }
}
