//! `whyslow __worker`: one point, for the runner. No command that is offered to users.

use std::io::{stdin, stdout};

use anyhow::Result;
use rustix::process::{Signal, set_parent_process_death_signal};

/// The single argument.
pub(crate) const NAME: &str = "__worker";

/// Serves one job.
pub(crate) fn worker() -> Result<()> {
    // A runner that is killed takes its worker with it. Where that cannot be had the worker ends by
    // itself soon after.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    whyslow_probes::worker::serve(stdin().lock(), stdout().lock())?;
    Ok(())
}
