//! The rows of the system: each is measured or says why not, and the known traps are told apart.

use whyslow_model::document::Document;
use whyslow_model::record::FailureKind;

use crate::env::{TestEnv, assert_complete, failures, measured, noted};

/// The value of `point`.
fn value(document: &Document, point: &str) -> f64 {
    had(document, point).unwrap_or_else(|| panic!("{point} has no value"))
}

/// The same, where it may have none: a difference of two times may not be above zero in one process.
fn had(document: &Document, point: &str) -> Option<f64> {
    Some(document.summary.point(point)?.value?.value)
}

/// Every point that `globs` select, once. None may be refused by a guard; one may be unavailable,
/// with a reason.
fn once(globs: &str) -> Document {
    let env = TestEnv::new();
    let document = env
        .run(&format!(
            "run --suite all --only {globs} --rounds 1 --json -o r"
        ))
        .document();
    assert_complete(&document.record);
    for kind in [
        FailureKind::Refused,
        FailureKind::Crashed,
        FailureKind::Hung,
    ] {
        let failed = failures(&document.record, kind);
        assert!(failed.is_empty(), "{failed:?}");
    }
    document
}

/// One process on a machine full of tests may say anything; of three, one says what `holds`.
fn in_one_of_three(globs: &str, holds: impl Fn(&Document) -> Option<bool>) {
    let mut runs = (0..3).map(|_| once(globs));
    assert!(runs.any(|run| holds(&run) == Some(true)), "{globs}");
}

#[test]
fn creating_files_after_deletes_is_told_apart() {
    let (fresh, deletes) = (
        "fs.create{size=0,after=fresh}",
        "fs.create{size=0,after=deletes}",
    );
    // One process on a machine full of tests may say anything; of five, one says it.
    let mut times = 0.0;
    for _ in 0..5 {
        let document = once("fs.create{size=0,*}");
        for point in [fresh, deletes] {
            assert_eq!(measured(&document.record, point), 1, "{point}");
            assert!(noted(&document.record, point, "without disk I/O"));
        }
        // Elsewhere deleted files do not matter, and the two may be alike.
        if !noted(&document.record, fresh, "ext4 without a journal") {
            return;
        }
        times = value(&document, deletes) / value(&document, fresh);
        if times > 3.0 {
            return;
        }
    }
    panic!("{times}");
}

#[test]
fn signals_mappings_and_selects_are_measured() {
    // The whole is more than its part, and five hundred files are more than ten.
    in_one_of_three("os.signal*,vm.*,os.select{on=*,fds=*}", |document| {
        let select = |on, fds| had(document, &format!("os.select{{on={on},fds={fds}}}"));
        let grows = |on| Some(select(on, 500)? > 2.0 * select(on, 10)?);
        let part = had(document, "os.signal_prot")? > had(document, "vm.prot_fault")?;
        Some(part && grows("file")? && grows("tcp")?)
    });
}

#[test]
fn hand_overs_and_sleeps_are_measured() {
    let globs = "ipc.fcntl_lock{*},ipc.sysv_sem{*},ipc.fifo{*},os.sleep{*}";
    let document = once(globs);
    for method in ["usleep", "nanosleep", "select", "pselect", "itimer"] {
        let slept = value(&document, &format!("os.sleep{{method={method},us=100}}"));
        assert!(slept >= 99e3, "{method}: {slept}");
    }
}

#[test]
fn rows_beyond_the_suites_are_measured_when_named() {
    let env = TestEnv::new();
    let globs = "os.poll{*},os.epoll{*},ipc.eventfd{*},ipc.futex{*},thread.*{*},os.clock{*},os.io_uring*{*},vm.page_fault{*}";
    let run = env.run(&format!("run --only {globs} --rounds 1 --json -o r"));
    let document = run.document();
    assert_complete(&document.record);
    assert_eq!(
        failures(&document.record, FailureKind::Refused),
        [""; 0],
        "a guard refused"
    );
    let value = |point: &str| value(&document, point);
    let fault = |step| {
        value(&format!(
            "vm.page_fault{{of=file,order=random,step={step},written=8KiB}}"
        ))
    };
    // One in sixteen touches faults there, where here each does.
    assert!(fault("64KiB") > 2.0 * fault("page"));
    assert!(
        value("os.clock{clock=monotonic_coarse,way=vdso}")
            <= value("os.clock{clock=monotonic_coarse,way=syscall}")
    );
}
