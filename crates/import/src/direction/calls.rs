//! Rows of lmbench, and system calls by their names alone.

use whyslow_model::Better::{self, Higher, Lower};

/// How lmbench's rows begin that are times, also where their unit was left out.
const LMBENCH: &[&str] = &[
    "simple ",
    "select on ",
    "signal handler ",
    "protection fault",
    "process fork",
    "pipe latency",
    "af_unix sock stream latency",
];

/// The direction of a row of lmbench, told by its label alone.
pub(crate) fn of_lmbench(label: &str) -> Option<Better> {
    let label = label.to_lowercase();
    let begins = LMBENCH.iter().any(|begin| label.starts_with(begin));
    match begins || label.starts_with("lat_") {
        true => Some(Lower),
        false => label.starts_with("bw_").then_some(Higher),
    }
}

/// Are these the names of system calls alone? Then their figures are times; `read` by itself may be a bandwidth.
pub(crate) fn are_calls<'a>(mut labels: impl Iterator<Item = &'a str> + Clone) -> bool {
    const SURE: &[&str] = &[
        "null",
        "null call",
        "null syscall",
        "syscall",
        "getppid",
        "getpid",
        "stat",
        "fstat",
        "open",
        "open/close",
    ];
    const OTHERS: &[&str] = &[
        "read",
        "write",
        "close",
        "fork",
        "exec",
        "execve",
        "sh",
        "pipe",
        "mmap",
        "select",
        "sig inst",
        "sig hndl",
        "null i/o",
        "slct tcp",
        "open clos",
    ];
    let is = |list: &[&str], label: &str| list.iter().any(|name| name.eq_ignore_ascii_case(label));
    labels.clone().any(|label| is(SURE, label))
        && labels.all(|label| is(SURE, label) || is(OTHERS, label))
}
