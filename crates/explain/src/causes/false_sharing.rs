//! False sharing of a cache line.

use crate::cause::Cause;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "false-sharing",
    title: "false sharing of a cache line",
    said: include_str!("false_sharing.txt"),
    reaches: &[],
    what: "Data that several CPUs write lies in one cache line with data that others read: the line moves between the CPUs for each access, and the more CPUs, the slower.",
    advice: &["Find the line with `perf c2c`, and put what is written often in a line of its own."],
    judge: |_| None,
    switch: None,
    plants: &[],
};
