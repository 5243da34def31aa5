//! Filling a block that the program has just been given, and that nobody else knows yet.
#![allow(unsafe_code)]

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize};

use super::shared::{IDLE, LAYOUT, READY, Shared, WANTED, Why};
use super::stock::{Empty, Stock};
use super::sys::{self, Quiet};
use super::userfault::{EXISTS, Userfault};

/// Pages filled at once: signals wait no longer than that takes, about a millisecond.
const CHUNK: usize = 128;
/// Moves that may fail one after the other before the rest of a block is left ordinary.
const FAILURES: u32 = 16;
/// Longest wait for the launcher's colors: it tries four times, a quarter of a second each when busy.
const PATIENCE_NS: u64 = 3_000_000_000;

/// Smallest block that is looked at: none before the library is ready.
static LEAST: AtomicUsize = AtomicUsize::new(usize::MAX);
static SHARED: AtomicPtr<Shared> = AtomicPtr::new(core::ptr::null_mut());
static PROCESS: AtomicPtr<Process> = AtomicPtr::new(core::ptr::null_mut());
/// The program has set a filter of system calls: nothing of ours may be called from then on.
static SEALED: AtomicBool = AtomicBool::new(false);

/// What belongs to this process alone: the kernel gives a fork zeros in its place.
#[repr(C)]
struct Process {
    /// 1 while a thread colors, 2 if others wait.
    lock: AtomicU32,
    /// 1 once it has asked for colors; 2 when it is not to try again.
    stage: AtomicU32,
    /// Reason, while `stage` is 2.
    why: AtomicU32,
    began_ns: AtomicU64,
    spent_ns: AtomicU64,
    stock: core::cell::UnsafeCell<Stock>,
}

const ASKED: u32 = 1;
const OFF: u32 = 2;

/// Smallest block to hand to [`place`], bytes.
pub(crate) fn least() -> usize {
    LEAST.load(Relaxed)
}

/// The program is about to set a filter of system calls.
pub(crate) fn seal() {
    SEALED.store(true, Relaxed);
    LEAST.store(usize::MAX, Relaxed);
}

/// Opens the launcher's file. Without it, all stays as if the library were not there.
pub(crate) fn start(path: *const core::ffi::c_char) {
    let Some(fd) = sys::open(path, sys::OPEN_SHARED) else {
        return;
    };
    open(fd);
    sys::close(fd);
}

fn open(fd: usize) {
    let head = size_of::<Shared>();
    // The first part alone: what is behind it is not known yet.
    let Some(first) = sys::map(head, sys::READABLE, sys::SHARED, fd, 0) else {
        return;
    };
    // SAFETY: so many bytes are mapped; every bit pattern is a value. A file that is shorter cannot be
    // the launcher's, which gave it its size before the program started.
    let shared = unsafe { &*first.cast::<Shared>() };
    if shared.layout.load(Relaxed) != LAYOUT {
        return;
    }
    let bytes = shared.pages_at.load(Relaxed) + shared.pages_bytes.load(Relaxed);
    sys::unmap(first, head);
    let Some(all) = sys::map(bytes as usize, sys::WRITABLE, sys::SHARED, fd, 0) else {
        return;
    };
    let size = size_of::<Process>();
    let Some(process) = sys::map(size, sys::WRITABLE, sys::PRIVATE, usize::MAX, 0) else {
        return;
    };
    // SAFETY: the mapping just made. Without this a fork could not be told from its parent.
    if !unsafe { sys::advise(process, size.next_multiple_of(4096), sys::WIPEONFORK) } {
        return;
    }
    // SAFETY: as above, and mapped for good.
    let shared = unsafe { &*all.cast::<Shared>() };
    let least = shared.least.load(Relaxed) as usize;
    shared.programs.fetch_add(1, Relaxed);
    PROCESS.store(process.cast(), Relaxed);
    SHARED.store(all.cast(), Release);
    LEAST.store(least, Relaxed);
}

