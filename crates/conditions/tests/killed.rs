//! A setting change killed at every step: leftovers are restored.
//!
//! The test starts itself again as the process that changes a file, which kills itself with SIGKILL at
//! the given step.
#![allow(clippy::unwrap_used)] // test helpers

use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use rustix::process::{Signal, getpid, kill_process};
use whyslow_conditions::{KernelFile, Setting, Undone};

/// The directory of the process to kill, and the step at which to do it.
const FOLDER: &str = "WHYSLOW_TEST_FOLDER";
const STEP: &str = "WHYSLOW_TEST_STEP";

/// All steps of a change, and `held`: while it is in force.
const STEPS: [&str; 5] = ["opened", "noted", "written", "verified", "held"];

/// The setting that is changed, below the folder of a test.
const FILE: KernelFile = KernelFile::CurrentClocksource;

/// Its path in the folder of a test, whose folders are made.
fn file(folder: &Path) -> PathBuf {
    let path = folder.join(FILE.path().trim_start_matches('/'));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    path
}

fn left_behind(folder: &Path) -> Vec<PathBuf> {
    whyslow_conditions::left_behind(&folder.join("state")).unwrap()
}

fn restore(folder: &Path) -> Vec<Undone> {
    whyslow_conditions::restore(&folder.join("state"), folder).unwrap()
}

fn kill_self() {
    kill_process(getpid(), Signal::KILL).unwrap();
}

/// The process that is killed; a test in name only.
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
        &[FILE],
        Some("never"),
        folder,
        &folder.join("state"),
        &mut steps,
    )
    .unwrap();
    at("held");
    drop(setting);
}

/// Runs the process above to completion. Returns the setting's value then.
fn after(folder: &Path, step: &str) -> String {
    fs::write(file(folder), "always").unwrap();
    let ended = Command::new(env::current_exe().unwrap())
        .args(["--exact", "changes_and_dies"])
        .env(FOLDER, folder)
        .env(STEP, step)
        .output()
        .unwrap();
    let killed = ended.status.signal() == Some(9);
    assert_eq!(killed, STEPS.contains(&step), "{step}: {ended:?}");
    fs::read_to_string(file(folder)).unwrap()
}

#[test]
fn killed_at_every_step_it_can_be_put_back() {
    for step in STEPS {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let now = after(folder, step);
        let changed = ["written", "verified", "held"].contains(&step);
        assert_eq!(now, if changed { "never" } else { "always" }, "{step}");
        assert_eq!(left_behind(folder).len(), 1, "{step}");
        let done = restore(folder);
        assert!(done.iter().all(|u| u.outcome.is_ok()), "{step}: {done:?}");
        assert_eq!(fs::read_to_string(file(folder)).unwrap(), "always");
        assert!(left_behind(folder).is_empty(), "{step}");
        assert!(restore(folder).is_empty(), "{step}");
    }
}

#[test]
fn a_change_that_ends_well_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(after(folder.path(), "never"), "always");
    assert!(left_behind(folder.path()).is_empty());
}

#[test]
fn later_changes_by_others_stay() {
    let folder = tempfile::tempdir().unwrap();
    after(folder.path(), "held");
    fs::write(file(folder.path()), "madvise").unwrap();
    let done = restore(folder.path());
    assert!(done.iter().all(|u| u.outcome.is_ok()), "{done:?}");
    assert_eq!(fs::read_to_string(file(folder.path())).unwrap(), "madvise");
}

#[test]
fn the_journal_of_a_process_that_lives_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let file = file(folder);
    fs::write(&file, "[always] never").unwrap();
    let state = folder.join("state");
    let setting = Setting::change(&[FILE], Some("never"), folder, &state, &mut |_| ()).unwrap();
    assert!(left_behind(folder).is_empty());
    assert!(restore(folder).is_empty());
    assert_eq!(fs::read_to_string(&file).unwrap(), "never");
    drop(setting);
    assert_eq!(fs::read_to_string(&file).unwrap(), "always");
}

#[test]
fn a_file_that_takes_no_value_is_an_error_and_no_change() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let error = Setting::change(&[FILE], Some("x"), folder.path(), &state, &mut |_| ())
        .unwrap_err()
        .to_string();
    assert!(error.contains(&FILE.path()), "{error}");
    assert!(left_behind(folder.path()).is_empty());
}

#[test]
fn a_value_that_no_journal_can_hold_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(file(folder), "tsc").unwrap();
    let state = folder.join("state");
    for value in ["", "a b", "a\tb", "a\nb", "\u{1b}[2J"] {
        let error = Setting::change(&[FILE], Some(value), folder, &state, &mut |_| ())
            .unwrap_err()
            .to_string();
        assert!(error.contains("could not be put back"), "{error}");
        assert!(!error.contains(char::is_control), "{error}");
    }
    assert_eq!(fs::read_to_string(file(folder)).unwrap(), "tsc");
    assert!(left_behind(folder).is_empty());
}

#[test]
fn a_journal_of_another_version_is_not_thrown_away() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    fs::DirBuilder::new().mode(0o700).create(&state).unwrap();
    let journal = state.join("1-0.changes");
    fs::write(&journal, "moon\tfull\n").unwrap();
    let done = restore(folder.path());
    assert!(done[0].outcome.is_err(), "{done:?}");
    assert!(journal.exists());
}

#[test]
fn a_link_does_not_lead_a_setting_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    after(folder, "held");
    let elsewhere = folder.join("elsewhere");
    fs::write(&elsewhere, "never").unwrap();
    fs::remove_file(file(folder)).unwrap();
    std::os::unix::fs::symlink(&elsewhere, file(folder)).unwrap();
    let done = restore(folder);
    assert!(done[0].outcome.is_err(), "{done:?}");
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "never");
}
