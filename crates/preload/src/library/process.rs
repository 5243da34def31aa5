//! What a process keeps for coloring, and a block that it colors.

use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

use super::reason::{REASONS, Why};
use super::shared::Shared;
use super::stock::Stock;
use super::sys::Quiet;
use super::tally::{Counts, Owner};

/// The program has set a system-call filter: the library makes no system calls from then on.
pub(super) static SEALED: AtomicBool = AtomicBool::new(false);

/// State of this process only: the kernel zeroes it in a fork.
#[repr(C)]
pub(super) struct OwnProcess {
    /// 1 while a thread colors, 2 if others wait.
    pub(super) lock: AtomicU32,
    /// 1 once it has requested colors; 2 when it must not try again.
    pub(super) stage: AtomicU32,
    /// Reason, while `stage` is 2.
    pub(super) why: AtomicU32,
    /// Time spent waiting for colors.
    pub(super) waited_ns: AtomicU64,
    pub(super) began_ns: AtomicU64,
    pub(super) spent_ns: AtomicU64,
    /// Its row in the tallies plus one; 0 before it has one.
    pub(super) line: AtomicU64,
    pub(super) stock: core::cell::UnsafeCell<Stock>,
}

/// A stage of a process: it has requested colors.
pub(super) const ASKED: u32 = 1;
/// It must not try again.
const OFF: u32 = 2;

/// A block to color.
pub(super) struct Block<'a> {
    pub(super) shared: &'a Shared,
    pub(super) process: &'a OwnProcess,
    /// The first of its whole pages, and their number.
    pub(super) first: usize,
    pub(super) pages: usize,
    pub(super) owner: Owner,
    /// Its row in the tallies.
    pub(super) kind: usize,
}

impl Block<'_> {
    /// Adds an outcome to all tables, or to none: no signal handler leaps out in between.
    pub(super) fn count(&self, counts: &Counts) {
        let _quiet = (!SEALED.load(Relaxed)).then(Quiet::now);
        self.shared.tallies.add(&self.owner, self.kind, counts);
    }
}

/// Why this process no longer colors.
pub(super) fn off(process: &OwnProcess) -> Option<Why> {
    const ALL: [Why; REASONS] = [
        Why::NoColors,
        Why::Large,
        Why::Busy,
        Why::Time,
        Why::Memory,
        Why::Moving,
        Why::Colors,
        Why::Filter,
        Why::Late,
    ];
    let why = process.why.load(Relaxed) as usize;
    (process.stage.load(Relaxed) == OFF).then(|| ALL.get(why).copied().unwrap_or(Why::NoColors))
}

pub(super) fn turn_off(process: &OwnProcess, why: Why) -> Option<Why> {
    process.why.store(why as u32, Relaxed);
    process.stage.store(OFF, Relaxed);
    Some(why)
}