/// Colors the whole pages in `bytes` from `start`, as far as they have no frame yet.
///
/// # Safety
/// The block is memory that was just given to this thread and that nobody else uses before this returns.
#[cold]
pub(crate) unsafe fn place(start: *mut u8, bytes: usize) {
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
    if SEALED.load(Relaxed) || end <= first {
        return;
    }
    let pages = (end - first) / page;
    let skip = |why: Why, pages: usize| {
        if let Some(count) = shared.ordinary.get(why as usize) {
            count.fetch_add(pages as u64, Relaxed);
        }
    };
    if bytes as u64 > shared.most.load(Relaxed) {
        return skip(Why::Large, pages);
    }
    if let Some(why) = prepare(shared, process) {
        return skip(why, pages);
    }
    // SAFETY: the block is the caller's.
    if let Err((why, left)) = unsafe { fill(shared, process, first, pages) } {
        skip(why, left);
    }
}

/// Why this process colors no more.
fn off(process: &Process) -> Option<Why> {
    const ALL: [Why; 8] = [
        Why::NoColors,
        Why::Large,
        Why::Busy,
        Why::Time,
        Why::Memory,
        Why::Moving,
        Why::Colors,
        Why::Filter,
    ];
    let why = process.why.load(Relaxed) as usize;
    (process.stage.load(Relaxed) == OFF).then(|| ALL.get(why).copied().unwrap_or(Why::NoColors))
}

fn turn_off(process: &Process, why: Why) -> Option<Why> {
    process.why.store(why as u32, Relaxed);
    process.stage.store(OFF, Relaxed);
    Some(why)
}

/// Makes sure that there are colors; the reason if not. Several threads may wait for them.
fn prepare(shared: &Shared, process: &Process) -> Option<Why> {
    if let Some(why) = off(process) {
        return Some(why);
    }
    if process.stage.load(Acquire) == ASKED {
        return None;
    }
    if sys::filters() != Some(shared.filters.load(Relaxed)) {
        return turn_off(process, Why::Filter);
    }
    let begun = sys::now();
    let asked = shared.stage.compare_exchange(IDLE, WANTED, AcqRel, Acquire);
    if asked.is_ok() {
        sys::wake(&shared.stage);
    }
    let mut waited = 0;
    while shared.stage.load(Acquire) == WANTED && waited < PATIENCE_NS {
        sys::wait(&shared.stage, WANTED, PATIENCE_NS - waited);
        waited = sys::now() - begun;
    }
    shared.waiting_ns.fetch_add(waited, Relaxed);
    if shared.stage.load(Acquire) != READY {
        return turn_off(process, Why::NoColors);
    }
    process.began_ns.store(begun, Relaxed);
    let first = process.stage.compare_exchange(0, ASKED, AcqRel, Acquire);
    if first.is_ok() {
        shared.coloring.fetch_add(1, Relaxed);
    }
    None
}

/// Holds the lock of a process, and all signals, until it is dropped: whoever has the lock cannot be
/// interrupted by something that wants it, or that never comes back.
struct Locked<'a> {
    process: &'a Process,
    _quiet: Quiet,
}

impl Locked<'_> {
    /// Waits for other threads, each of which needs a few milliseconds at most.
    fn new(process: &Process) -> Option<Locked<'_>> {
        let quiet = Quiet::now();
        let begun = sys::now();
        // 2: somebody waits.
        let mut wanted = 1;
        while process
            .lock
            .compare_exchange(0, wanted, Acquire, Relaxed)
            .is_err()
        {
            if sys::now() - begun > PATIENCE_NS {
                return None;
            }
            wanted = 2;
            if process.lock.swap(2, Acquire) == 0 {
                break;
            }
            sys::wait(&process.lock, 2, PATIENCE_NS);
        }
        Some(Locked {
            process,
            _quiet: quiet,
        })
    }

    /// What only the holder may touch.
    fn stock(&mut self) -> &mut Stock {
        // SAFETY: the lock is held, and borrowed for as long as this is.
        unsafe { &mut *self.process.stock.get() }
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        if self.process.lock.swap(0, Release) == 2 {
            sys::wake(&self.process.lock);
        }
    }
}

