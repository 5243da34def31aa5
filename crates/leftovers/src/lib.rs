//! Folders for files that a killed process cannot remove: made with a mark, found by it, and removed by
//! the next run.
//!
//! A folder is removed only when everything says that it is a leftover: its name follows the scheme, it
//! is a folder and no link, belongs to this user with the mode that its kind has, holds a mark that names
//! this very folder, the process of the mark is dead and no longer holds the mark's lock, and no process
//! uses a file in it. All else stays, whatever it is called.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod mark;
mod own;
mod process;
mod remove;
mod sweep;

pub use own::OwnFolder;
pub use process::in_use;
pub use sweep::{Swept, left_behind, places, sweep, sweep_all};

use std::hash::{BuildHasher, Hasher, RandomState};

/// What a folder is for, which decides its name and who may look into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Files of probes.
    Run,
    /// The library of `color run` and what its processes share.
    Color,
    /// The library of `tune run` likewise.
    Routines,
    /// Records of checks, which are not kept.
    Check,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 4] = [Kind::Run, Kind::Color, Kind::Routines, Kind::Check];

    /// As it stands in names of folders.
    fn name(self) -> &'static str {
        match self {
            Kind::Run => "run",
            Kind::Color => "color",
            Kind::Routines => "routines",
            Kind::Check => "check",
        }
    }

    /// The permissions of its folders.
    fn mode(self) -> u32 {
        match self {
            Kind::Run | Kind::Check => 0o700,
            // A program may change its user and start more, which load the library.
            Kind::Color | Kind::Routines => 0o755,
        }
    }
}

/// A number that no other process can foresee: the keys of the standard library's hash tables come from
/// the system's random numbers.
pub fn unpredictable() -> u64 {
    RandomState::new().build_hasher().finish()
}
