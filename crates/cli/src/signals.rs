//! What asks a command to end early: Ctrl-C, a shutdown, a closed terminal.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// A flag that is set when this process is asked to end. From here on it ends by itself: what it changed
/// is put back, and what it measured is kept.
pub(crate) fn stop() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // `nohup` has hang-ups ignored, so that a command goes on without its terminal.
        if signal == SIGHUP && is_ignored(SIGHUP) {
            continue;
        }
        signal_hook::flag::register(signal, stop.clone())
            .context("the signal handler could not be set")?;
    }
    Ok(stop)
}

/// Does this process ignore `signal`? Where the kernel does not say, it does not.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
