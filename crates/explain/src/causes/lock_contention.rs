//! Contention for a lock.

use crate::cause::Cause;
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "lock-contention",
    title: "contention for a lock",
    said: &[
        "lock",
        "spinlock",
        "qspinlock",
        "mutex",
        "rwsem",
        "rwlock",
        "mmap_sem",
        "mmap_lock",
        "seqlock",
        "contention",
        "scalab",
        "rcu",
        "speculative page fault",
        "atomic",
    ],
    reaches: Role::CALLS,
    what: "Several CPUs that take one lock wait for each other: work on one CPU stays as it is, and each further CPU adds less, or takes away.",
    advice: &[
        "Compare one copy with several (`--copies`), and look at `perf lock contention` or lock_stat.",
    ],
    judge: |_| None,
    switch: None,
    plants: &[],
};
