//! Reads the machine: what it is ([`HostRoot::facts`]), how it is set ([`HostRoot::state`]), other
//! users ([`CpuUse`]), and the counters that mark a timed batch ([`BatchCounters`]).
//!
//! Everything in files is read below a root folder, so that a recorded tree is
//! read like a live host; what is not in files comes in through [`Live`]. A fact
//! that cannot be read is a value with a reason, never an error, a zero or an
//! empty text.
//!
//! ```no_run
//! use std::path::Path;
//! use whyslow_host::{CpuUse, HostRoot};
//!
//! let root = HostRoot::live();
//! let host = root.facts();
//! let before = root.state(Path::new("."), Path::new("/tmp"));
//! let start = CpuUse::take(&root);
//! // ... the run ...
//! let neighbours = CpuUse::take(&root).since(&start);
//! let after = HostRoot::live().state(Path::new("."), Path::new("/tmp"));
//! let changes = whyslow_model::state::diff(&before, &after);
//! # let _ = (host, neighbours, changes);
//! ```

// A test that cannot go on should stop where it is.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod counters;
pub mod doctor;
mod facts;
mod file;
mod live;
mod parse;
mod root;
mod state;
mod usage;

pub mod elf;
pub mod placement;

pub use counters::{BatchCounters, Counters, Delta};
pub use live::{Cpuid, Live, Sysinfo, Tools, Uname, system_program};
pub use root::HostRoot;
pub use usage::CpuUse;
