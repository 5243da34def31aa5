//! Limits that this process was started under, and how it lives with them.

use std::os::fd::OwnedFd;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use signal_hook::consts::SIGXFSZ;

/// A stack below this is too small for reading arguments and records, bytes; the usual one is eight times as large.
const SMALL_STACK: u64 = 1 << 20;

/// Files that a run has open at once, workers and their pipes included, with room to spare.
const FILES: u64 = 256;

/// The stack that is used in its place, bytes.
const STACK: usize = 8 << 20;

/// Runs `work` so that no limit ends it without a word: a file that may not grow is an error as a full disk is, and a
/// stack too small is replaced. Programs that are started get signals and limits as they were.
pub(crate) fn within(work: fn() -> ExitCode) -> ExitCode {
    // Handled in place of ending the process: the write then fails. Handlers, unlike ignored signals, are not inherited.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    let stack = getrlimit(Resource::Stack).current;
    if stack.is_none_or(|bytes| bytes >= SMALL_STACK) {
        return work();
    }
    let large = thread::Builder::new().stack_size(STACK).spawn(work);
    match large.map(thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        // No memory for it, or a panic, which has said why.
        Ok(Err(_)) => ExitCode::FAILURE,
        Err(_) => work(),
    }
}

/// Makes room where all file descriptors are taken: no worker could be started. Only then, since programs that are
/// started, workers among them, inherit the limit.
pub(crate) fn make_room_for_files() {
    let room = (0..FILES).map(|_| rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 0));
    let room: Result<Vec<OwnedFd>, Errno> = room.collect();
    if room.is_err_and(|error| error == Errno::MFILE) {
        let files = getrlimit(Resource::Nofile);
        let to = |most: Option<u64>| Rlimit {
            current: most,
            maximum: most,
        };
        let more = files.current.map(|taken| taken + FILES);
        // Root may go beyond the hard limit, others up to it.
        if setrlimit(Resource::Nofile, to(more.max(files.maximum))).is_err() {
            let _ = setrlimit(Resource::Nofile, to(files.maximum));
        }
    }
}
