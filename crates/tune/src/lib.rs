//! Settings found by measuring, and proven by measuring again.
//!
//! Nothing is applied: what gains is said, with the line that sets it.

pub mod command;
pub mod libc;
