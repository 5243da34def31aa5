//! Memory routines put in front of the C library's, where no setting of that library helps.
//!
//! The *shapes* (`shapes/`) are whole functions in assembly, each right at every size. Which of them is best and from
//! which sizes on it uses string instructions or non-temporal stores is found by measuring. The *library*
//! (`library.rs`, built by the build script) has all of them; before a run its file gets the choice: the symbols
//! memcpy, memmove, memset and memcmp get the addresses of the chosen shapes, and the limits are written into its data.
//! So nothing has to run before the first call: no constructor, no lookup, no lock.
//!
//! A second library (`counter.rs`) only counts what a program copies and fills, and passes the calls on.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod catalog;
pub mod choice;
pub mod choose;
pub mod classes;
pub mod counted;
mod launch;
#[allow(unsafe_code)]
pub mod limits;
#[cfg(test)]
mod maps;
pub mod measure;
mod patch;
#[allow(unsafe_code)]
mod shapes;

pub use launch::{Ran, Refused, check_program, library, run};
pub use patch::{Lacks, Library};
