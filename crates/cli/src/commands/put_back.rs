//! What experiments leave behind is put back as they end, and where they are killed by a process that outlives them.

use std::io::{Read, Write, stdin};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use whyslow_conditions::{Undone, left_behind, state_folder, undo};

use crate::args::Guard;
use crate::output;
use crate::program::own_program;

/// Where the kernel's files are.
pub(crate) const ROOT: &str = "/";

/// What the parent writes when it has put everything back by itself.
const WELL: &[u8] = b".";

/// The processes of a killed parent are killed with it, and hold their journals until the kernel is done with them.
const LINGER: Duration = Duration::from_secs(3);
const STEP: Duration = Duration::from_millis(50);

/// Puts back what processes started meanwhile leave behind: a worker that is killed, because it hangs or
/// the user has had enough, cannot do it by itself.
pub(crate) struct PutBack {
    /// What had been left behind before, by other runs.
    others: Vec<PathBuf>,
    /// Does the same where this process is killed.
    guard: Option<Guarded>,
}

impl PutBack {
    /// From here on.
    pub(crate) fn begin() -> PutBack {
        let others = journals();
        PutBack {
            guard: Guarded::begin(&others),
            others,
        }
    }
}

impl Drop for PutBack {
    fn drop(&mut self) {
        for undone in put_back(&self.others) {
            if let Err(why) = undone.outcome {
                output::warn(&format!(
                    "not put back: {}: {why}; try again with `whyslow restore`",
                    undone.what
                ));
            }
        }
        if let Some(guard) = self.guard.take() {
            guard.end();
        }
    }
}

/// Puts back what is left behind, but for what was before.
fn put_back(others: &[PathBuf]) -> Vec<Undone> {
    let ours = journals();
    let ours = ours.iter().filter(|path| !others.contains(path));
    ours.flat_map(|path| undo(path, Path::new(ROOT))).collect()
}

/// Journals of changes that were left behind. Those of a place that is not believed are none.
pub(crate) fn journals() -> Vec<PathBuf> {
    let found = state_folder().and_then(|folder| left_behind(&folder));
    found.unwrap_or_default()
}

/// The guard of this process.
struct Guarded(Child);

impl Guarded {
    /// Starts it, in a process group of its own, which what ends this one's group does not reach. None where it cannot be
    /// started: `whyslow restore` is left then.
    fn begin(others: &[PathBuf]) -> Option<Guarded> {
        let mut guard = Command::new(own_program());
        guard.arg("__guard").args(others).process_group(0);
        guard
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        guard.spawn().ok().map(Guarded)
    }

    /// Ends it, as nothing is left behind.
    fn end(mut self) {
        if let Some(mut told) = self.0.stdin.take() {
            // One that is gone needs not be told.
            let _ = told.write_all(WELL);
        }
        let _ = self.0.wait();
    }
}

/// Waits for the end of the parent, and puts back what that leaves.
pub(crate) fn guard(args: &Guard) {
    let mut told = Vec::new();
    // The pipe ends with the parent, however that ends.
    let _ = stdin().read_to_end(&mut told);
    if told == WELL {
        return;
    }
    let end = Instant::now() + LINGER;
    while Instant::now() < end {
        put_back(&args.others);
        sleep(STEP);
    }
    whyslow_leftovers::sweep_all();
}
