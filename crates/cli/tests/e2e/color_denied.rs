//! `color run` where the system refuses what it needs, gives little, or moves and merges pages: the
//! program goes on, uncolored at worst, and the report says why.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use whyslow_model::color::ColorRun;
use whyslow_model::host::Known;

use crate::color_run::{assert_accounted, behave, command, report, same, text};
use crate::confined::{before_exec, deny, deny_ioctl, limit, root};
use crate::env::{NOBODY, TestEnv, need};
use crate::limits::MemoryGroup;

/// `UFFDIO_API` and `UFFDIO_MOVE`: what a kernel before 6.8 refuses, by its number for the feature
/// or for the call.
const UFFDIO_API: u32 = 0xc018_aa3f;
const UFFDIO_MOVE: u32 = 0xc028_aa05;

/// What the report says about pages that stayed ordinary.
fn reasons(report: &ColorRun) -> String {
    let mut all: Vec<String> = report.ordinary.iter().map(|o| o.why.clone()).collect();
    if let Known::Unknown(why) = &report.colors {
        all.push(why.unknown.clone());
    }
    all.join("; ")
}

/// Runs the program under `confine`, without which it would be colored; nothing is, and the report says why.
fn goes_on_uncolored(confine: impl Fn(&mut Command)) {
    let env = TestEnv::new();
    let Some(report) = same(&env, &["block", "forks"], confine) else {
        return;
    };
    assert_accounted(&report);
    assert_eq!(report.colored, 0);
    let reasons = reasons(&report);
    // On a core that others load the search ends late, or too few pages pass for their color: then none was to be moved.
    let none_to_move = ["had not finished", "matched the colors too rarely"];
    let to_move = !none_to_move.iter().any(|why| reasons.contains(why));
    if matches!(report.colors, Known::Is(_)) && to_move {
        let why = "the system does not let the process move pages";
        assert!(reasons.contains(why), "{report:?}");
        let notes = report.notes.join("\n");
        assert!(notes.contains("userfaultfd"), "{report:?}");
    }
}

#[test]
fn without_userfaultfd() {
    // Forbidden by a filter or to users without privileges, and missing from the kernel.
    for error in [libc::EPERM, libc::ENOSYS] {
        goes_on_uncolored(|command| {
            before_exec(command, deny(&[libc::SYS_userfaultfd], error));
        });
    }
}

#[test]
fn where_the_kernel_moves_no_pages() {
    for (call, error) in [
        (UFFDIO_API, libc::EINVAL),
        (UFFDIO_MOVE, libc::EINVAL),
        (UFFDIO_MOVE, libc::EPERM),
        (UFFDIO_MOVE, libc::EBUSY),
        (UFFDIO_MOVE, libc::ENOMEM),
    ] {
        goes_on_uncolored(|command| before_exec(command, deny_ioctl(call, error)));
    }
}

/// Files of the kernel's settings, put back at the end.
struct Settings(Vec<(PathBuf, String)>);

impl Settings {
    /// Writes them; none if one cannot be written.
    fn new(settings: &[(&str, &str)]) -> Option<Settings> {
        let mut before = Settings(Vec::new());
        for (path, value) in settings {
            let path = Path::new(path).to_owned();
            let was = fs::read_to_string(&path).ok()?;
            fs::write(&path, value).ok()?;
            before.0.push((path, was.trim().to_owned()));
        }
        Some(before)
    }
}

impl Drop for Settings {
    fn drop(&mut self) {
        for (path, was) in self.0.iter().rev() {
            fs::write(path, was).unwrap();
        }
    }
}

#[test]
fn nobody_may_run_programs_on_colored_pages() {
    let env = TestEnv::new();
    let forbidden = [("/proc/sys/vm/unprivileged_userfaultfd", "0")];
    let settings = root().then(|| Settings::new(&forbidden)).flatten();
    if !need(
        settings.is_some(),
        "root, to become nobody, and vm.unprivileged_userfaultfd, to forbid it",
    ) {
        return;
    }
    let confine = |command: &mut Command| {
        command.uid(NOBODY).gid(NOBODY);
    };
    let Some(report) = same(&env, &["block", "threads"], confine) else {
        return;
    };
    assert_accounted(&report);
    // Faults of user mode may still be had, and no others are.
    let moved = !reasons(&report).contains("does not let");
    assert!(moved, "{report:?}");
}

#[test]
fn pages_that_the_kernel_moves_keep_their_content() {
    let env = TestEnv::new();
    if !need(root(), "root, to have memory compacted") || behave().is_none() {
        return;
    }
    let stop = AtomicBool::new(false);
    let report = thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Acquire) {
                // Kernels without compaction lack the file.
                let _ = fs::write("/proc/sys/vm/compact_memory", "1");
                thread::sleep(Duration::from_millis(50));
            }
        });
        let report = same(&env, &["hold"], |_| {});
        stop.store(true, Ordering::Release);
        report
    });
    assert_accounted(&report.unwrap());
}

#[test]
fn pages_that_the_kernel_merges_keep_their_content() {
    let env = TestEnv::new();
    // As fast as it can: all pages of a program within the time that it looks at them.
    let fast = [
        ("/sys/kernel/mm/ksm/sleep_millisecs", "1"),
        ("/sys/kernel/mm/ksm/pages_to_scan", "4000"),
        ("/sys/kernel/mm/ksm/run", "1"),
    ];
    let settings = root().then(|| Settings::new(&fast)).flatten();
    if !need(settings.is_some(), "root and a kernel that merges pages") {
        return;
    }
    let Some(report) = same(&env, &["merge", "block"], |_| {}) else {
        return;
    };
    assert_accounted(&report);
    let merged = fs::read_to_string("/sys/kernel/mm/ksm/pages_scanned").unwrap_or_default();
    assert_ne!(merged.trim(), "0", "nothing was looked at");
}

#[test]
fn a_group_with_little_memory_is_not_filled() {
    let mib = 1 << 20;
    // The program reserves more than the group has, and uses a third of it.
    let group = MemoryGroup::new("color", 64 * mib).filter(|_| root());
    let Some(group) = group else {
        need(false, "root and a control group for memory");
        return;
    };
    let env = TestEnv::new();
    let Some(report) = same(&env, &["sparse"], |command| group.confine(command)) else {
        return;
    };
    assert_accounted(&report);
    assert!(report.colored * report.page_bytes <= 16 * mib, "{report:?}");
}

#[test]
fn memory_that_runs_out_ends_nothing_but_coloring() {
    let env = TestEnv::new();
    let Some(program) = behave() else { return };
    // Room for the program and some 50 blocks; the launcher needs more, so the shell sets the limit.
    let script = format!("ulimit -v 60000; exec '{}' limit", program.display());
    let output = command(&env, "", &["/bin/sh", "-c", &script])
        .output()
        .unwrap();
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        said.contains("the end was met right") && !said.contains("some blocks WRONG"),
        "{said}"
    );
    let report = report(&env);
    assert_accounted(&report);
    // What the library has for itself is little.
    let blocks: u64 = report.by_process.iter().map(|p| p.pages.blocks).sum();
    assert!(blocks > 35, "{report:?}");
}

#[test]
fn files_that_run_out_end_nothing_but_coloring() {
    let env = TestEnv::new();
    let confine = |command: &mut Command| {
        before_exec(command, || limit(libc::RLIMIT_NOFILE, 64));
    };
    same(&env, &["block"], confine);
}
