//! Pure, seeded statistics: no clock, no file, no environment.
//!
//! Everything that is a time is handled as its natural logarithm, because what machines do to a
//! time is to multiply it. The unit of replication is the outermost level that was really
//! repeated (the process), never the sample inside it.
//!
//! | module | answers |
//! |---|---|
//! | [`summary`] | what is the value of a point, and how sure is that |
//! | [`nested`] | at which level (sample, draw, process) does the variance enter |
//! | [`between`] | how far units lie apart, without the noise of measuring them |
//! | [`modes`] | do the processes fall into separate modes; which values belong together |
//! | [`topology`] | where were the CPUs of a sample, by core-to-core time |
//! | [`levels`] | a latency curve cut into levels: capacity and latency of each |
//! | [`paired`] | the ratio of two things measured next to each other |
//! | [`welch`], [`permutation`] | do two sides differ, by how much, and how sure is that |
//! | [`multiple`] | the same for many points at once |
//! | [`clock`] | does a time follow the core's clock |
//! | [`equivalence`], [`power`] | are two sides the same within a margin; how many more units would tell |
//! | [`shift`], [`changes`] | how far a quantile moved; where a series changes |
//! | [`quantile`], [`bootstrap`], [`student`], [`split`] | the tools of the others |
//!
//! The same input and seed give the same output, bit for bit, on one platform. Bad input (empty,
//! zero, negative, NaN, infinite) is an [`InputError`], never a panic.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod between;
pub mod bootstrap;
pub mod clock;
pub mod equivalence;
mod input;
pub mod levels;
pub mod modes;
pub mod multiple;
pub mod nested;
pub mod paired;
pub mod permutation;
pub mod power;
pub mod quantile;
pub mod record;
pub mod split;
pub mod student;
pub mod summary;
pub mod topology;
pub mod welch;

pub use input::InputError;

/// A closed interval, in the unit of the value that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
}
