//! Bandwidth: one loop per way in which a core can move bytes.
//!
//! No single loop is the fastest at every level of the memory hierarchy, so a point runs every
//! shape that the CPU has and reports all of them. A shape is a declaration in `read.rs`,
//! `write.rs` or `copy.rs` of its architecture: a name, the bytes that one instruction moves, and a loop.
//!
//! A copy is counted by the caller as bytes read plus bytes written. Write-allocate traffic is
//! never counted.
//!
//! What the memory holds matters. One Zen 5 guest moved lines of zeros differently: with
//! non-temporal stores it wrote them at 90 GB/s and anything else at 42, and it copied them a tenth
//! faster. So source memory must be filled with something else than zeros (a repeated word will do:
//! random numbers gave the same figures there), and the fill pattern should be [`PATTERN`] or
//! alike, never 0.
//!
//! The relative position of the two blocks of a copy did not matter on that guest. On cores that
//! compare only the low 12 bits of addresses to find out whether a load needs an earlier store, a load
//! waits needlessly for a store with the same page offset (4 KiB aliasing). Destination minus source
//! should therefore be a multiple of 4 KiB: then only a load a whole page ahead of a store still
//! pending meets it, which is as far as it can be.
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
use aarch64::{COPY, HISTORIC, READ, WRITE};
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
use portable::{COPY, HISTORIC, READ, WRITE};
#[cfg(target_arch = "x86_64")]
use x86_64::{COPY, HISTORIC, READ, WRITE};

/// Every block is a multiple of this many bytes: the longest unrolled body, and a multiple of all
/// others, so that no loop needs a remainder.
///
/// The bodies are 256 bytes long, with 512-bit vectors 512. Shorter ones lose to the loop's own
/// instructions in the first-level cache. Longer ones may lose beyond it: on one Zen 5 guest, with
/// 2 KiB between two executions of one load or store, the second-level cache gave half the bandwidth
/// (127 GB/s against 247, read or write), as if the prefetchers no longer followed.
pub const GRAIN: usize = 512;

/// Pointers are aligned to this many bytes: a cache line, and the widest vector there is.
pub const ALIGN: usize = 64;

/// A word to fill memory with: none of its bytes is zero, no two are alike. (It is 2^64 divided by
/// the golden ratio.)
pub const PATTERN: u64 = 0x9e37_79b9_7f4a_7c15;

/// What a loop does with memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Loads every byte of the source.
    Read,
    /// Stores every byte of the destination.
    Write,
    /// Loads every byte of the source and stores it at the same offset of the destination.
    Copy,
}

/// A loop: destination, source, bytes, passes, fill pattern, to a checksum (0 unless it reads).
type Kernel = unsafe fn(*mut u8, *const u8, usize, u64, u64) -> u64;

/// One way to read, write or copy memory.
pub struct Shape {
    /// Short name, unique for one [`Op`] and stable over versions: it becomes part of records.
    pub name: &'static str,
    /// What the loop does.
    pub op: Op,
    /// Bytes moved by one instruction, a pair of registers counted together; for the `rep`
    /// instructions, by one iteration of them.
    pub width: u32,
    /// The stores are non-temporal (x86-64), or hinted as such (aarch64).
    pub non_temporal: bool,
    /// One line on how the bytes are moved.
    pub summary: &'static str,
    /// Most instructions of this kind that a core completes in a cycle; None without such a limit.
    per_cycle: Option<u32>,
    available: fn() -> bool,
    kernel: Kernel,
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shape")
            .field("op", &self.op)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

fn declared(op: Op) -> &'static [Shape] {
    match op {
        Op::Read => READ,
        Op::Write => WRITE,
        Op::Copy => COPY,
    }
}

/// All shapes of `op` that this CPU (and its kernel: wide registers must be enabled) can run, in
/// an order that does not change.
pub fn shapes(op: Op) -> Vec<&'static Shape> {
    declared(op).iter().filter(|s| (s.available)()).collect()
}

