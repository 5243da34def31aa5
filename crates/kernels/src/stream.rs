//! STREAM: arithmetic on arrays too large for the caches, as by McCalpin's benchmark.
//!
//! Three arrays `a`, `b`, `c` and a constant `q`; each operation writes or sums `a`. Bytes are counted
//! as STREAM counts them: what the program reads plus what it writes, without write-allocate traffic.
//! Every width of register that the CPU has is a [`Shape`] of its own, with ordinary and non-temporal
//! stores. Multiplication and addition are separate instructions everywhere, so that all shapes round
//! alike and can be held against each other.
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
use aarch64::{DOUBLE, INT};
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
use portable::{DOUBLE, INT};
#[cfg(target_arch = "x86_64")]
use x86_64::{DOUBLE, INT};

use crate::bandwidth::{ALIGN, GRAIN};

/// What is done with each element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// a = b
    Copy,
    /// a = q b
    Scale,
    /// a = b + c
    Add,
    /// a = b + q c
    Triad,
    /// a = q; STREAM2.
    Fill,
    /// a = a + q b; STREAM2.
    Daxpy,
    /// The sum of b; STREAM2.
    Sum,
}

impl Op {
    /// All of them, those of STREAM first.
    pub const ALL: [Op; 7] = [
        Op::Copy,
        Op::Scale,
        Op::Add,
        Op::Triad,
        Op::Fill,
        Op::Daxpy,
        Op::Sum,
    ];

    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Op::Copy => "copy",
            Op::Scale => "scale",
            Op::Add => "add",
            Op::Triad => "triad",
            Op::Fill => "fill",
            Op::Daxpy => "daxpy",
            Op::Sum => "sum",
        }
    }

    /// Arrays in use: `a`, then `b`, then `c`.
    pub fn arrays(self) -> usize {
        match self {
            // A sum reads b and leaves a alone; a is then not needed.
            Op::Fill | Op::Sum => 1,
            Op::Copy | Op::Scale | Op::Daxpy => 2,
            Op::Add | Op::Triad => 3,
        }
    }

    /// Arrays' worth of bytes that count: reads and writes.
    pub fn counted(self) -> usize {
        match self {
            Op::Fill | Op::Sum => 1,
            Op::Copy | Op::Scale => 2,
            Op::Add | Op::Triad | Op::Daxpy => 3,
        }
    }
}

/// What the elements are; all have 8 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// 64-bit integers; copy, scale, add and triad only.
    Int,
    /// Double precision.
    Double,
}

/// The constant q of integers; of doubles its value as such. Small, so that a repeated daxpy takes
/// longer than any run to overflow.
pub const Q: u64 = 3;

/// A loop: a, b, c, bytes of each, passes; to the sum, as bits.
type Kernel = unsafe fn(*mut u8, *const u8, *const u8, usize, u64) -> u64;

/// One way to do one operation.
pub struct Shape {
    /// Short name, stable over versions: it becomes part of records.
    pub name: &'static str,
    /// What is done.
    pub op: Op,
    /// On what.
    pub element: Element,
    /// Bytes an instruction handles.
    pub width: u32,
    /// The stores are non-temporal (x86-64), or hinted as such (aarch64).
    pub non_temporal: bool,
    available: fn() -> bool,
    kernel: Kernel,
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shape")
            .field("op", &self.op)
            .field("element", &self.element)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// All shapes of `op` on `element` that this CPU can run, in an order that does not change.
pub fn shapes(op: Op, element: Element) -> Vec<&'static Shape> {
    let all = match element {
        Element::Int => INT,
        Element::Double => DOUBLE,
    };
    let all = all.iter();
    all.filter(|s| s.op == op && (s.available)()).collect()
}

/// The arrays of one thread. Unused ones may be null.
#[derive(Debug, Clone, Copy)]
pub struct Arrays {
    /// Written, except by a sum.
    pub a: *mut u8,
    /// Read.
    pub b: *const u8,
    /// Read.
    pub c: *const u8,
    /// Length of each, bytes.
    pub bytes: usize,
}

impl Shape {
    /// Runs `passes` whole passes; none if there are no bytes or passes. Returns the sum that
    /// [`Op::Sum`] made, as the bits of an element, else 0.
    ///
    /// # Panics
    /// If the length is not a multiple of [`GRAIN`], or an array in use not aligned to [`ALIGN`].
    ///
    /// # Safety
    /// `a` must be valid for reads and writes (unless it is a sum), and `b` and `c`, where used, for
    /// reads of that many bytes; they must not overlap, and no other thread may touch `a` meanwhile.
    pub unsafe fn run(&self, arrays: &Arrays, passes: u64) -> u64 {
        let Arrays { a, b, c, bytes } = *arrays;
        assert!(
            bytes.is_multiple_of(GRAIN),
            "{bytes} bytes: not a multiple of {GRAIN}"
        );
        let aligned = |address: usize| address.is_multiple_of(ALIGN);
        assert!(
            aligned(a.addr()) && aligned(b.addr()) && aligned(c.addr()),
            "an array is not aligned"
        );
        if bytes == 0 || passes == 0 {
            return 0;
        }
        // SAFETY: the contract is the caller's; alignment and length were asserted, and `shapes`
        // gives away only what the CPU can run.
        let sum = unsafe { (self.kernel)(a, b, c, bytes, passes) };
        // The registers of the other operations hold no sums.
        if self.op == Op::Sum { sum } else { 0 }
    }

    /// Upper limit in bytes per core cycle: four loads and two stores of up to 256 bits, two and one
    /// of 512, are the most that any core known today completes; on aarch64 each of a pair of
    /// registers. None for non-temporal stores, which no port limits.
    pub fn bytes_per_cycle_limit(&self) -> Option<u32> {
        let accesses = match self.width {
            64 => 3,
            _ if cfg!(target_arch = "aarch64") => 12,
            _ => 6,
        };
        (!self.non_temporal).then_some(accesses * self.width)
    }

    /// The first instruction of the loop's function.
    #[cfg(all(test, any(target_arch = "aarch64", target_arch = "x86_64")))]
    pub(crate) fn entry(&self) -> *const () {
        self.kernel as *const ()
    }
}

/// A shape, for the tables of the architectures.
const fn shape(
    element: Element,
    op: Op,
    (name, width, non_temporal): (&'static str, u32, bool),
    available: fn() -> bool,
    kernel: Kernel,
) -> Shape {
    Shape {
        name,
        op,
        element,
        width,
        non_temporal,
        available,
        kernel,
    }
}

/// The sum of eight partial sums of doubles or less, as bits.
fn add_up(sums: &[f64]) -> u64 {
    sums.iter().sum::<f64>().to_bits()
}
