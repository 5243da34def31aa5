//! The registry of probes and what a worker needs to measure one.
//!
//! A probe is declared once, in its family's file under `families/`; lists, help, texts of the
//! report and the importers' name tables all come from the declaration. A probe measures when it is
//! told to; it does not schedule, compare or print.

// The worked example of CONTRIBUTING.md is written as a family file and compiled as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../CONTRIBUTING.md")]
mod contributing {}

// So that a family file reads the same inside the crate and as the example above.
extern crate self as whyslow_probes;

pub mod bench;
pub mod buffer;
pub mod chain;
pub mod clock;
pub mod frames;
pub mod guard;
pub mod handover;
pub mod marks;
mod pin;
mod probe;
pub mod ring;
mod sizes;
pub mod team;
pub mod worker;

/// The probe families, one file each.
pub mod families {
    include!(concat!(env!("OUT_DIR"), "/families.rs"));
}

pub use probe::{
    Bounds, CpuChoice, HugePages, Intensity, Names, Offer, PlacementClass, PlanContext, PointPlan,
    Probe, Stop,
};

/// Every probe, ordered by family file and then as declared there.
pub fn registry() -> impl Iterator<Item = &'static Probe> {
    families::FAMILIES.iter().flat_map(|family| family.iter())
}

/// The probe named `id`.
pub fn probe(id: &str) -> Option<&'static Probe> {
    registry().find(|probe| probe.id == id)
}

#[cfg(test)]
mod tests;
