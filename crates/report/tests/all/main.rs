//! The tests of this crate from outside, in one program: every program more takes seconds to compile and link.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

#[path = "../common/mod.rs"]
mod common;
#[path = "../damage/mod.rs"]
mod damage;
#[path = "../mutants/mod.rs"]
mod mutants;

mod absent;
mod agreement;
mod byte;
mod choice;
mod compare;
mod copies;
mod csv;
mod damaged_records;
mod explain;
mod findings;
mod fleet;
mod host;
mod html;
mod imported_mutants;
mod levels;
mod lmbench;
mod signs;
mod smp;
mod summary;
