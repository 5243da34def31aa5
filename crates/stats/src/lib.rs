//! Pure, seeded statistics: no clock, no file, no environment.
//!
//! All times are handled as natural logarithms, because effects on times are multiplicative. The
//! unit of replication is the outermost level that was really repeated (the process), never the
//! sample inside it.
//!
//! | module | answers |
//! |---|---|
//! | [`summary`] | what is the value of a point, with its uncertainty |
//! | [`nested`] | at which level (sample, draw, process) does the variance enter |
//! | [`between`] | how much units differ, without measurement noise |
//! | [`modes`] | do the processes form separate modes; which values belong together |
//! | [`topology`] | where were the CPUs of a sample, by core-to-core latency |
//! | [`levels`] | a latency curve divided into levels: capacity and latency of each |
//! | [`paired`] | the ratio of two quantities measured in the same blocks |
//! | [`welch`], [`permutation`] | do two sides differ, by how much, and with what certainty |
//! | [`multiple`] | the same for many points at once |
//! | [`drift`] | how much of what may drift between two runs did |
//! | [`moderated`] | the same with few units: variances that borrow from those of other points |
//! | [`peers`] | which of many units that should be alike are slow, by families of points |
//! | [`sequential`] | the same while one side is still measured |
//! | [`changes`], [`allan`] | when did a series of values step; for how long does averaging help |
//! | [`clock`] | does a time follow the core's clock |
//! | [`crossing`] | from where on a difference is above zero |
//! | [`equivalence`], [`power`] | are two sides the same within a margin; how many more units are needed |
//! | [`quantile`], [`bootstrap`], [`student`], [`split`] | the tools of the others |
//!
//! The same input and seed give the same output, bit for bit, on one platform. Bad input (empty,
//! zero, negative, NaN, infinite) is an [`InputError`], never a panic.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod allan;
pub mod between;
pub mod bootstrap;
pub mod changes;
pub mod clock;
pub mod crossing;
pub mod drift;
pub mod equivalence;
mod input;
pub mod levels;
pub mod moderated;
pub mod modes;
pub mod multiple;
pub mod nested;
pub mod paired;
pub mod peers;
pub mod permutation;
pub mod power;
pub mod prices;
pub mod quantile;
pub mod record;
pub mod sequential;
pub mod split;
pub mod student;
pub mod summary;
pub mod topology;
pub mod welch;

pub use input::InputError;

/// A closed interval, in the unit of its value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
}
