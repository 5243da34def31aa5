//! Moves pages under a block, in parts small enough that no thread waits long.
#![allow(unsafe_code)]

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::process::{Block, OwnProcess, off, turn_off};
use super::reason::Why;
use super::shared::Shared;
use super::stock::{Empty, Stock};
use super::sys::{self, Quiet};
use super::tally::Counts;
use super::userfault::{EXISTS, Userfault};

/// Longest wait of a thread for others, each of which needs a millisecond.
const PATIENCE_NS: u64 = 3_000_000_000;
/// Pages filled at once: signals are delayed by no more than that, about a millisecond.
const CHUNK: usize = 128;
/// Consecutive failed moves before the rest of a block is left ordinary.
const FAILURES: u32 = 16;

/// Holds the lock of a process, and blocks all signals, until dropped: the holder cannot be
/// interrupted by a handler that needs the lock, or never returns.
struct Locked<'a> {
    process: &'a OwnProcess,
    _quiet: Quiet,
}

impl Locked<'_> {
    /// Waits for other threads, each of which needs a few milliseconds at most.
    fn new(process: &OwnProcess) -> Option<Locked<'_>> {
        let quiet = Quiet::now();
        let begun = sys::now();
        // 2: there are waiters.
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

    /// State that only the holder may access.
    fn stock(&mut self) -> &mut Stock {
        // SAFETY: the lock is held, and borrowed as long as this is.
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

/// True if this process may spend more time, and all processes may fill more pages.
fn may_go_on(shared: &Shared, process: &OwnProcess) -> Option<Why> {
    let age = sys::now() - process.began_ns.load(Relaxed);
    let may = shared.burst_ns.load(Relaxed) + age / shared.age_share.load(Relaxed).max(1);
    if process.spent_ns.load(Relaxed) > may {
        return Some(Why::Time);
    }
    (shared.tallies.filled() >= shared.pages_limit.load(Relaxed)).then_some(Why::Memory)
}

/// Fills pages, chunk by chunk, and counts the outcome.
///
/// # Safety
/// The block is the caller's.
pub(super) unsafe fn fill(block: &Block<'_>) {
    let (shared, process) = (block.shared, block.process);
    let page = shared.page_size.load(Relaxed) as usize;
    let mut done = 0;
    let mut failures = 0;
    let mut colored = false;
    while done < block.pages {
        let left = block.pages - done;
        let mut counts = Counts::none();
        let mut stop = |why: Why, left: usize| {
            counts.skip(why, left);
            block.count(&counts);
        };
        if let Some(why) = off(process).or_else(|| may_go_on(shared, process)) {
            return stop(why, left);
        }
        let Some(mut locked) = Locked::new(process) else {
            return stop(Why::Busy, left);
        };
        let begun = sys::now();
        let stock = locked.stock();
        if !stock.is_open() && stock.open(shared).is_err() {
            turn_off(process, Why::Memory);
            return stop(Why::Memory, left);
        }
        let at = block.first + done * page;
        let count = CHUNK.min(left);
        // SAFETY: the chunk is part of the caller's block.
        let result = unsafe { fill_chunk(shared, stock, at, count, &mut failures, &mut counts) };
        counts.ns = sys::now() - begun;
        process.spent_ns.fetch_add(counts.ns, Relaxed);
        if !colored && counts.hits + counts.fallbacks > 0 {
            colored = true;
            counts.colored_blocks = 1;
        }
        if let Err((at, why)) = result {
            turn_off(process, why);
            counts.skip(why, left - at);
            return block.count(&counts);
        }
        block.count(&counts);
        done += count;
        if done == block.pages {
            stock.trim(shared);
        }
    }
}

/// Fills a chunk. An error has the pages done and the reason why coloring ends in this process.
///
/// # Safety
/// As for [`fill`].
unsafe fn fill_chunk(
    shared: &Shared,
    stock: &mut Stock,
    first: usize,
    count: usize,
    failures: &mut u32,
    counts: &mut Counts,
) -> Result<(), (usize, Why)> {
    let page = shared.page_size.load(Relaxed) as usize;
    let refused = |error: isize| shared.errno.store(error.unsigned_abs() as u32, Relaxed);
    // Memory that an allocator used before: it needs no color.
    let mut there = [0; CHUNK];
    let there = there.get_mut(..count).unwrap_or(&mut []);
    sys::present(first, page, there);
    if there.iter().all(|there| there & 1 == 1) {
        counts.present += count as u64;
        return Ok(());
    }
    let mut begun = sys::now();
    let testing = shared.testing_ns.load(Relaxed);
    let held = Userfault::over(first, count * page).map_err(|error| {
        refused(error);
        (0, Why::Moving)
    })?;
    for (i, there) in there.iter().enumerate() {
        if there & 1 == 1 {
            counts.present += 1;
            continue;
        }
        let to = first + i * page;
        let (got, slot) = stock.get(shared, to).map_err(|empty| match empty {
            Empty::Memory => (i, Why::Memory),
            Empty::Colors => (i, Why::Colors),
        })?;
        // SAFETY: an unused page of the stock.
        match unsafe { held.take(got.at, to, page) } {
            Ok(()) => {
                *failures = 0;
                stock.hole(slot);
                if got.hit {
                    counts.hits += 1;
                } else {
                    counts.fallbacks += 1;
                }
                if let Some(count) = counts.by_color.get_mut(usize::from(got.color)) {
                    *count += 1;
                }
            }
            Err(error) => {
                stock.push(slot, got.color);
                if error == EXISTS {
                    counts.present += 1;
                    continue;
                }
                refused(error);
                *failures += 1;
                if *failures >= FAILURES {
                    return Err((i, Why::Moving));
                }
                counts.skip(Why::Moving, 1);
            }
        }
    }
    // Color lookup is counted separately. (Lookups of other processes may interleave; then this is 0.)
    begun += shared.testing_ns.load(Relaxed) - testing;
    let moving = sys::now().saturating_sub(begun);
    shared.moving_ns.fetch_add(moving, Relaxed);
    Ok(())
}
