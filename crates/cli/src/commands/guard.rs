//! A process beside one that changes settings of the machine: when that is killed, it puts them back and removes its folders.

use std::io::{Read, Write, stdin};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::args::Guard;
use crate::commands::restore::put_back;
use crate::commands::run::own_program;

/// What the parent writes when it has put everything back by itself.
const WELL: &[u8] = b".";

/// The processes of a killed parent are killed with it, and hold their journals until the kernel is done with them.
const LINGER: Duration = Duration::from_secs(3);
const STEP: Duration = Duration::from_millis(50);

/// The guard of this process.
pub(crate) struct Guarded(Child);

impl Guarded {
    /// Starts it, in a process group of its own, which what ends this one's group does not reach. None where it cannot be
    /// started: `whyslow restore` is left then.
    pub(crate) fn begin(others: &[PathBuf]) -> Option<Guarded> {
        let mut guard = Command::new(own_program());
        guard.arg("__guard").args(others).process_group(0);
        guard
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        guard.spawn().ok().map(Guarded)
    }

    /// Ends it, as nothing is left behind.
    pub(crate) fn end(mut self) {
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
