use super::*;

fn change(what: &str, before: &str, after: &str) -> Change {
    Change {
        what: what.to_owned(),
        before: before.to_owned(),
        after: after.to_owned(),
    }
}

/// The causes that a change speaks for, the plainest first.
fn plainest(change: &Change) -> Vec<&'static str> {
    let mut found = said(change, false);
    found.sort_by(|(_, x), (_, y)| y.strength.total_cmp(&x.strength));
    found.into_iter().map(|(cause, _)| cause.id).collect()
}

#[test]
fn what_is_said_names_its_cause() {
    for (what, after, cause) in [
        (
            "compiler.flags",
            "\"--security-opt seccomp=unconfined\"",
            "seccomp",
        ),
        (
            "patch",
            "\"sched: place wake-ups on the last CPU\"",
            "scheduling",
        ),
        ("patch", "\"mm: a spinlock less\"", "lock-contention"),
        ("machine.hypervisor", "\"Xen 4.1\"", "hypervisor"),
        ("memory.thp", "\"always\"", "tlb-reach"),
        ("patch", "\"page coloring\"", "page-placement"),
    ] {
        let found = plainest(&change(what, SILENT, after));
        assert_eq!(found.first(), Some(&cause), "{what} {after}: {found:?}");
    }
    let kernels = change("kernel.release", "\"4.10.0\"", "\"4.10.0-kaiser\"");
    assert_eq!(plainest(&kernels).first(), Some(&"syscall-entry"));
}

/// What two sides are called, as engineers call them, with what is meant.
const PAIRS: &str = include_str!("pairs.txt");

#[test]
fn names_of_two_sides_name_the_cause() {
    let mut missed = Vec::new();
    for line in PAIRS.lines() {
        let (cause, sides) = line.split_once(": ").unwrap();
        let (a, b) = sides.split_once(" / ").unwrap();
        let found = plainest(&change(NAME, a, b));
        if found.first() != Some(&cause) {
            missed.push(format!("{line}: {found:?}"));
        }
    }
    assert!(missed.is_empty(), "{}\n{}", missed.len(), missed.join("\n"));
}
