//! Another kind of memory (CXL, persistent).

use crate::cause::Cause;
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "memory-kind",
    title: "another kind of memory (CXL, persistent)",
    said: include_str!("memory_kind.txt"),
    reaches: Role::MEMORY,
    what: "Memory behind CXL or of a persistent kind answers later and is narrower; caches hide it as long as the data fits.",
    advice: &[
        "See which node the memory belongs to (numactl --hardware), and bind what waits for memory to ordinary memory.",
    ],
    judge: |_| None,
    switch: None,
    plants: &[],
};