/// May this process spend more time, and all of them fill more pages?
fn may_go_on(shared: &Shared, process: &Process) -> Option<Why> {
    let age = sys::now() - process.began_ns.load(Relaxed);
    let may = shared.burst_ns.load(Relaxed) + age / shared.age_share.load(Relaxed).max(1);
    if process.spent_ns.load(Relaxed) > may {
        return Some(Why::Time);
    }
    let filled = shared.hits.load(Relaxed) + shared.fallbacks.load(Relaxed);
    (filled >= shared.pages_limit.load(Relaxed)).then_some(Why::Memory)
}

/// Fills pages, chunk by chunk. An error has why, and how many were left.
///
/// # Safety
/// The block is the caller's.
unsafe fn fill(
    shared: &Shared,
    process: &Process,
    first: usize,
    pages: usize,
) -> Result<(), (Why, usize)> {
    let page = shared.page_size.load(Relaxed) as usize;
    let mut done = 0;
    let mut failures = 0;
    while done < pages {
        if let Some(why) = off(process).or_else(|| may_go_on(shared, process)) {
            return Err((why, pages - done));
        }
        let count = CHUNK.min(pages - done);
        let Some(mut locked) = Locked::new(process) else {
            return Err((Why::Busy, pages - done));
        };
        let begun = sys::now();
        let stock = locked.stock();
        if !stock.is_open() && stock.open(shared).is_err() {
            turn_off(process, Why::Memory);
            return Err((Why::Memory, pages - done));
        }
        let at = first + done * page;
        // SAFETY: the chunk is part of the caller's block.
        let result = unsafe { fill_chunk(shared, stock, at, count, &mut failures) };
        process.spent_ns.fetch_add(sys::now() - begun, Relaxed);
        if let Err((at, why)) = result {
            turn_off(process, why);
            return Err((why, pages - done - at));
        }
        if done == 0 {
            shared.blocks.fetch_add(1, Relaxed);
        }
        done += count;
        if done == pages {
            stock.trim(shared);
        }
    }
    Ok(())
}

/// Fills a chunk. An error has the pages done and why coloring ends in this process.
///
/// # Safety
/// As for [`fill`].
unsafe fn fill_chunk(
    shared: &Shared,
    stock: &mut Stock,
    first: usize,
    count: usize,
    failures: &mut u32,
) -> Result<(), (usize, Why)> {
    let page = shared.page_size.load(Relaxed) as usize;
    let refused = |error: isize| shared.errno.store(error.unsigned_abs() as u32, Relaxed);
    let mut begun = sys::now();
    let testing = shared.testing_ns.load(Relaxed);
    let held = Userfault::over(first, count * page).map_err(|error| {
        refused(error);
        (0, Why::Moving)
    })?;
    for i in 0..count {
        let to = first + i * page;
        let (got, slot) = stock.get(shared, to).map_err(|empty| match empty {
            Empty::Memory => (i, Why::Memory),
            Empty::Colors => (i, Why::Colors),
        })?;
        // SAFETY: a page of the stock, in nobody's use.
        match unsafe { held.take(got.at, to, page) } {
            Ok(()) => {
                *failures = 0;
                stock.hole(slot);
                let kind = if got.hit {
                    &shared.hits
                } else {
                    &shared.fallbacks
                };
                kind.fetch_add(1, Relaxed);
                if let Some(count) = shared.by_color.get(usize::from(got.color)) {
                    count.fetch_add(1, Relaxed);
                }
            }
            Err(error) => {
                stock.push(slot, got.color);
                if error == EXISTS {
                    shared.present.fetch_add(1, Relaxed);
                    continue;
                }
                refused(error);
                *failures += 1;
                if *failures >= FAILURES {
                    return Err((i, Why::Moving));
                }
                if let Some(count) = shared.ordinary.get(Why::Moving as usize) {
                    count.fetch_add(1, Relaxed);
                }
            }
        }
    }
    // Looking up colors is counted by itself. (Other processes' looks may fall between; then this is 0.)
    begun += shared.testing_ns.load(Relaxed) - testing;
    let moving = sys::now().saturating_sub(begun);
    shared.moving_ns.fetch_add(moving, Relaxed);
    Ok(())
}
