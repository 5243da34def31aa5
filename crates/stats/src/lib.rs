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
//! | [`modes`] | do the processes fall into separate modes; which values belong together |
//! | [`topology`] | where were the CPUs of a sample, by core-to-core time |
//! | [`levels`] | a latency curve cut into levels: capacity and latency of each |
//! | [`quantile`], [`bootstrap`], [`student`] | the tools of the others |
//!
//! The same input and seed give the same output, bit for bit, on one platform. Bad input (empty,
//! zero, negative, NaN, infinite) is an [`InputError`], never a panic.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod bootstrap;
mod input;
pub mod levels;
pub mod modes;
pub mod nested;
pub mod quantile;
pub mod record;
pub mod student;
pub mod summary;
pub mod topology;

pub use input::InputError;

/// A closed interval, in the unit of the value that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
}
