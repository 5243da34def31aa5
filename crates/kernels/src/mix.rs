//! Mixed reads and writes: every line is read, and every first, second or third is written back.
//!
//! The lines that are written are those just read, so memory carries what the program asks for and no
//! more: a line need not be fetched for the sake of a store. That makes the mix that the program
//! does the mix that the memory sees, once the working set is larger than the caches.
#![allow(unsafe_code)]

use std::fmt;

#[cfg(target_arch = "aarch64")]
mod aarch64;
// Tested on all architectures, so that it does not go stale.
#[cfg(any(test, not(any(target_arch = "aarch64", target_arch = "x86_64"))))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(test)]
mod tests;

#[cfg(target_arch = "aarch64")]
use aarch64::MIXES;
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
use portable::MIXES;
#[cfg(target_arch = "x86_64")]
use x86_64::MIXES;

use crate::bandwidth::ALIGN;

/// Bytes of the lines here, whatever the CPU's are: the unit of the mix.
pub const LINE: usize = 64;

/// A block is a multiple of this many bytes: 12 lines, which hold whole turns of all mixes.
pub const GRAIN: usize = 12 * LINE;

/// A loop: block, bytes, passes, fill pattern, to the sum of all words read.
type Kernel = unsafe fn(*mut u8, usize, u64, u64) -> u64;

/// One way to mix.
pub struct Shape {
    /// Short name, stable over versions.
    pub name: &'static str,
    /// Lines read for each line written.
    pub reads: u32,
    /// Bytes an instruction moves.
    pub width: u32,
    available: fn() -> bool,
    kernel: Kernel,
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shape {} {}:1", self.name, self.reads)
    }
}

/// All shapes with `reads` lines read for each one written (1, 2 or 3) that this CPU can run.
pub fn shapes(reads: u32) -> Vec<&'static Shape> {
    let all = MIXES.iter();
    all.filter(|s| s.reads == reads && (s.available)())
        .collect()
}

impl Shape {
    /// Runs `passes` passes over a block: reads all of it, and fills line 0 and every
    /// [`Shape::reads`]-th from there with `fill`. Returns the sum of the 64-bit words read.
    ///
    /// # Panics
    /// If the length is not a multiple of [`GRAIN`], or the block not aligned to [`ALIGN`].
    ///
    /// # Safety
    /// The block must be valid for reads and writes, and no other thread may touch it meanwhile.
    pub unsafe fn run(&self, block: *mut u8, bytes: usize, passes: u64, fill: u64) -> u64 {
        assert!(
            bytes.is_multiple_of(GRAIN),
            "{bytes} bytes: not a multiple of {GRAIN}"
        );
        assert!(
            block.addr().is_multiple_of(ALIGN),
            "the block is not aligned"
        );
        if bytes == 0 || passes == 0 {
            return 0;
        }
        // SAFETY: the contract is the caller's; `shapes` gives away only what the CPU can run.
        unsafe { (self.kernel)(block, bytes, passes, fill) }
    }

    /// Bytes that a pass over `bytes` reads and writes.
    pub fn counted(&self, bytes: usize) -> usize {
        bytes + bytes / self.reads as usize
    }

    /// Upper limit in bytes per core cycle: as many loads and stores as any core completes.
    pub fn bytes_per_cycle_limit(&self) -> u32 {
        (if self.width == 64 { 3 } else { 6 }) * self.width
    }

    /// The first instruction of the loop's function.
    #[cfg(all(test, any(target_arch = "aarch64", target_arch = "x86_64")))]
    pub(crate) fn entry(&self) -> *const () {
        self.kernel as *const ()
    }
}
