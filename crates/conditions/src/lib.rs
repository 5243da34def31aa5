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
mod device;
mod error;
mod group;
mod journal;
mod kernel_file;
mod kernel_setting;
mod knob;
pub mod knobs;
mod read_ahead;
mod sense;
mod setting;
mod setup;
mod state;
mod text;
mod tracer;
mod under;
mod value;

pub use beside::{beside, spin_share};
pub use condition::Condition;
pub use device::Device;
pub use error::ConditionError;
pub use journal::{Undone, left_behind, restore, undo};
pub use kernel_file::KernelFile;
pub use kernel_setting::KernelSetting;
pub use knob::Knob;
pub use sense::sense;
pub use setting::Setting;
pub use setup::Under;
pub use state::state_folder;
pub use under::under;
