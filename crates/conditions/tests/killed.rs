//! A change of a setting that is killed at every step: what is left behind is put back.
//!
//! The test starts itself again as the process that changes a file, which ends itself with SIGKILL at the
//! step that it is told.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use rustix::process::{Signal, getpid, kill_process};
use whyslow_conditions::{Setting, left_behind, restore};

/// The folder of the process that is to be killed, and the step at which.
const FOLDER: &str = "WHYSLOW_TEST_FOLDER";
const STEP: &str = "WHYSLOW_TEST_STEP";

/// All steps of a change, and `held`: while it is in force.
const STEPS: [&str; 5] = ["opened", "noted", "written", "verified", "held"];

fn kill_self() {
    kill_process(getpid(), Signal::KILL).unwrap();
}

/// The process that is killed; a test only by name.
#[test]
fn changes_and_dies() {
    let (Some(folder), Some(step)) = (env::var_os(FOLDER), env::var_os(STEP)) else {
        return;
    };
    let folder = Path::new(&folder);
    let at = |name: &'static str| {
        if step == name {
            kill_self();
        }
    };
    let mut steps = at;
    let setting = Setting::change(
        &folder.join("setting"),
        "never",
        &folder.join("state"),
        &mut steps,
    )
    .unwrap();
    at("held");
    drop(setting);
}

/// Runs the process above to its end; what the setting says then.
fn after(folder: &Path, step: &str) -> String {
    fs::write(folder.join("setting"), "always").unwrap();
    let ended = Command::new(env::current_exe().unwrap())
        .args(["--exact", "changes_and_dies"])
        .env(FOLDER, folder)
        .env(STEP, step)
        .output()
        .unwrap();
    let killed = ended.status.signal() == Some(9);
    assert_eq!(killed, STEPS.contains(&step), "{step}: {ended:?}");
    fs::read_to_string(folder.join("setting")).unwrap()
}

#[test]
fn killed_at_every_step_it_can_be_put_back() {
    for step in STEPS {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let now = after(folder.path(), step);
        let changed = ["written", "verified", "held"].contains(&step);
        assert_eq!(now, if changed { "never" } else { "always" }, "{step}");
        assert_eq!(left_behind(&state).len(), 1, "{step}");
        let done = restore(&state);
        assert!(done.iter().all(|u| u.outcome.is_ok()), "{step}: {done:?}");
        assert_eq!(
            fs::read_to_string(folder.path().join("setting")).unwrap(),
            "always"
        );
        assert!(left_behind(&state).is_empty(), "{step}");
        assert!(restore(&state).is_empty(), "{step}");
    }
}

#[test]
fn a_change_that_ends_well_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(after(folder.path(), "never"), "always");
    assert!(left_behind(&folder.path().join("state")).is_empty());
}

#[test]
fn what_somebody_else_set_since_stays() {
    let folder = tempfile::tempdir().unwrap();
    after(folder.path(), "held");
    fs::write(folder.path().join("setting"), "madvise").unwrap();
    let done = restore(&folder.path().join("state"));
    assert!(done.iter().all(|u| u.outcome.is_ok()), "{done:?}");
    assert_eq!(
        fs::read_to_string(folder.path().join("setting")).unwrap(),
        "madvise"
    );
}

#[test]
fn the_journal_of_a_process_that_lives_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let file = folder.path().join("setting");
    fs::write(&file, "[always] never").unwrap();
    let setting = Setting::change(&file, "never", &state, &mut |_| ()).unwrap();
    assert!(left_behind(&state).is_empty());
    assert!(restore(&state).is_empty());
    assert_eq!(fs::read_to_string(&file).unwrap(), "never");
    drop(setting);
    assert_eq!(fs::read_to_string(&file).unwrap(), "always");
}

#[test]
fn a_file_that_takes_no_value_is_an_error_and_no_change() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let missing = folder.path().join("missing");
    let error = Setting::change(&missing, "x", &state, &mut |_| ()).unwrap_err();
    assert!(error.contains("missing"), "{error}");
    assert!(left_behind(&state).is_empty());
}

#[test]
fn a_journal_of_another_version_is_not_thrown_away() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    fs::create_dir(&state).unwrap();
    let journal = state.join("1-0.changes");
    fs::write(&journal, "moon\tfull\n").unwrap();
    let done = restore(&state);
    assert!(done[0].outcome.is_err(), "{done:?}");
    assert!(journal.exists());
}
