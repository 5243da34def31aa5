//! What if, by simulation: set-associative caches and TLBs, placement of pages in frames, patterns and traces.
//!
//! Everything is exact (no sampling of sets) and seeded: the same input gives the same counts on every host.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod cache;
mod draw;
mod error;
mod hierarchy;
mod index;
pub mod like;
mod machine;
mod parallel;
mod placement;
mod space;
mod stream;
mod trace;

pub use cache::{CacheSpec, MOST_WAYS, Replacement, Tally, Writes};
pub use error::SimError;
pub use hierarchy::{Hierarchy, Inclusion, LevelSpec, MOST_LEVELS, WRITE};
pub use index::{IndexKind, folded};
pub use machine::{Attributed, MachineSpec, Outcome, TlbSpec};
pub use placement::{BLOCK, Policy};
pub use stream::{Pattern, Stream};
pub use trace::{TraceFormat, read as read_trace};
