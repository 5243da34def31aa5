//! A tiny program without a C library, and the images to run it from.
//!
//! What a new process costs depends on the size of its parent, so `fork` is measured from this
//! program and not from ours; and as the program under test it makes the cost of an `exec` that of
//! the kernel (and, in its dynamic image, of the loader and the library it names) alone.
//!
//! ```text
//! IMAGE               writes "Hello world\n" and exits with 0
//! IMAGE f             measures fork + exit + wait
//! IMAGE e PROGRAM     measures fork + exec of PROGRAM + wait
//! IMAGE s COMMAND     measures fork + exec of /bin/sh -c COMMAND + wait
//! IMAGE x IMAGE       measures exec of itself, in one and the same process
//! ```
//!
//! A measuring program serves requests: it reads a count n (8 bytes, native order) from its input,
//! does the work n times and writes two words of 8 bytes to its output: the nanoseconds that all of
//! it took (`CLOCK_MONOTONIC_RAW`), and n. It exits with 0 at the end of its input. If a child does
//! not exit with 0, it writes `u64::MAX` and the wait status instead and exits with 1; a fork or
//! wait that fails gives `u64::MAX` and the negative error number. Any other first argument, or a
//! missing second one, makes it exit with 2.
//!
//! With x, what must outlive an exec (how many are left, n, and the start) travels as a third argument
//! of 30 letters, seven bits in each. An exec that fails gives `u64::MAX` and the negative error number.
//!
//! With e and s the child's output goes to its standard error, because its standard output carries
//! the answers; the parent is expected to have opened descriptor 2 on `/dev/null`.
#![allow(unsafe_code)]

mod elf;
#[cfg(test)]
mod tests;
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
mod text;

pub use elf::{dynamic_image, static_image};

/// The machine code of the program, position independent, its entry at the first byte, to be
/// entered as the kernel or a loader enters a process. None where this architecture has none.
pub fn tiny_program() -> Option<&'static [u8]> {
    #[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
    return Some(text::bytes());
    #[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
    None
}
