//! Settings of several files of the kernel, killed at every step: all that was changed is put back, and what the kernel
//! changed with it.
//!
//! As in `killed.rs`, the test starts itself again as the process that kills itself.
#![allow(clippy::unwrap_used)] // test helpers

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use rustix::process::{Signal, getpid, kill_process};
use whyslow_conditions::{KernelFile, KernelSetting, Setting, left_behind, restore};

/// The directory of the process to kill, and the number of the step at which to do it.
const FOLDER: &str = "WHYSLOW_TEST_FOLDER";
const STEP: &str = "WHYSLOW_TEST_STEP";

/// Opened, noted, and two steps for each of three policies.
const STEPS: usize = 2 + 2 * POLICIES.len();

const POLICIES: [u32; 3] = [0, 4, 12];

fn below(folder: &Path, file: &KernelFile) -> PathBuf {
    folder.join(file.path().trim_start_matches('/'))
}

/// A machine of three policies.
fn machine(folder: &Path) {
    for policy in POLICIES {
        let files = [
            KernelFile::Governor(policy),
            KernelFile::EnergyPreference(policy),
        ];
        for (file, value) in files.iter().zip(["powersave", "balance_power"]) {
            let path = below(folder, file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, value).unwrap();
        }
    }
}

/// All that it says.
fn said(folder: &Path) -> Vec<String> {
    let files = POLICIES.into_iter().flat_map(|policy| {
        [
            KernelFile::Governor(policy),
            KernelFile::EnergyPreference(policy),
        ]
    });
    files
        .map(|file| fs::read_to_string(below(folder, &file)).unwrap())
        .collect()
}

/// The process that is killed; a test in name only.
#[test]
fn changes_several_and_dies() {
    let (Some(folder), Some(step)) = (env::var_os(FOLDER), env::var(STEP).ok()) else {
        return;
    };
    let folder = Path::new(&folder);
    let (mut left, mut written) = (step.parse::<usize>().unwrap(), 0);
    let files = KernelSetting::Governor.files(folder, folder).unwrap();
    let mut steps = |step: &'static str| {
        if step == "written" {
            // A driver's own idea of what goes with a governor.
            let file = KernelFile::EnergyPreference(POLICIES[written]);
            fs::write(below(folder, &file), "performance").unwrap();
            written += 1;
        }
        match left {
            0 => kill_process(getpid(), Signal::KILL).unwrap(),
            _ => left -= 1,
        }
    };
    let state = folder.join("state");
    let setting = Setting::change(&files, Some("performance"), folder, &state, &mut steps);
    drop(setting.unwrap());
}

fn killed_at(folder: &Path, step: usize) {
    let ended = Command::new(env::current_exe().unwrap())
        .args(["--exact", "changes_several_and_dies"])
        .env(FOLDER, folder)
        .env(STEP, step.to_string())
        .output()
        .unwrap();
    assert_eq!(ended.status.success(), step >= STEPS, "{step}: {ended:?}");
}

#[test]
fn all_of_several_files_are_put_back_and_what_the_kernel_changed_with_them() {
    for step in 0..=STEPS {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        machine(folder);
        let before = said(folder);
        killed_at(folder, step);
        let changed = said(folder) != before;
        assert_eq!(changed, (2..STEPS).contains(&step), "{step}");
        let state = folder.join("state");
        let done = restore(&state, folder).unwrap();
        assert!(done.iter().all(|u| u.outcome.is_ok()), "{step}: {done:?}");
        assert_eq!(said(folder), before, "{step}");
        assert!(left_behind(&state).unwrap().is_empty(), "{step}");
    }
}

#[test]
fn what_was_left_changed_or_is_being_changed_is_not_changed_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    machine(folder);
    let state = folder.join("state");
    let change = |policy: u32, value: &str| {
        let files = [KernelFile::Governor(policy)];
        Setting::change(&files, Some(value), folder, &state, &mut |_| ())
    };
    let held = change(4, "performance").unwrap();
    let why = change(4, "ondemand").unwrap_err().to_string();
    assert!(why.contains("another whyslow"), "{why}");
    drop(change(0, "ondemand").unwrap());
    drop(held);
    killed_at(folder, STEPS - 1);
    let why = change(4, "ondemand").unwrap_err().to_string();
    assert!(why.contains("whyslow restore"), "{why}");
    assert!(
        restore(&state, folder)
            .unwrap()
            .iter()
            .all(|u| u.outcome.is_ok())
    );
    drop(change(4, "ondemand").unwrap());
}

#[test]
fn the_link_of_a_device_leads_to_its_own_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let state = folder.join("state");
    let queue = folder.join("sys/devices/pci/block/vda/queue");
    fs::create_dir_all(&queue).unwrap();
    fs::write(queue.join("read_ahead_kb"), "128").unwrap();
    fs::create_dir_all(folder.join("sys/dev/block")).unwrap();
    let link = folder.join("sys/block/vda");
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink(queue.parent().unwrap(), &link).unwrap();
    let number = {
        use std::os::unix::fs::MetadataExt;
        let dev = fs::metadata(folder).unwrap().dev();
        format!("{}:{}", rustix::fs::major(dev), rustix::fs::minor(dev))
    };
    if number.starts_with("0:") {
        eprintln!("skipped: needs a temporary folder on a block device");
        return;
    }
    symlink(
        queue.parent().unwrap(),
        folder.join("sys/dev/block").join(number),
    )
    .unwrap();
    let files = KernelSetting::ReadAhead.files(folder, folder).unwrap();
    let change = || Setting::change(&files, Some("4096"), folder, &state, &mut |_| ());
    let held = change().unwrap();
    assert_eq!(
        fs::read_to_string(queue.join("read_ahead_kb")).unwrap(),
        "4096"
    );
    drop(held);
    assert_eq!(
        fs::read_to_string(queue.join("read_ahead_kb")).unwrap(),
        "128"
    );
    let elsewhere = folder.join("elsewhere/vda/queue");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::write(elsewhere.join("read_ahead_kb"), "128").unwrap();
    fs::remove_file(&link).unwrap();
    symlink(elsewhere.parent().unwrap(), &link).unwrap();
    let why = change().unwrap_err().to_string();
    assert!(why.contains("a link leads elsewhere"), "{why}");
}
