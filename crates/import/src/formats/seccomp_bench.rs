//! The kernel's seccomp_benchmark.

use whyslow_model::Better::Lower;
use whyslow_model::role::{Role, Roles};

use crate::pattern::{at_colon, holds, number_first};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "seccomp-bench",
    what: "seccomp_benchmark of the kernel's self-tests (getpid RET_ALLOW 1 filter: 681 ns)",
    repeats: "runs of the benchmark",
    silent: "machine, kernel, or the mitigations that were on",
    roles: &[("seccomp.", "", Roles::All(Role::SystemCall))],
    looks,
    part: Some(|line| row(line).is_some()),
    known: &[
        "sysctl",
        "net.core.",
        "Calibrating",
        "Benchmarking",
        "syscalls",
        " = ",
        "Expectations",
        "Saw unexpected",
        "≤",
        "≈",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| row(line).is_some()) * 3
}

/// `getpid native: 641 ns` and what is estimated from it.
fn row(line: &str) -> Option<(&str, f64)> {
    let (label, rest) = at_colon(line)?;
    let own =
        label.starts_with("getpid ") || (label.starts_with("Estimated") && holds(label, "seccomp"));
    let (value, unit) = number_first(rest)?;
    (own && unit == "ns").then_some((label, value))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    for (number, line) in text.lines() {
        if let Some((label, value)) = row(line) {
            sheet.add("", Row::new("seccomp", label, "ns", Lower), value, number)?;
        }
    }
    Ok(())
}