/// Shapes of register sets no longer used to move memory, which older suites measure. They are not
/// in [`shapes`], which a point runs completely.
pub fn historic(op: Op) -> Vec<&'static Shape> {
    let all = HISTORIC.iter();
    all.filter(|s| s.op == op && (s.available)()).collect()
}

/// The shape of `op` called `name`, historic or not, if this CPU can run it.
pub fn shape(op: Op, name: &str) -> Option<&'static Shape> {
    declared(op)
        .iter()
        .chain(HISTORIC.iter().filter(|s| s.op == op))
        .find(|s| s.name == name && (s.available)())
}

impl Shape {
    /// Runs `passes` whole passes over a block; none if `bytes` or `passes` is 0.
    ///
    /// * Read: loads every byte of `src[..bytes]` and returns a checksum over all of them (the sum
    ///   of the 64-bit words of all passes, wrapping), to be held against
    ///   [`expected_checksum`](Self::expected_checksum). `dst` is not used.
    /// * Write: stores `fill` (its bytes in memory order) all over `dst[..bytes]`; the shape
    ///   `rep-stosb` repeats the lowest byte of `fill`. Returns 0. `src` is not used.
    /// * Copy: makes `dst[..bytes]` equal to `src[..bytes]`. Returns 0.
    ///
    /// Non-temporal stores are fenced before the call returns.
    ///
    /// # Panics
    /// If `bytes` is not a multiple of [`GRAIN`], or a pointer in use not of [`ALIGN`].
    ///
    /// # Safety
    /// `src` must be valid for reads of `bytes` bytes (Read, Copy), `dst` for writes of `bytes`
    /// bytes (Write, Copy), the two must not overlap, and no other thread may write to the source
    /// or touch the destination meanwhile.
    pub unsafe fn run(
        &self,
        dst: *mut u8,
        src: *const u8,
        bytes: usize,
        passes: u64,
        fill: u64,
    ) -> u64 {
        assert!(
            bytes.is_multiple_of(GRAIN),
            "{bytes} bytes: not a multiple of {GRAIN}"
        );
        assert!(
            self.op == Op::Write || src.addr().is_multiple_of(ALIGN),
            "source not aligned"
        );
        assert!(
            self.op == Op::Read || dst.addr().is_multiple_of(ALIGN),
            "destination not aligned"
        );
        if bytes == 0 || passes == 0 {
            return 0;
        }
        // SAFETY: the loops need what this function's contract demands, the alignment and the
        // block size asserted above, and a CPU with their instructions, which `shapes` and `shape`
        // have checked before they gave this shape away.
        unsafe { (self.kernel)(dst, src, bytes, passes, fill) }
    }

    /// What [`run`](Self::run) must return for a Read of `bytes`, computed one word at a time.
    ///
    /// With an odd number of passes it changes with every single bit of the block; with 2^k passes,
    /// the top k bits of each word drop out. A proof of coverage therefore reads once.
    /// The shape `x87` alone returns 0: its loads leave nothing behind.
    pub fn expected_checksum(&self, bytes: &[u8], passes: u64) -> u64 {
        if self.op != Op::Read || self.name == "x87" {
            return 0;
        }
        bytes
            .chunks(8)
            .map(|chunk| {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                u64::from_ne_bytes(word)
            })
            .fold(0, u64::wrapping_add)
            .wrapping_mul(passes)
    }

    /// Upper limit in bytes per core cycle, a copy counted as read plus written: the most accesses
    /// of this width that any core known today completes in a cycle, times the width.
    ///
    /// None for the `rep` and non-temporal shapes, which no port limits; the limit of the widest
    /// shape holds for them.
    pub fn bytes_per_cycle_limit(&self) -> Option<u32> {
        self.per_cycle.map(|n| n * self.width)
    }

    /// The first instruction of the loop's function.
    #[cfg(all(test, any(target_arch = "aarch64", target_arch = "x86_64")))]
    pub(crate) fn entry(&self) -> *const () {
        self.kernel as *const ()
    }
}
