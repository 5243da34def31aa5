//! Runs an unmodified program on colored pages.
//!
//! Two halves. The *library* (`library/`) stands in front of the program's allocation and moves pages
//! of chosen colors under large blocks before the program sees them. The *launcher* (the rest) starts
//! the program, finds colors when a process first asks for them, and reads the counts at the end.
//!
//! A color is found by holding pages against sets of pages that are known to have it. Those sets lie
//! in a shared file, so the launcher searches once, and every process that it started, and theirs,
//! need no more than a few microseconds a page.
//!
//! Nothing here fails the program: whatever cannot be had leaves its pages ordinary, with a reason.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod counts;
mod folder;
mod kept;
mod launch;
#[allow(dead_code, reason = "the library itself uses the rest")]
mod library;
mod limits;
mod program;
mod signals;
mod supply;

pub use counts::{Counts, Kind, Left, Pages, Process};
pub use launch::{Ended, Found, Ran, Request, run};
pub use program::Cannot;
pub use signals::end_by;
