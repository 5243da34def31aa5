//! Times a routine on blocks of a working set, of which each level of the memory hierarchy holds some sizes.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::AsFd;
use std::ptr::null_mut;
use std::time::Instant;

use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};

/// memcpy and memmove.
pub type Copy = unsafe extern "C" fn(*mut u8, *const u8, usize) -> *mut u8;
/// memset.
pub type Set = unsafe extern "C" fn(*mut u8, i32, usize) -> *mut u8;
/// memcmp.
pub type Compare = unsafe extern "C" fn(*const u8, *const u8, usize) -> i32;

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
        match routine {
            // SAFETY: passed on, here and in each call.
            Routine::Copy(copy) => unsafe {
                self.copies(cell, cursor, calls, |to, from, bytes| copy(to, from, bytes))
            },
            // SAFETY: likewise.
            Routine::Set(set) => unsafe {
                self.fills(cell, cursor, calls, |to, byte, bytes| set(to, byte, bytes))
            },
            // SAFETY: likewise.
            Routine::Compare(compare) => unsafe {
                self.compares(cell, cursor, calls, |one, other, bytes| {
                    compare(one, other, bytes)
                })
            },
        }
    }

    /// Nanoseconds for a call of a copy; the call stands in the code of this copy's own instance.
    ///
    /// # Safety
    /// It copies so many bytes, and does nothing else.
    #[inline(always)]
    pub(crate) unsafe fn copies(
        &self,
        cell: Cell,
        cursor: &mut usize,
        calls: u64,
        copy: impl Fn(*mut u8, *const u8, usize) -> *mut u8,
    ) -> Option<f64> {
        let (to, from) = self.halves(cell)?;
        Some(self.walk(cell, cursor, calls, |at, bytes| {
            // Both blocks lie within their halves, as the cell fits.
            copy(to.wrapping_add(at), from.wrapping_add(at), bytes);
            // SAFETY: a block of so many bytes, which the copy wrote.
            unsafe { written(cell, to.wrapping_add(at), bytes) }
        }))
    }

    /// Likewise of a fill.
    ///
    /// # Safety
    /// It fills so many bytes, and does nothing else.
    #[inline(always)]
    pub(crate) unsafe fn fills(
        &self,
        cell: Cell,
        cursor: &mut usize,
        calls: u64,
        fill: impl Fn(*mut u8, i32, usize) -> *mut u8,
    ) -> Option<f64> {
        let (to, _) = self.halves(cell)?;
        Some(self.walk(cell, cursor, calls, |at, bytes| {
            fill(to.wrapping_add(at), 0, bytes);
            // SAFETY: likewise, the fill.
            unsafe { written(cell, to.wrapping_add(at), bytes) }
        }))
    }

    /// Likewise of a comparison.
    ///
    /// # Safety
    /// It reads so many bytes of both, and does nothing else.
    #[inline(always)]
    pub(crate) unsafe fn compares(
        &self,
        cell: Cell,
        cursor: &mut usize,
        calls: u64,
        compare: impl Fn(*const u8, *const u8, usize) -> i32,
    ) -> Option<f64> {
        let (to, from) = self.halves(cell)?;
        Some(self.walk(cell, cursor, calls, |at, bytes| {
            let order = compare(to.wrapping_add(at), from.wrapping_add(at), bytes);
            std::hint::black_box(order);
            0
        }))
    }

    /// Where the first blocks lie, of what is written and of what is read. None if the cell does not fit.
    fn halves(&self, cell: Cell) -> Option<(*mut u8, *const u8)> {
        let to = self.start.wrapping_add(self.bytes / 2 + cell.distance);
        self.fits(cell).then_some((to, self.start.cast_const()))
    }

    /// Nanoseconds for a call; what one returns, always zero, is waited for.
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
        // Every instance lies alike within lines of code.
        #[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
        // SAFETY: nothing but instructions that do nothing.
        unsafe {
            std::arch::asm!(".p2align 6", options(nomem, nostack, preserves_flags));
        }
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
        taken.as_nanos() as f64 / calls as f64
    }
}

/// Calls that take about `nanoseconds` by `time`, which is told a number of calls and says nanoseconds for one.
pub fn calls(nanoseconds: f64, mut time: impl FnMut(u64) -> Option<f64>) -> Option<u64> {
    let mut calls = 1;
    loop {
        let each = time(calls)?;
        if each * calls as f64 >= nanoseconds / 4.0 {
            return Some(((nanoseconds / each) as u64).max(1));
        }
        calls *= 2;
    }
}

/// What the first word or byte of a block holds that was just written, where the next call waits for it: zero.
///
/// # Safety
/// `bytes` bytes can be read at `at`, at least one.
#[inline(always)]
unsafe fn written(cell: Cell, at: *const u8, bytes: usize) -> usize {
    match cell.read {
        // SAFETY: passed on.
        true => unsafe { first(at, bytes) },
        false => 0,
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
