//! Runs an unmodified program on colored pages.
//!
//! Two halves. The *library* (`library/`) interposes the program's allocation functions and moves
//! pages of chosen colors under large blocks before the program sees them. The *launcher* (the rest)
//! starts the program, finds colors when a process first requests them, and reads the counts at the
//! end.
//!
//! A page's color is found by testing it against sets of pages of known color. Those sets lie in a
//! shared file, so the launcher searches once, and all descendant processes need only a few
//! microseconds per page.
//!
//! The program never fails because of this: on any failure its pages stay ordinary, with a reason.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod counts;
mod folder;
mod kept;
mod launch;
#[allow(dead_code, reason = "the library itself uses the rest")]
mod library;
mod limits;
mod program;
mod request;
mod signals;
mod supply;

pub use counts::{Counts, Kind, Left, Pages, ProcessCounts};
pub use folder::Folder as LibraryFolder;
pub use kept::Folder as CacheFolder;
pub use launch::{Ended, Found, Ran, run};
pub use program::{Cannot, check};
pub use request::Request;
pub use signals::{Held, end_by};
