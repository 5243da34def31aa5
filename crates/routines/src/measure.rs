//! Times a routine on blocks of a working set, of which each level of the memory hierarchy holds some sizes.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::AsFd;
use std::ptr::null_mut;
use std::time::Instant;

use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};

use crate::catalog::{Compare, Copy, Set};

/// A function, in any library.
#[derive(Debug, Clone, Copy)]
pub enum Routine {
    /// memcpy or memmove.
    Copy(Copy),
    /// memset.
    Set(Set),
    /// memcmp.
    Compare(Compare),
}

/// What is done with a routine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// Bytes of a block.
    pub block: usize,
    /// Whether blocks have random sizes from 1 up to that.
    pub mixed: bool,
    /// From the place of the first block to that of the second, in bytes within a page.
    pub distance: usize,
    /// Bytes of all blocks together, which follow each other.
    pub set: usize,
    /// Whether what a copy or a fill wrote is read at once, and the next call waits for it: bytes that masked stores wrote
    /// reach a load later than others on most CPUs.
    pub read: bool,
}

/// A block begins at a line.
const LINE: usize = 64;

/// Random sizes, as shares of 256, drawn before anything is timed.
const DRAWS: usize = 1 << 12;

/// Memory for both blocks: its pages are written, and stay.
#[derive(Debug)]
pub struct Area {
    start: *mut u8,
    bytes: usize,
    draws: Vec<u8>,
}

impl Area {
    /// New memory.
    ///
    /// # Errors
    /// When there is none.
    pub fn new(bytes: usize) -> io::Result<Area> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping, at an address of the kernel's choice.
        let start = unsafe { mmap_anonymous(null_mut(), bytes, access, MapFlags::PRIVATE) }?;
        // SAFETY: the whole mapping, of which nothing else knows the address.
        Ok(unsafe { Area::of(start.cast(), bytes) })
    }

    /// The memory of a file, which several processes can share, so that they measure on the same pages.
    ///
    /// # Errors
    /// When it cannot be mapped.
    pub fn shared(file: impl AsFd, bytes: usize) -> io::Result<Area> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: as above.
        let start = unsafe { mmap(null_mut(), bytes, access, MapFlags::SHARED, file, 0) }?;
        // SAFETY: the whole mapping, of which nothing else knows the address.
        Ok(unsafe { Area::of(start.cast(), bytes) })
    }

    /// # Safety
    /// A mapping of `bytes` bytes, which becomes this one's own.
    unsafe fn of(start: *mut u8, bytes: usize) -> Area {
        for at in (0..bytes).step_by(4096) {
            // SAFETY: a byte of the mapping. Equal bytes everywhere, as comparisons shall find no difference.
            unsafe { start.add(at).write_volatile(0) };
        }
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let draws = (0..DRAWS).map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        });
        Area {
            start,
            bytes,
            draws: draws.collect(),
        }
    }

    /// Whether a cell fits.
    pub fn fits(&self, cell: Cell) -> bool {
        // Room for the distance and a line at the end of either half.
        let half = self.bytes / 2;
        2 * cell.block <= cell.set && cell.set / 2 + cell.distance + 2 * LINE <= half
    }

    /// Nanoseconds for a call: the mean of `calls`, from the block at `cursor` on. None if the cell does not fit.
    ///
    /// # Safety
    /// The routine does what the C library's of that name does.
    pub unsafe fn time(
        &self,
        routine: Routine,
        cell: Cell,
        cursor: &mut usize,
        calls: u64,
    ) -> Option<f64> {
        if !self.fits(cell) {
            return None;
        }
        let from = self.start;
        let to = self.start.wrapping_add(self.bytes / 2 + cell.distance);
        let zero = |at: usize, bytes: usize| match cell.read {
            // SAFETY: the first bytes of what was just written.
            true => unsafe { first(to.add(at), bytes) },
            false => 0,
        };
        let taken = match routine {
            Routine::Copy(copy) => self.walk(cell, cursor, calls, |at, bytes| {
                // SAFETY: both blocks lie within their halves, as the cell fits.
                unsafe { copy(to.add(at), from.add(at), bytes) };
                zero(at, bytes)
            }),
            Routine::Set(set) => self.walk(cell, cursor, calls, |at, bytes| {
                // SAFETY: likewise.
                unsafe { set(to.add(at), 0, bytes) };
                zero(at, bytes)
            }),
            Routine::Compare(compare) => self.walk(cell, cursor, calls, |at, bytes| {
                // SAFETY: likewise.
                let order = unsafe { compare(to.add(at), from.add(at), bytes) };
                std::hint::black_box(order);
                0
            }),
        };
        Some(taken / calls as f64)
    }

    /// Nanoseconds for all calls; what one returns, always zero, is waited for.
    #[inline(always)]
    fn walk(
        &self,
        cell: Cell,
        cursor: &mut usize,
        calls: u64,
        mut call: impl FnMut(usize, usize) -> usize,
    ) -> f64 {
        let stride = cell.block.next_multiple_of(LINE);
        let last = (cell.set / 2).saturating_sub(cell.block);
        let mut at = *cursor;
        let begun = Instant::now();
        if cell.mixed {
            for turn in 0..calls {
                let draw = usize::from(self.draws[turn as usize % DRAWS]);
                at += stride + call(at, 1 + draw * cell.block / 256);
                if at > last {
                    at = 0;
                }
            }
        } else {
            for _ in 0..calls {
                at += stride + call(at, cell.block);
                if at > last {
                    at = 0;
                }
            }
        }
        let taken = begun.elapsed();
        *cursor = at;
        taken.as_nanos() as f64
    }

    /// Calls that take about `nanoseconds`.
    ///
    /// # Safety
    /// As for [`Area::time`].
    pub unsafe fn calls(&self, routine: Routine, cell: Cell, nanoseconds: f64) -> Option<u64> {
        let mut calls = 1;
        let mut cursor = 0;
        loop {
            // SAFETY: passed on.
            let each = unsafe { self.time(routine, cell, &mut cursor, calls) }?;
            let total = each * calls as f64;
            if total >= nanoseconds / 4.0 {
                return Some(((nanoseconds / each) as u64).max(1));
            }
            calls *= 2;
        }
    }
}

/// What the first word or byte of a block holds.
///
/// # Safety
/// `bytes` bytes can be read at `at`, at least one.
unsafe fn first(at: *const u8, bytes: usize) -> usize {
    // SAFETY: as asked of the caller.
    unsafe {
        match bytes >= size_of::<usize>() {
            true => at.cast::<usize>().read_unaligned(),
            false => usize::from(at.read()),
        }
    }
}

impl Drop for Area {
    fn drop(&mut self) {
        // SAFETY: the mapping is this one's own. What cannot be unmapped stays.
        let _ = unsafe { munmap(self.start.cast(), self.bytes) };
    }
}
