//! Other hardware.

use crate::cause::Cause;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "hardware",
    title: "other hardware",
    said: include_str!("hardware.txt"),
    reaches: &[],
    what: "Another processor or board differs in everything at once: the clock, the caches, the memory, the entry into the kernel. Rows of one kind then move together, and kinds apart.",
    advice: &[
        "Hold each kind of row against the ratio of the clocks: what follows it is the core, what does not is caches, memory or the kernel.",
    ],
    judge: |_| None,
    switch: None,
    plants: &[],
};
