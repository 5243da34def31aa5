//! Why there is no worker, no folder for its files, and no look around.

use std::io;
use std::path::PathBuf;

/// Why there is nothing of a worker, not even its end.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// What it is to be told cannot be said.
    #[error("a job cannot be written: {0}")]
    Job(serde_json::Error),
    /// Its program does not start.
    #[error("{}: cannot be started as a worker: {error}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// Its end cannot be waited for.
    #[error("waiting for a worker: {0}")]
    Wait(io::Error),
}

/// Why there is no folder for files.
#[derive(Debug, thiserror::Error)]
pub enum ScratchError {
    /// A place does not take it.
    #[error("{}: {error}", place.display())]
    Make {
        /// The place.
        place: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// There is no place to try.
    #[error("there is none")]
    NoPlace,
}

/// Why a process could not be put under conditions and look around.
#[derive(Debug, thiserror::Error)]
pub enum LookError {
    /// It does not start.
    #[error("{}: {error}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// A condition refused, in its words.
    #[error("{0}")]
    Refused(String),
}
