//! Arguments of the hidden commands that play a part in experiments.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct Under {
    /// Conditions such as seccomp=200
    pub(crate) conditions: Vec<String>,
    /// The program and its arguments
    #[arg(last = true, required = true)]
    pub(crate) program: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct Beside {
    /// The part, and the CPU to play it on
    pub(crate) args: Vec<String>,
}

/// What was left behind by others before.
#[derive(Debug, Args)]
pub(crate) struct Guard {
    pub(crate) others: Vec<PathBuf>,
}
