//! The registry of probes and what a worker needs to measure one.
//!
//! A probe is declared once, in its family's file under `families/`; lists, help, report texts and
//! the importers' name tables all come from the declaration. A probe only measures; it does not
//! schedule, compare or print.

// The worked example of CONTRIBUTING.md is written as a family file and compiled as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../CONTRIBUTING.md")]
mod contributing {}

// Lets a family file read the same inside the crate and as the example above.
extern crate self as whyslow_probes;

pub mod bench;
mod between_runs;
pub mod buffer;
pub mod chain;
pub mod child;
pub mod clock;
mod colored;
mod complete;
mod copies;
pub mod crowd;
pub mod families;
pub mod frames;
mod fresh;
pub mod guard;
pub mod handover;
pub mod marks;
pub mod peer;
mod pin;
mod placed;
mod probe;
mod program;
mod reach;
pub mod ring;
mod routines;
pub mod rpc;
pub mod scratch;
mod semaphores;
mod shared;
mod sizes;
mod smt_monitor;
mod stop;
pub mod sum;
pub mod team;
mod timed;
pub mod tools;
mod uring;
pub mod via;
pub mod wire;
pub mod worker;

pub use probe::{
    Bounds, CacheLevel, CpuChoice, HugePages, Intensity, MemoryNode, Names, Offer, PlacementClass,
    PlanContext, PointPlan, Probe, Rank, Stop,
};
pub use reach::ReachCheck;

/// The suites of `run --suite`, with descriptions.
pub const SUITES: &[(&str, &str)] = &[
    (
        "lmbench",
        "every row of lmbench 3's summary, and its programs outside of it",
    ),
    ("byte", "every row of BYTE and UnixBench"),
    ("ramspeed", "every row of RAMspeed"),
    ("smp", "the same work on one to all CPUs at once"),
    (
        "apps",
        "whole programs: compilers, video, packers, a database",
    ),
];

impl Probe {
    /// True if `plan`, one of this probe's points, is part of `suite`.
    pub fn in_suite(&self, plan: &PointPlan, suite: &str) -> bool {
        if suite == "all" {
            return !plan.extra || !plan.suites.is_empty();
        }
        let named = match suite {
            "lmbench" => self.names.lmbench,
            "byte" => self.names.byte,
            "ramspeed" => self.names.ramspeed,
            _ => &[],
        };
        match plan.suites {
            [] => !plan.extra && !named.is_empty(),
            suites => suites.contains(&suite),
        }
    }
}

/// Every probe, by family file, then in declaration order.
pub fn registry() -> impl Iterator<Item = &'static Probe> {
    families::FAMILIES.iter().flat_map(|family| family.iter())
}

/// The probe named `id`.
pub fn probe(id: &str) -> Option<&'static Probe> {
    registry().find(|probe| probe.id == id)
}

#[cfg(test)]
mod tests;
