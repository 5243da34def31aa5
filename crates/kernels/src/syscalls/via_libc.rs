//! The same calls through the C library's functions, as a program makes them.
//!
//! Each turn calls the function once: its wrapper, its error handling and its `ret` are measured. The library is the
//! one that whyslow is linked with: the host's in a dynamic build, the one linked in in a static build. Numbers of calls
//! and results are those of the loops without the C library; the file status comes by whatever call the library makes
//! (`newfstatat` for both in glibc from 2.33 on).

use std::ffi::{CStr, c_int};
use std::mem::MaybeUninit;

/// The error number of the call that just failed.
fn error() -> i32 {
    std::io::Error::last_os_error()
        .raw_os_error()
        .unwrap_or(libc::EIO)
}

/// Checks what a call returned that returns `right` on success and -1 on failure.
#[inline(always)]
fn check(value: isize, right: isize) -> Result<(), i32> {
    match value {
        value if value == right => Ok(()),
        -1 => Err(error()),
        _ => Err(libc::EIO),
    }
}

/// `getppid`, which cannot fail and which no C library caches.
#[inline(never)]
pub fn null_call(n: u64) -> Result<(), i32> {
    for _ in 0..n {
        // SAFETY: takes no argument and cannot fail.
        unsafe { libc::getppid() };
    }
    Ok(())
}

/// `read` of one byte from `fd`, at its file position.
#[inline(never)]
pub fn read_byte(fd: i32, n: u64) -> Result<(), i32> {
    let mut byte = 0_u8;
    for _ in 0..n {
        // SAFETY: at most one byte is written, to `byte`.
        check(unsafe { libc::read(fd, (&raw mut byte).cast(), 1) }, 1)?;
    }
    Ok(())
}

/// `write` of one byte to `fd`, at its file position.
#[inline(never)]
pub fn write_byte(fd: i32, n: u64) -> Result<(), i32> {
    let byte = 0_u8;
    for _ in 0..n {
        // SAFETY: one byte is read, from `byte`.
        check(unsafe { libc::write(fd, (&raw const byte).cast(), 1) }, 1)?;
    }
    Ok(())
}

/// `fstat`: the status of an open file.
#[inline(never)]
pub fn fstat(fd: i32, n: u64) -> Result<(), i32> {
    let mut status = MaybeUninit::<libc::stat>::uninit();
    for _ in 0..n {
        // SAFETY: one `stat` is written, to `status`.
        check(unsafe { libc::fstat(fd, status.as_mut_ptr()) } as isize, 0)?;
    }
    Ok(())
}

/// `stat`: the status of the file at `path`.
#[inline(never)]
pub fn stat(path: &CStr, n: u64) -> Result<(), i32> {
    let mut status = MaybeUninit::<libc::stat>::uninit();
    for _ in 0..n {
        // SAFETY: the string ends in a zero byte; one `stat` is written, to `status`.
        let value = unsafe { libc::stat(path.as_ptr(), status.as_mut_ptr()) };
        check(value as isize, 0)?;
    }
    Ok(())
}

/// `open` of the file at `path` for reading, and `close`: two calls a turn.
#[inline(never)]
pub fn open_close(path: &CStr, n: u64) -> Result<(), i32> {
    for _ in 0..n {
        // SAFETY: the string ends in a zero byte.
        let fd: c_int = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY) };
        if fd < 0 {
            return Err(error());
        }
        // SAFETY: the descriptor just opened, which nothing else has.
        check(unsafe { libc::close(fd) } as isize, 0)?;
    }
    Ok(())
}
