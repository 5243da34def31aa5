//! What several crates need of the kernel is asked for in one place.

use crate::sources::{lines, none, rust};

/// Calls and fields that `linux` alone uses.
const INTERFACES: [&str; 6] = [
    "sched_setaffinity(",
    "sched_getaffinity(",
    "AnonHugePages",
    "\"/proc/self/mounts\"",
    "read_to_string(\"/proc/self/mountinfo\"",
    "read_to_string(\"/proc/self/cgroup\"",
];

fn asks(line: &str) -> bool {
    INTERFACES.iter().any(|interface| line.contains(interface))
}

#[test]
fn shared_interfaces_of_the_kernel_are_in_linux() {
    let elsewhere = lines(&rust(), |s, line| s.room() != "linux" && asks(line));
    none(
        "crates/linux has affinity, mounts, control groups and smaps; use it, or add there what it lacks",
        elsewhere,
    );
}

#[test]
fn a_second_reader_is_found() {
    assert!(asks("let set = sched_getaffinity(None)?;"));
    assert!(asks("fs::read_to_string(\"/proc/self/cgroup\")"));
    assert!(!asks("root.text(\"/proc/self/cgroup\")"));
    assert!(!asks("affinity::allowed()?"));
}
