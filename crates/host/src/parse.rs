//! The text forms of `/proc`: pure, and safe on any input.

mod cpuinfo;
mod keyed;
mod stat;

pub(crate) use cpuinfo::{Processor, processors};
pub(crate) use keyed::{Keyed, bracketed, size_bytes};
pub(crate) use stat::{CpuTicks, ProcessTicks, host_ticks, process_ticks, steal_of};
