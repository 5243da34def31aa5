//! The doctor's findings on the recorded trees, and on a host with one problem at a time.

// A test that cannot go on should stop where it is.

use std::path::Path;

use crate::common::Recorded;
use whyslow_host::doctor::{Seen, diagnose, throttles};
use whyslow_model::doctor::{Finding, Trouble};
use whyslow_model::host::{Known, Limit};
use whyslow_model::state::{HostCpuTime, Neighbour, Neighbours};

/// A tree as an idle host: other load is in no tree.
fn seen(tree: &str) -> Seen {
    let recorded = Recorded::new(&[tree]);
    let root = recorded.root();
    Seen {
        host: root.facts(),
        state: root.state(Path::new("/"), Path::new("/tmp")),
        neighbours: Neighbours {
            wall_s: 2.0,
            host: Known::Is(HostCpuTime {
                total_s: 4.0,
                busy: 0.01,
                steal: 0.0,
                idle: 0.99,
            }),
            ours_cpu_s: Known::Is(0.03),
            others_cpu_s: Known::Is(0.01),
            top: Known::Is(vec![]),
        },
        throttled: throttles(&root).map(|sum| [sum, 0]),
        folders: Vec::new(),
        changes: Vec::new(),
    }
}

/// All findings, a line each.
fn said(seen: &Seen) -> String {
    let line = |about: &str, found: &Finding| match found {
        Finding::Good { what } => format!("ok       {about}: {what}"),
        Finding::Unknown { why } => format!("unknown  {about}: {why}"),
        Finding::Spoils(t) => format!("SPOILS   {about}: {} -> {}", t.what, t.mend),
        Finding::Limits(t) => format!("LIMITS   {about}: {} -> {}", t.what, t.mend),
    };
    let lines = diagnose(seen)
        .checks
        .into_iter()
        .map(|c| line(&c.about, &c.found));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_guest() {
    insta::assert_snapshot!(said(&seen("guest")));
}

#[test]
fn a_server() {
    insta::assert_snapshot!(said(&seen("intel")));
}

#[test]
fn a_container() {
    insta::assert_snapshot!(said(&seen("container")));
}

#[test]
fn an_arm_machine() {
    insta::assert_snapshot!(said(&seen("arm")));
}

/// The trouble that is found about something, after `change`.
fn trouble(about: &str, change: impl FnOnce(&mut Seen)) -> Option<Trouble> {
    let mut seen = seen("guest");
    change(&mut seen);
    let found = diagnose(&seen);
    let mut troubles = found.troubles().filter(|(check, _)| check.about == about);
    troubles.next().map(|(_, trouble)| trouble.clone())
}

#[test]
fn each_thing_that_is_wrong_is_found_and_named() {
    let busy = trouble("other processes", |seen| {
        seen.neighbours.others_cpu_s = Known::Is(1.0);
        seen.neighbours.top = Known::Is(vec![Neighbour {
            comm: "cc1".into(),
            pid: 77,
            cpu_s: 0.9,
        }]);
    });
    let busy = busy.unwrap();
    assert!(busy.mend.starts_with("kill -STOP 77 "), "{busy:?}");
    assert!(
        busy.what.contains("0.50 CPUs") && busy.what.contains("cc1 (77)"),
        "{busy:?}"
    );

    let taken = trouble("steal", |seen| {
        if let Known::Is(host) = &mut seen.neighbours.host {
            host.steal = 0.12;
        }
    });
    assert!(taken.unwrap().what.contains("12 %"));

    let quota = trouble("CPU quota", |seen| {
        seen.state.cgroup.cpu_quota = Known::Is(Limit::At(1.5));
    });
    assert!(quota.unwrap().what.contains("1.5 CPUs"));

    let hot = trouble("heat", |seen| seen.throttled = Known::Is([9, 3]));
    assert!(hot.unwrap().what.contains("3 times"));

    let source = trouble("time source", |seen| {
        seen.state.clocksource.current = Known::Is("acpi_pm".into());
        seen.state.clocksource.available = Known::Is(vec!["tsc".into(), "acpi_pm".into()]);
    });
    assert!(source.unwrap().mend.starts_with("echo tsc | sudo tee"));

    let thp = trouble("huge pages (THP)", |seen| {
        seen.state.memory.thp.enabled = Known::Is("never".into());
    });
    assert!(thp.unwrap().mend.starts_with("echo madvise"));

    let traced = trouble("tracer", |seen| {
        seen.state.security.tracer_pid = Known::Is(12)
    });
    assert!(!traced.unwrap().command);

    let left = trouble("leftovers", |seen| {
        seen.folders = vec!["/tmp/whyslow-run-7-0123456789abcdef".into()];
    });
    let left = left.unwrap();
    assert!(left.what.contains("/tmp/whyslow-run-7-0123456789abcdef"));
    assert_eq!(
        (left.mend.as_str(), left.command),
        ("whyslow restore", true)
    );

    let changed = trouble("changes of this host", |seen| {
        seen.changes = vec!["7-0.changes".into()];
    });
    let changed = changed.unwrap();
    assert!(changed.what.contains("7-0.changes"), "{changed:?}");
    assert_eq!(changed.mend, "whyslow restore");

    let nice = trouble("scheduling", |seen| {
        seen.state.scheduler.nice = Known::Is(5)
    });
    assert!(nice.unwrap().what.contains("nice 5"));
}

#[test]
fn a_library_that_copies_slowly_is_told_what_mends_it() {
    let about = "memory routines of the C library";
    let zen = |family: u32, movsb: u64| {
        move |seen: &mut Seen| {
            if let Known::Is(kinds) = &mut seen.host.cpu.kinds {
                kinds
                    .iter_mut()
                    .for_each(|kind| kind.family = Known::Is(family));
            }
            let libc = &mut seen.state.libc;
            libc.version =
                Known::Is("ld.so (Debian GLIBC 2.36-9) stable release version 2.36".into());
            let says = [
                ("usable.ERMS", 1),
                ("usable.FSRM", 1),
                ("rep_movsb_threshold", movsb),
                ("rep_movsb_stop_threshold", 1 << 20),
            ];
            let says = says.map(|(name, value)| (name.to_owned(), value));
            libc.routines = Some(Known::Is(says.into()));
        }
    };
    let slow = trouble(about, zen(25, 2112)).unwrap();
    assert!(
        slow.what.contains("copies of 2112 bytes to 1.0 MiB"),
        "{slow:?}"
    );
    let line = "GLIBC_TUNABLES=glibc.cpu.x86_rep_movsb_threshold=1073741824 (joined by";
    assert!(slow.mend.contains(line), "{slow:?}");
    assert!(!slow.command, "it has to be put somewhere");
    assert_eq!(trouble(about, zen(25, 1 << 30)), None, "mended");
    assert_eq!(trouble(about, zen(26, 2112)), None, "not known");
}

#[test]
fn randomized_addresses_are_no_trouble() {
    let text = said(&seen("guest"));
    assert!(
        !text.to_lowercase().contains("aslr") && !text.contains("random"),
        "{text}"
    );
}

#[test]
fn throttles_are_added_up() {
    let recorded = Recorded::new(&["guest"]);
    for (cpu, count) in [(0, 3), (1, 4)] {
        let path = format!("sys/devices/system/cpu/cpu{cpu}/thermal_throttle/core_throttle_count");
        recorded.put(&path, format!("{count}\n").as_bytes());
    }
    assert_eq!(throttles(&recorded.root()), Known::Is(7));
}
