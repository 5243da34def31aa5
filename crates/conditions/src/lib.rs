//! Conditions that are applied to a process and end with it: a CPU set, a system-call filter, a
//! tracer, a quota, competing load.
//!
//! A condition is a [`Knob`] at a value, written `seccomp=200`. [`under`] puts the calling process under
//! some of them, in their order, and then runs a program: what can be is inherited, what cannot (a tracer,
//! a neighbor, a control group) lives beside the program and ends with it. Whatever outlives a process
//! that is killed, which is control groups and settings of the whole machine, is written to a journal
//! before it is made, so that [`restore`] can undo it.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod beside;
mod cgroup;
mod condition;
mod journal;
pub mod knobs;
mod sense;
mod setting;
mod state;
mod under;

pub use beside::{beside, spin_share};
pub use condition::{Condition, Knob};
pub use journal::{Undone, left_behind, restore, undo};
pub use sense::sense;
pub use setting::{KernelFile, Setting};
pub use state::state_folder;
pub use under::{Under, under};
