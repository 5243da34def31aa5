//! The measured loops, in assembly and intrinsics.
//!
//! Every loop whose time is reported lives here, written in assembly where the architecture is
//! known, so that a compiler can neither fold it nor improve it from one version to the next.
//! A test (`src/machine_code`) decodes the loops as built and checks that they hold the instructions
//! that the documentation promises. No loop allocates, prints or calls the system, except for the calls
//! that [`syscalls`] exists to measure.
//!
//! The architectures are x86-64 and aarch64. On others the crate falls back to loops over volatile
//! accesses, which a compiler has to keep but may surround with instructions of its own.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod bandwidth;
pub mod chase;
pub mod classic;
pub mod clock;
pub mod color;
pub mod compiled;
pub mod flush;
pub mod handover;
pub mod loads;
pub mod mix;
mod opaque;
pub mod ops;
pub mod select;
pub mod stream;
pub mod syscalls;
pub mod tiny;

#[cfg(test)]
mod machine_code;
