//! Loops over one system call each.
//!
//! On x86-64 and aarch64 the loop is the bare instruction (`syscall`, `svc`), so neither the C
//! library's wrapper nor its version is measured, and a C library cannot answer from a cache or from
//! the vDSO. Elsewhere it is [`libc::syscall`]. Every return value is checked.
//!
//! Each function makes `n` calls (none for 0) and returns the error number of the first failure, at
//! which it stops. A call that succeeds with another value than it should have, such as a read at
//! the end of a file, is [`libc::EIO`].
//!
//! [`via_libc`] has the same calls through the C library.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::mem::MaybeUninit;

#[cfg(target_arch = "aarch64")]
mod aarch64;
// Tested on all architectures, so that it does not go stale.
#[cfg(any(test, not(any(target_arch = "aarch64", target_arch = "x86_64"))))]
mod portable;
pub mod via_libc;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(test)]
mod tests;

#[cfg(target_arch = "aarch64")]
pub(crate) use aarch64::{open_close_loop, repeat};
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
use portable::{open_close_loop, repeat};
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::{open_close_loop, repeat};

/// A call: its number and its arguments.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    number: libc::c_long,
    args: [usize; 4],
}

/// A file descriptor as an argument register holds it.
fn descriptor(fd: i32) -> usize {
    fd as isize as usize
}

/// The result of a loop: how many calls succeeded, and what the last one returned.
fn verdict(asked: u64, done: u64, last: isize) -> Result<(), i32> {
    if done == asked {
        Ok(())
    } else if last < 0 {
        Err(-last as i32)
    } else {
        Err(libc::EIO)
    }
}

/// The cheapest call there is: `getppid`, which cannot fail and which no C library caches.
pub fn null_call(n: u64) -> Result<(), i32> {
    let call = Call {
        number: libc::SYS_getppid,
        args: [0; 4],
    };
    // SAFETY: takes no argument. It returns 0 for a parent outside of the PID namespace, so every
    // value from 0 on is right.
    let (done, last) = unsafe { repeat(call, n, 0, isize::MAX) };
    verdict(n, done, last)
}

/// Reads one byte from `fd`, at its file position.
pub fn read_byte(fd: i32, n: u64) -> Result<(), i32> {
    let mut byte = 0_u8;
    let call = Call {
        number: libc::SYS_read,
        args: [descriptor(fd), (&raw mut byte).expose_provenance(), 1, 0],
    };
    // SAFETY: the kernel writes one byte to `byte`.
    let (done, last) = unsafe { repeat(call, n, 1, 1) };
    verdict(n, done, last)
}

/// Writes one byte to `fd`, at its file position.
pub fn write_byte(fd: i32, n: u64) -> Result<(), i32> {
    let byte = 0_u8;
    let call = Call {
        number: libc::SYS_write,
        args: [descriptor(fd), (&raw const byte).expose_provenance(), 1, 0],
    };
    // SAFETY: the kernel reads one byte from `byte`.
    let (done, last) = unsafe { repeat(call, n, 1, 1) };
    verdict(n, done, last)
}

/// The status of an open file.
pub fn fstat(fd: i32, n: u64) -> Result<(), i32> {
    let mut status = MaybeUninit::<libc::stat>::uninit();
    let call = Call {
        number: libc::SYS_fstat,
        args: [
            descriptor(fd),
            status.as_mut_ptr().expose_provenance(),
            0,
            0,
        ],
    };
    // SAFETY: the kernel writes one `stat` to `status`.
    let (done, last) = unsafe { repeat(call, n, 0, 0) };
    verdict(n, done, last)
}

/// The status of the file at `path` (`newfstatat` from the working directory).
pub fn stat(path: &CStr, n: u64) -> Result<(), i32> {
    let mut status = MaybeUninit::<libc::stat>::uninit();
    let call = Call {
        number: libc::SYS_newfstatat,
        args: [
            descriptor(libc::AT_FDCWD),
            path.as_ptr().expose_provenance(),
            status.as_mut_ptr().expose_provenance(),
            0,
        ],
    };
    // SAFETY: the kernel reads the string and writes one `stat` to `status`.
    let (done, last) = unsafe { repeat(call, n, 0, 0) };
    verdict(n, done, last)
}

/// Opens the file at `path` for reading (`openat` from the working directory) and closes it again:
/// two calls a turn.
pub fn open_close(path: &CStr, n: u64) -> Result<(), i32> {
    // SAFETY: the kernel reads the string.
    let (done, last) = unsafe { open_close_loop(path.as_ptr(), n) };
    verdict(n, done, last)
}
