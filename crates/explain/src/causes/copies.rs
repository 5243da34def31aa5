//! More or fewer copies at once.

use crate::cause::Cause;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "copies",
    title: "more or fewer copies at once",
    said: include_str!("copies.txt"),
    reaches: &[],
    what: "Several copies share caches, memory, locks and the clock of the package: throughput of all together grows by less than their number, and each alone is slower.",
    advice: &[
        "Divide by the number of copies before comparing, and see where the curve of throughput by copies bends.",
    ],
    judge: |_| None,
    switch: None,
    plants: &[],
};
