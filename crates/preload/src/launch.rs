//! Starts the program, waits for it, and reports the outcome of its pages.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::sync::atomic::Ordering::{Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::thread;
use std::time::Duration;

use whyslow_leftovers::Kind;

use crate::counts::{self, Counts};
use crate::folder::Folder;
use crate::library::shared::{Shared, VARIABLE};
use crate::program::{self, Cannot};
use crate::request::Request;
use crate::signals::Held;
pub use crate::supply::Found;
use crate::supply::Supply;

/// The library as built.
const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.so"));

/// How the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// With this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

/// Outcome of a program and its pages.
#[derive(Debug, Clone)]
pub struct Ran {
    /// How it ended.
    pub ended: Ended,
    /// The colors found, or why none; `None` if no process had a large enough block.
    pub found: Option<Result<Found, String>>,
    /// Programs that loaded the library.
    pub programs: u64,
    /// Processes with colored memory.
    pub coloring: u64,
    /// Outcome of the pages of large blocks.
    pub counts: Counts,
    /// Pages of each color.
    pub by_color: Vec<u64>,
    /// Pages whose color was looked up, including those that matched none.
    pub tested: u64,
    /// Pages that matched no color.
    pub strays: u64,
    /// Time for color lookup, all processes together.
    pub testing: Duration,
    /// Time for moving pages.
    pub moving: Duration,
    /// Time in which processes waited for colors to be found.
    pub waiting: Duration,
    /// The last error when moving a page.
    pub error: Option<i32>,
    /// Location of the library and shared file, if kept because processes of the program are still
    /// running.
    pub kept: Option<PathBuf>,
}

/// Runs a program to completion.
///
/// # Errors
/// When no library can be preloaded, or the program cannot be started. Pages that cannot be colored
/// are not an error.
pub fn run(request: &Request) -> Result<Ran, Cannot> {
    program::check(&request.program)?;
    // First and until the end, so that a signal does not leave the folder behind.
    let held = Held::new().map_err(Cannot::Library)?;
    let folder = Folder::new(Kind::Color, LIBRARY).map_err(|why| match why.kind() {
        std::io::ErrorKind::Unsupported => Cannot::Machine,
        _ => Cannot::Library(why),
    })?;
    let supply = Supply::new(&folder.shared(), request).map_err(Cannot::Library)?;
    let mut command = Command::new(&request.program);
    command.args(&request.arguments);
    held.release_in(&mut command);
    folder.preload_in(&mut command);
    command.env(
        VARIABLE.to_string_lossy().as_ref(),
        folder.shared().into_os_string(),
    );
    let failed = |why| Cannot::Start {
        program: PathBuf::from(&request.program),
        why,
    };
    let mut child = command.spawn().map_err(failed)?;
    let stop = AtomicBool::new(false);
    let (status, found) = thread::scope(|scope| {
        let server = scope.spawn(|| supply.serve(request, &stop));
        let status = held.wait_for(&mut child);
        stop.store(true, Release);
        supply.wake();
        let found = server.join();
        (status, found)
    });
    let status = status.map_err(failed)?;
    let found = found.unwrap_or_else(|_| Some(Err("the search for colors ended early".to_owned())));
    let kept = match folder.in_use() {
        true => Some(folder.keep()),
        false => None,
    };
    Ok(ran(supply.shared(), status.into(), found, kept))
}

impl From<ExitStatus> for Ended {
    fn from(status: ExitStatus) -> Ended {
        match (status.code(), status.signal()) {
            (Some(code), _) => Ended::Code(code),
            (None, Some(signal)) => Ended::Signal(signal),
            // A reaped process always has one of them.
            (None, None) => Ended::Code(1),
        }
    }
}

fn ran(
    shared: &Shared,
    ended: Ended,
    found: Option<Result<Found, String>>,
    kept: Option<PathBuf>,
) -> Ran {
    let count = |n: &AtomicU64| n.load(Relaxed);
    let time = |n: &AtomicU64| Duration::from_nanos(n.load(Relaxed));
    let colors = match &found {
        Some(Ok(found)) => found.colors,
        _ => 0,
    };
    let tallies = &shared.tallies;
    let error = shared.errno.load(Relaxed);
    Ran {
        ended,
        found,
        programs: count(&shared.programs),
        coloring: count(&shared.coloring),
        counts: counts::read(tallies),
        by_color: tallies.by_color.iter().take(colors).map(count).collect(),
        tested: count(&shared.tested),
        strays: count(&shared.strays),
        testing: time(&shared.testing_ns),
        moving: time(&shared.moving_ns),
        waiting: time(&shared.waiting_ns),
        error: (error != 0).then_some(error as i32),
        kept,
    }
}
