//! Fills a newly allocated block that nothing uses yet.
#![allow(unsafe_code)]

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize};

use super::fill::fill;
use super::process::{ASKED, Block, OwnProcess, SEALED, off, turn_off};
use super::reason::Why;
use super::shared::{IDLE, LAYOUT, READY, Shared, WANTED};
use super::sys;
use super::tally::{Call, Counts, NO_LINE, Name, Owner};

/// Longest wait of a process for the launcher's colors, which are found in 50 to 110 ms on an
/// undisturbed core. With noise they may take ten times as long; blocks then stay ordinary until
/// colors are available.
const COLORS_NS: u64 = 250_000_000;

/// Smallest block to color: none before the library is ready.
static LEAST: AtomicUsize = AtomicUsize::new(usize::MAX);
static SHARED: AtomicPtr<Shared> = AtomicPtr::new(core::ptr::null_mut());
static PROCESS: AtomicPtr<OwnProcess> = AtomicPtr::new(core::ptr::null_mut());
/// The program's name, once it has been read. A fork keeps it.
static NAME: [AtomicU64; size_of::<Name>() / 8] = [const { AtomicU64::new(0) }; _];

/// Smallest block to pass to [`place`], bytes.
pub(crate) fn least() -> usize {
    LEAST.load(Relaxed)
}

/// The program is about to set a system-call filter. Blocks are still counted.
pub(crate) fn seal() {
    SEALED.store(true, Relaxed);
}

/// Opens the launcher's file. Without it, the library does nothing.
///
/// # Safety
/// `path` is a string that ends with NUL.
pub(crate) unsafe fn start(path: *const core::ffi::c_char) {
    // SAFETY: the contract is the caller's.
    let Some(fd) = (unsafe { sys::open(path, sys::OPEN_SHARED) }) else {
        return;
    };
    open(fd);
    sys::close(fd);
}

fn open(fd: usize) {
    let head = size_of::<Shared>();
    // Only the first part: the rest has an unknown size.
    let Some(first) = sys::map(head, sys::READABLE, sys::SHARED, fd, 0) else {
        return;
    };
    // SAFETY: these bytes are mapped; every bit pattern is valid. A shorter file cannot be the
    // launcher's, which sized it before the program started.
    let shared = unsafe { &*first.cast::<Shared>() };
    if shared.layout.load(Relaxed) != LAYOUT {
        return;
    }
    let bytes = shared.pages_at.load(Relaxed) + shared.pages_bytes.load(Relaxed);
    // SAFETY: the mapping made above; `shared` is not used again before it is set anew.
    unsafe { sys::unmap(first, head) };
    let Some(all) = sys::map(bytes as usize, sys::WRITABLE, sys::SHARED, fd, 0) else {
        return;
    };
    let size = size_of::<OwnProcess>();
    let Some(process) = sys::map(size, sys::WRITABLE, sys::PRIVATE, usize::MAX, 0) else {
        return;
    };
    // SAFETY: the mapping just made. Without this a fork could not be distinguished from its
    // parent.
    if !unsafe { sys::advise(process, size.next_multiple_of(4096), sys::WIPEONFORK) } {
        return;
    }
    // SAFETY: as above, and mapped permanently.
    let shared = unsafe { &*all.cast::<Shared>() };
    let least = shared.least.load(Relaxed) as usize;
    shared.programs.fetch_add(1, Relaxed);
    PROCESS.store(process.cast(), Relaxed);
    SHARED.store(all.cast(), Release);
    LEAST.store(least, Relaxed);
}

/// Colors the whole pages in `bytes` from `start` that have no frame yet.
///
/// # Safety
/// The block is memory just allocated to this thread, and not used elsewhere before this returns.
#[cold]
pub(crate) unsafe fn place(start: *mut u8, bytes: usize, call: Call) {
    // SAFETY: set once by `open`, and never unmapped.
    let (Some(shared), Some(process)) = (unsafe {
        (
            SHARED.load(Acquire).as_ref(),
            PROCESS.load(Relaxed).as_ref(),
        )
    }) else {
        return;
    };
    let page = shared.page_size.load(Relaxed) as usize;
    let first = (start as usize).next_multiple_of(page);
    let end = (start as usize + bytes) & !(page - 1);
    if end <= first {
        return;
    }
    let owner = owner(shared, process);
    let block = Block {
        shared,
        process,
        first,
        pages: (end - first) / page,
        owner,
        kind: shared.tallies.kind(&owner, call, bytes),
    };
    let mut counts = Counts::none();
    counts.blocks = 1;
    let why = if SEALED.load(Relaxed) {
        Some(Why::Filter)
    } else if bytes as u64 > shared.most.load(Relaxed) {
        Some(Why::Large)
    } else {
        prepare(shared, process)
    };
    if let Some(why) = why {
        counts.skip(why, block.pages);
    }
    block.count(&counts);
    if why.is_none() {
        // SAFETY: the block is the caller's.
        unsafe { fill(&block) };
    }
}

/// The row of this process in the tallies.
fn owner(shared: &Shared, process: &OwnProcess) -> Owner {
    let known = |line: usize| Owner {
        line,
        name: NAME.each_ref().map(|word| word.load(Relaxed)),
    };
    match process.line.load(Acquire) {
        // System calls are no longer allowed.
        0 if SEALED.load(Relaxed) => return known(NO_LINE),
        0 => {}
        line => return known(line as usize - 1),
    }
    let owner = shared.tallies.enroll(&sys::status().unwrap_or_default());
    // Concurrent threads write the same name.
    for (to, word) in NAME.iter().zip(owner.name) {
        to.store(word, Relaxed);
    }
    let line = owner.line as u64 + 1;
    match process.line.compare_exchange(0, line, AcqRel, Acquire) {
        Ok(_) => owner,
        Err(line) => {
            shared.tallies.leave(&owner);
            known(line as usize - 1)
        }
    }
}

/// Ensures that there are colors; else the reason. Several threads may wait for them.
fn prepare(shared: &Shared, process: &OwnProcess) -> Option<Why> {
    if let Some(why) = off(process) {
        return Some(why);
    }
    if process.stage.load(Acquire) == ASKED {
        return None;
    }
    let patience = COLORS_NS.saturating_sub(process.waited_ns.load(Relaxed));
    if patience == 0 && shared.stage.load(Acquire) == WANTED {
        return Some(Why::Late);
    }
    let filters = sys::status().and_then(|status| status.filters);
    if filters != Some(shared.filters.load(Relaxed)) {
        return turn_off(process, Why::Filter);
    }
    let begun = sys::now();
    let asked = shared.stage.compare_exchange(IDLE, WANTED, AcqRel, Acquire);
    if asked.is_ok() {
        sys::wake(&shared.stage);
    }
    let mut waited = 0;
    while shared.stage.load(Acquire) == WANTED && waited < patience {
        sys::wait(&shared.stage, WANTED, patience - waited);
        waited = sys::now() - begun;
    }
    shared.waiting_ns.fetch_add(waited, Relaxed);
    process.waited_ns.fetch_add(waited, Relaxed);
    match shared.stage.load(Acquire) {
        READY => {}
        WANTED => return Some(Why::Late),
        _ => return turn_off(process, Why::NoColors),
    }
    process.began_ns.store(begun, Relaxed);
    let first = process.stage.compare_exchange(0, ASKED, AcqRel, Acquire);
    if first.is_ok() {
        shared.coloring.fetch_add(1, Relaxed);
    }
    None
}
