//! Settings found by measuring, and proven by measuring again.
//!
//! Nothing is applied: what gains is said, with the line that sets it.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod command;
pub mod libc;
pub mod place;
pub mod setting;
pub mod settings;
pub mod shows;
pub mod took;
pub mod trial;

pub use setting::Setting;
